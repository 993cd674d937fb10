"""What holds for every test."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# No test may fail because a machine is slow: speed is measured in bench/, as ratios.
settings.register_profile("hookstepper", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("hookstepper"), max_examples=1000)
usual = "thorough" if os.environ.get("HOOKSTEPPER_THOROUGH") else "hookstepper"
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", usual))
