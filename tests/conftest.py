from __future__ import annotations

from hypothesis import settings

# No test fails for the time that one example takes: machines are busy, and first calls compile.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
