"""The command `warmup`."""

from __future__ import annotations

import typer


def warmup() -> None:
    """Compile everything once, so that no later command waits for it.

    For the images of containers: other users then need not write anywhere.
    """
    from clustervet.evidence.warmup import warm_up

    typer.echo(str(warm_up()))
