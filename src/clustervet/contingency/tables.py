"""`Tables`: the tables of several truths and predictions, each counted when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from clustervet.contingency.derived import Table
from clustervet.contingency.table import Contingency
from clustervet.errors import ParameterError
from clustervet.frames.remarks import PAIRED_BY_ROW, header_remark, unmatched_remark
from clustervet.labels import Codes, check_index, product_labels
from clustervet.labels.keyed import aligned_sides

if TYPE_CHECKING:
    from clustervet.frames.source import Unmatched

# The name of the product classes of several truths (Dom 2001, App. C.2.2).
PRODUCT = "product"
TAKEN = f"no truth may be called {PRODUCT!r}: that is the name of the product classes."

Pair = tuple[str, str]
Labels = tuple[Codes, dict[str, Codes]] | None


@dataclass(frozen=True, eq=False)
class Tables(Mapping[Pair, Any]):
    """The table of each truth with each prediction, by (truth, prediction).

    Made by `read_tables`, or of labels in memory. Several truths also have their product classes,
    under the name ``"product"``. Tables of labels in memory are counted when they are asked for,
    and not kept.

    Parameters
    ----------
    truths, preds : tuple of str
        The columns.
    policies : mapping
        What noise labels and missing labels mean.
    weighted : bool
        Whether objects have weights.
    unmatched : sequence of Unmatched or None
        For files joined by an id: how many ids each file does not share with the first.
    header_guessed : mapping of str to str
        Files with one column whose first line was taken as a name by a guess, and that line.
    paired_by_row : bool
        Whether two files were paired row by row although each has all the columns, so that
        they may be parts of one table.
    in_rows : bool
        Whether `labels` come in the order of the rows that were given.
    _tables : mapping
        The tables, or the functions that count them, by (truth, prediction).
    _objects : callable
        A function that returns what `labels` returns.
    _rows : callable
        A function that reads classes, clusters and ids of a prediction from the files again.

    Examples
    --------
    >>> tables = Tables.of_labels({"y": [0, 0, 1]}, {"a": [0, 1, 1], "b": [0, 0, 1]}, policies={})
    >>> list(tables)
    [('y', 'a'), ('y', 'b')]
    >>> tables["y", "b"].to_dict()
    {(0, 0): 2, (1, 1): 1}
    """

    truths: tuple[str, ...]
    preds: tuple[str, ...]
    policies: Mapping[str, Any] = field(default_factory=dict)
    weighted: bool = False
    unmatched: Sequence[Unmatched] | None = None
    header_guessed: Mapping[str, str] = field(default_factory=dict)
    paired_by_row: bool = False
    in_rows: bool = False
    _tables: Mapping[Pair, Table | Callable[[], Contingency]] = field(
        default_factory=dict, repr=False
    )
    _objects: Callable[[], Labels] = field(default=lambda: None, repr=False)
    _rows: Callable[[str], tuple[Codes, Codes, Any]] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, table: Table) -> Tables:
        """Return one finished table as tables.

        Parameters
        ----------
        table : Contingency or EngineTable
            The table.

        Returns
        -------
        Tables
            One table, of ``"truth"`` and ``"pred"``.

        Examples
        --------
        >>> tables = Tables.of(Contingency.from_labels([0, 0, 1], [0, 1, 1]))
        >>> list(tables)
        [('truth', 'pred')]
        """
        return cls(("truth",), ("pred",), _tables={("truth", "pred"): table})

    @classmethod
    def of_labels(
        cls,
        truths: Mapping[str, Any],
        preds: Mapping[str, Any],
        *,
        weights: Any = None,
        policies: Mapping[str, Any],
        **facts: Any,
    ) -> Tables:
        """Return the tables of labels in memory; several truths also get their product classes.

        Parameters
        ----------
        truths, preds : mapping
            The labels of all objects, by name.
        weights : array-like, optional
            One weight per object.
        policies : mapping
            What noise labels and missing labels mean: options of `Contingency.from_labels`.
        **facts
            Other fields of `Tables`, such as `header_guessed`.

        Returns
        -------
        Tables
            The tables, which are counted when they are asked for.

        Raises
        ------
        ParameterError
            If one of several truths is called ``"product"``.

        Examples
        --------
        >>> truths = {"shape": ["o", "o", "x", "x"], "colour": ["r", "g", "g", "g"]}
        >>> tables = Tables.of_labels(truths, {"a": [0, 0, 1, 1]}, policies={})
        >>> {pair: table.shape for pair, table in tables.items()}
        {('shape', 'a'): (2, 2), ('colour', 'a'): (2, 2), ('product', 'a'): (3, 2)}
        """
        missing = policies.get("missing", "raise")
        truths, preds = aligned_sides(truths, preds, missing, {"weights": weights})
        check_index({**truths, **preds})
        classes = dict(truths)
        if len(classes) > 1:
            if PRODUCT in classes:
                raise ParameterError(TAKEN)
            classes[PRODUCT] = product_labels(list(truths.values()), missing)
        counters = {
            (truth, pred): partial(
                Contingency.from_labels,
                labels,
                clusters,
                weights=weights,
                names=(truth, pred),
                **policies,
            )
            for truth, labels in classes.items()
            for pred, clusters in preds.items()
        }
        one = next(iter(truths.values()))
        return cls(
            tuple(truths),
            tuple(preds),
            policies,
            weights is not None,
            in_rows=True,
            _tables=counters,
            _objects=lambda: (one, dict(preds)),
            **facts,
        )

    def __getitem__(self, pair: Pair) -> Any:
        found = self._tables[pair]
        return found if isinstance(found, Table) else found()

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def labels(self) -> Labels:
        """The labels of every object, for comparisons object by object.

        Returns
        -------
        tuple of (Codes, dict of str to Codes), or None
            The truth and each prediction, before any policy for noise or missing labels. None
            if there are several truths, if the labels are neither in memory nor were asked for
            with ``joint=True``, or if there are more than 20 million objects or 2 million
            combinations of labels.

        Examples
        --------
        >>> tables = Tables.of_labels({"y": [0, 0, 1]}, {"a": [0, 1, 1]}, policies={})
        >>> truth, preds = tables.labels()
        >>> truth, preds["a"]
        ([0, 0, 1], [0, 1, 1])
        """
        return self._objects() if len(self.truths) == 1 else None

    def rows(self, pred: str) -> Any:
        """Return classes and clusters of a prediction in the order of the rows given.

        Parameters
        ----------
        pred : str
            The prediction.

        Returns
        -------
        tuple, callable or None
            Both as labels, if they are in memory. If they can be read from files again, a
            function that returns both and the ids of the objects, or None for ids where the files
            are not joined on any. None if they are not known, or if there are several truths.

        Examples
        --------
        >>> tables = Tables.of_labels({"y": [0, 0, 1]}, {"a": [0, 1, 1]}, policies={})
        >>> tables.rows("a")
        ([0, 0, 1], [0, 1, 1])
        """
        if self._rows is not None and len(self.truths) == 1:
            return partial(self._rows, pred)
        known = self.labels() if self.in_rows else None
        return None if known is None else (known[0], known[1][pred])

    def remarks(self) -> list[str]:
        """Return what is to be said about how the files were read.

        Returns
        -------
        list of str
            One sentence per guess, and one per file whose ids do not all match.

        Examples
        --------
        >>> Tables.of(Contingency.from_labels([0, 0, 1], [0, 1, 1])).remarks()
        []
        """
        said = [header_remark(file, first) for file, first in self.header_guessed.items()]
        said += [PAIRED_BY_ROW] if self.paired_by_row else []
        said += [unmatched_remark(**one.to_dict()) for one in self.unmatched or ()]
        return [line for line in said if line]
