"""hookstepper: an interactive, visual debugger for AI-agent graphs, in the terminal."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hookstepper.debugging import debug as debug
    from hookstepper.listening import listen as listen

from hookstepper.model.version import VERSION

__version__ = VERSION
__all__ = ["__version__", "debug", "listen"]


def __getattr__(name: str) -> Any:
    # Lazily: importing the package must cost nothing, since every floor does.
    if name == "debug":
        from hookstepper.debugging import debug

        return debug
    if name == "listen":
        from hookstepper.listening import listen

        return listen
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
