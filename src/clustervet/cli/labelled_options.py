"""Options of what looks at some labels and predicts the others."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.pacmdl import languages


def _complete_language(incomplete: str) -> list[tuple[str, str]]:
    return [
        (key, record.meaning) for key, record in languages.items() if key.startswith(incomplete)
    ]


LanguageOption = Annotated[
    str,
    typer.Option(
        metavar="KEY",
        help="What the bound pays for: simple, init, cluster, algo, permutation, adaptive or "
        "mixture; auto pays for the choices made.",
        autocompletion=_complete_language,
    ),
]
DeltaOption = Annotated[
    float, typer.Option(metavar="SHARE", help="Probability that the bound may fail.")
]
LabelledOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that is true or 1 where the label may be looked at; by default wherever "
        "there is one.",
    ),
]
LabelsOption = Annotated[
    int | None,
    typer.Option(metavar="N", help="Number of possible labels, where the data may lack some."),
]
