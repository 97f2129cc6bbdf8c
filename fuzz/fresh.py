"""One job in a process of its own: `fresh.py REQUEST FD` writes to FD when the product begins."""

from __future__ import annotations

import json
import os
import sys

if __name__ == "__main__":
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    from fuzz.child import begin, perform

    wanted, told = json.loads(sys.argv[1]), int(sys.argv[2])
    exec(os.environ.get("FUZZ_BEFORE", ""), {})
    begin(wanted)
    os.write(told, b".")
    os.close(told)
    perform(wanted)
