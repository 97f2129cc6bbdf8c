"""Ask an advisory service for known faults of the pinned dependencies; `make lint` runs it.

Where no service can be reached, it says so and passes: then nothing is known, good or bad.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = ["-m", "pip_audit", "--no-deps", "--disable-pip", "--progress-spinner", "off"]


def main() -> int:
    """Print one line per fault; the exit code says whether there is any."""
    asked = [sys.executable, *COMMAND, "--format", "json", "-r", str(ROOT / "constraints.txt")]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError:
        reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        print(f"no dependency was audited: {reason}")
        return 0
    audited = [package for package in packages if "skip_reason" not in package]
    for package in audited:
        for fault in package["vulns"]:
            fixed = ", ".join(fault["fix_versions"]) or "no version yet"
            print(f"{package['name']} {package['version']}: {fault['id']}, fixed in {fixed}")
    print(f"{len(audited)} of {len(packages)} pinned dependencies were audited.")
    return int(any(package["vulns"] for package in audited))


if __name__ == "__main__":
    sys.exit(main())
