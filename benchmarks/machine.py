"""Facts about the machine and the versions, without names of users or hosts."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    "clustervet",
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "genieclust",
    "igraph",
    "networkit",
    "clusim",
    "torchmetrics",
)


def facts() -> dict[str, str]:
    """The facts that a reader needs to interpret the figures."""
    return {
        "processor": _processor(),
        "cores": str(_cores()),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: _version(package) for package in PACKAGES},
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return "unknown"
    return f"{pages * page / 1024**3:.0f} GB"
