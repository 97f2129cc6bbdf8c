"""The command line: one file per command; options, one library call, emit.

Exit codes: 0 done; 2 the input or the call is at fault; 1 clustervet is at fault; 130 interrupted;
143 terminated.
"""

from __future__ import annotations

import sys

from clustervet._process import stoppable

# Characters of a message.
LONGEST = 1_000
# What typer's library for values puts before its messages.
PREFIX = "Value error, "
# What Python and the system say instead of a MemoryError.
EXHAUSTED = ("Cannot allocate memory", "can't start new thread")


def main() -> None:
    """Run the command line."""
    with stoppable():
        _run()


def _run() -> None:
    import typer

    from clustervet.cli.app import command_line
    from clustervet.cli.emit import printing
    from clustervet.cli.options import spell_option
    from clustervet.errors import ClustervetError

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    code = 0
    try:
        with printing():
            run = command_line(sys.argv[1:])
            code = run(prog_name="clustervet", standalone_mode=False)
    except ClustervetError as error:
        _refuse(error.spelled(spell_option))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "clustervet"):
            raise
        named = "scikit-learn" if package == "sklearn" else package
        _refuse(f"this needs the package {named}, which is not installed; install it with pip.")
    except Exception as error:
        if isinstance(error, MemoryError) or any(said in str(error) for said in EXHAUSTED):
            _refuse("there is not enough memory for this; give it less data, or use fewer --jobs.")
        # Mistakes in the call itself are the command-line library's own exceptions.
        if not hasattr(error, "format_message"):
            raise
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            sys.exit(2)
        message = error.format_message().rstrip().replace(f": {PREFIX}", ": ", 1)
        end = "" if message.endswith((".", "?", "!")) else "."
        command = getattr(getattr(error, "ctx", None), "command_path", "clustervet")
        _refuse(f"{message}{end} See `{command} --help`.")
    sys.exit(code if isinstance(code, int) else 0)


def _refuse(message: str) -> None:
    """Print one line on standard error, whatever the message quotes, and exit with code 2."""
    from clustervet.labels import show_label

    line = " ".join(message.split())
    if len(line) > LONGEST:  # it quotes what was given; its end says what is wrong
        line = f"{line[: LONGEST // 2]}…{line[-LONGEST // 2 :]}"
    print(f"clustervet: {show_label(line, 20 * LONGEST)}", file=sys.stderr)
    sys.exit(2)
