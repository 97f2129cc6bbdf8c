"""The command line: parse, call, print, exit code; no logic.

Exit codes: 0 done; 2 the input or the call is at fault; 1 clustervet is at fault.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    import typer

    from clustervet.cli.app import app
    from clustervet.errors import ClustervetError

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(prog_name="clustervet", standalone_mode=False)
    except ClustervetError as error:
        _refuse(_in_options(str(error)))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except Exception as error:
        # Mistakes in the call itself are the command-line library's own exceptions.
        if not hasattr(error, "format_message"):
            raise
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            sys.exit(2)
        message = error.format_message().rstrip()
        end = "" if message.endswith((".", "?", "!")) else "."
        _refuse(f"{message}{end} See `clustervet --help`.")
    sys.exit(code if isinstance(code, int) else 0)


def _refuse(message: str) -> None:
    """One line on standard error, whatever the message quotes, and exit code 2."""
    from clustervet.labels import show_label

    print(f"clustervet: {show_label(' '.join(message.split()), 2_000)}", file=sys.stderr)
    sys.exit(2)


def _in_options(message: str) -> str:
    """A message about arguments, in words of the command line."""
    for policy in ("drop", "class"):
        message = message.replace(f"missing='{policy}'", f"--missing {policy}")
    for argument, option in {
        "with labelled= which": "with --labelled which",
        "noise='drop'": "--noise drop",
        "noise={": "--noise {",
        "shared=True": "--shared",
        "weighting='tfidf'": "--weighting tfidf",
        "weighting='counts'": "--weighting counts",
        "n_jobs must": "--jobs must",
        "random_state must": "--seed must",
    }.items():
        message = message.replace(argument, option)
    return message
