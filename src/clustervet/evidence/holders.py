"""Labels and features by name, from the object that holds them: AnnData, or a data frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from clustervet._checks import suggestion
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.labels import show_label
from clustervet.labels.several import columns_of, is_frame

# Columns that a message lists.
LISTED = 12


def is_holder(data: Any) -> bool:
    """Whether an object holds labels and features under names.

    >>> import pandas as pd
    >>> is_holder(pd.DataFrame({"y": [0, 1]})), is_holder([0, 1])
    (True, False)
    """
    return is_frame(data) or (is_frame(getattr(data, "obs", None)) and hasattr(data, "obsm"))


def taken_by_name(
    data: Any, truth: Any, preds: Any, features: Any, beside: Mapping[str, Any]
) -> dict[str, Any]:
    """Return truth, clusterings, features and what else is named, taken from their holder.

    Parameters
    ----------
    data : AnnData or frame
        Labels are the columns of a frame, or of `obs`.
    truth : str or None
        The column of classes.
    preds : str or list of str
        The columns of clusters; ``leiden_*`` stands for all that match.
    features : str, list of str or None
        Of AnnData an entry of `obsm`, or ``"X"`` for the matrix itself; of a frame the columns. A
        matrix is taken as it is.
    beside : mapping
        Weights and ids; a text names a column.

    Returns
    -------
    dict
        The parameters of `examine`.

    Raises
    ------
    LabelError
        If there is no such column or entry.
    ParameterError
        If no column of clusters is named.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": ["a", "b"], "run1": [0, 0], "run2": [0, 1], "x": [0.5, 1.5]})
    >>> found = taken_by_name(frame, "y", "run*", ["x"], {})
    >>> list(found["truth"]), list(found["preds"]), found["features"].shape
    (['y'], ['run1', 'run2'], (2, 1))
    """
    held = data if is_frame(data) else data.obs
    columns = {str(name): column for name, column in columns_of(held)}
    what = "the frame" if held is data else "obs"
    if truth is not None and not isinstance(truth, str):
        raise ParameterError(
            Setting("truth"), f" must be the name of a column of {what}, where that is given."
        )
    names = _names(preds, [*columns], truth, what)
    found: dict[str, Any] = {
        "truth": None if truth is None else {truth: _column(columns, truth, what)},
        "preds": {name: _column(columns, name, what) for name in names},
        "features": _features(data, columns, features),
    }
    for name, given in beside.items():
        found[name] = _column(columns, given, what) if isinstance(given, str) else given
    if held is not data and found.get("ids", 0) is None and truth is not None:
        found["ids"] = list(held.index)
    return found


def _names(preds: Any, columns: Sequence[str], truth: str | None, what: str) -> list[str]:
    asked = [preds] if isinstance(preds, str) else list(preds if preds is not None else ())
    if not asked or not all(isinstance(name, str) for name in asked):
        raise ParameterError(
            f"preds must be names of columns of {what}, where that is given.", parameter="preds"
        )
    found: dict[str, None] = {}
    for name in asked:
        matches = [each for each in columns if fnmatchcase(each, name) and each != truth]
        if name in columns or not matches:
            matches = [name]
        found.update(dict.fromkeys(matches))
    return list(found)


def _column(columns: Mapping[str, Any], name: str, what: str) -> Any:
    if name in columns:
        return columns[name]
    known = ", ".join(show_label(each) for each in list(columns)[:LISTED])
    more = ", …" if len(columns) > LISTED else ""
    hint = suggestion(name, columns, f"its columns are {known}{more}.")
    raise LabelError(f"{what} has no column {show_label(name)!r}; {hint}")


def _features(data: Any, columns: Mapping[str, Any], features: Any) -> Any:
    if is_frame(data):
        asked = [features] if isinstance(features, str) else features
        if features is None or len(getattr(asked, "shape", (1,))) != 1 or is_frame(asked):
            return features
        asked = list(asked)
        if not asked or not all(isinstance(name, str) for name in asked):
            return features
        for name in asked:
            _column(columns, name, "the frame")
        return data.select(asked) if hasattr(data, "select") else data[asked]
    if not isinstance(features, str):
        return features
    if features == "X":
        if data.X is None:
            raise LabelError("there is no matrix X; name an entry of obsm.")
        return data.X
    if features not in data.obsm:
        known = ", ".join(map(show_label, ["X", *data.obsm]))
        raise LabelError(f"obsm has no entry {show_label(features)!r}; there is {known}.")
    return data.obsm[features]
