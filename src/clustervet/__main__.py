"""`python -m clustervet` is the command line."""

from __future__ import annotations

from clustervet.cli import main

if __name__ == "__main__":
    main()
