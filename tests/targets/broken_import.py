"""A target that fails while it is imported."""


def _settings() -> dict:
    return {}


MODEL = _settings()["model"]
