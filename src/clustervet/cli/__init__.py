"""The command line: parse, call, print, exit code; no logic.

Exit codes: 0 done; 2 the input or the call is at fault; 1 clustervet is at fault.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line."""
    from clustervet.cli.app import app
    from clustervet.errors import ClustervetError

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="clustervet")
    except ClustervetError as error:
        print(f"clustervet: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader went away; what is left in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
