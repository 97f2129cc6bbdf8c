"""Settings that all tests share; this folder's modules (`oracle`) can be imported by name."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Exact oracles take milliseconds, and how many depends on the machine: no test is timed.
settings.register_profile(
    "clustervet", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("clustervet")
