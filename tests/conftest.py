"""What holds for all tests: laws are tried moderately often, and never against a clock."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# A busy machine is no reason to fail: hypothesis's deadline and its check for slow data are timed assertions.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("house"), max_examples=1000)
settings.load_profile("thorough" if os.environ.get("HOOKSTEPPER_THOROUGH") else "house")
