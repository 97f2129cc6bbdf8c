"""What holds for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# No test fails for the time that one example takes: machines are busy, and first calls compile.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# What commands write to standard error does not depend on what was compiled before.
os.environ["CLUSTERVET_QUIET"] = "1"
