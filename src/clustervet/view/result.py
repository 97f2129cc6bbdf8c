"""`Result`: what every public result can do, from its document and its columns."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from clustervet.view import data
from clustervet.view.data import Backend
from clustervet.view.html import to_html
from clustervet.view.latex import to_latex
from clustervet.view.markdown import to_markdown
from clustervet.view.model import Section
from clustervet.view.plain_text import to_text
from clustervet.view.terminal import to_rich


class Exported:
    """What has plain data, and so JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data.

        Returns
        -------
        dict
            Numbers, texts, lists and dicts.

        Examples
        --------
        >>> from clustervet.view.result import Exported
        >>> class Size(Exported):
        ...     def to_dict(self):
        ...         return {"size": 3}
        >>> Size().to_json(indent=None)
        '{"size": 3}'
        """
        raise NotImplementedError(f"{type(self).__name__} has no plain data.")

    def to_json(self, indent: int | None = 2) -> str:
        """Return the data as JSON.

        Parameters
        ----------
        indent : int or None, optional
            Spaces per level; None writes one line.

        Returns
        -------
        str
            The text of a JSON object.

        Examples
        --------
        >>> import clustervet as cv
        >>> print(cv.Contingency.from_labels(["a", "b"], [0, 1]).to_json(indent=None))
        {"class": ["a", "b"], "cluster": [0, 1], "count": [1, 1]}
        """
        return data.to_json(self.to_dict(), indent)


class Result(Exported):
    """A finished result: text, notebook, terminal and file forms from two methods.

    A subclass is a frozen record of facts (``@dataclass(frozen=True, repr=False)``) and
    implements `document`, what people read, and `columns`, the numbers with all their digits; a
    record of plain facts needs no `columns` of its own.
    `to_dict` holds all fields of the record; a subclass with another layout overrides it.
    `SCHEMA` names the layout of its JSON.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from clustervet.view import Result, Section, plain_table
    >>> @dataclass(frozen=True, repr=False)
    ... class Sizes(Result):
    ...     names: list[str]
    ...     sizes: list[int]
    ...     def columns(self):
    ...         return {"name": self.names, "size": self.sizes}
    ...     def document(self):
    ...         table = plain_table("sizes-all", "Sizes", self.columns())
    ...         return Section("sizes", "Sizes", blocks=(table,))
    >>> Sizes(["a", "b"], [3, 12])
    name  size
    a        3
    b       12
    >>> print(Sizes(["a", "b"], [3, 12]).to_csv(), end="")
    name,size
    a,3
    b,12
    """

    __slots__ = ()
    SCHEMA: ClassVar[str] = ""

    def document(self) -> Section:
        """Return what the result says: sentences and tables.

        Returns
        -------
        Section
            The document that all forms for people are made from.

        Examples
        --------
        >>> import clustervet as cv
        >>> card = cv.external_scores(["a", "a", "b"], [0, 0, 1], measures=["rand", "vi"])
        >>> section = card.document()
        >>> section.title, [table.key for table in section.tables]
        ('Scores', ['scores-leaders', 'scores-all'])
        """
        raise NotImplementedError(f"{type(self).__name__} has no document.")

    def columns(self) -> dict[str, Any]:
        """Return the numbers of the result as columns of equal length.

        Returns
        -------
        dict
            Values by the name of the column, with all their digits. By default there is one row,
            with the fields of the record.

        Examples
        --------
        >>> import clustervet as cv
        >>> card = cv.external_scores(["a", "a", "b"], [0, 0, 1], measures=["rand", "vi"])
        >>> card.columns()["value"]
        [1.0, 0.0]
        """
        fields = dataclasses.fields(self)  # type: ignore[arg-type]  # a subclass is a dataclass
        return {field.name: [getattr(self, field.name)] for field in fields}

    def cautions(self) -> list[str]:
        """Return what a reader of the numbers alone must know; the document says it too.

        Returns
        -------
        list of str
            One sentence where noise is scored as a cluster, and one where features differ in
            scale by orders of magnitude.

        Examples
        --------
        >>> import clustervet as cv
        >>> card = cv.external_scores(["a", "a", "b"], [0, -1, -1], measures=["rand"])
        >>> [line.partition(";")[0] for line in card.cautions()]
        ['Label -1 is scored as one cluster of pred (2 of 3 objects)']
        """
        return []

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data; a number that is not finite is None.

        Returns
        -------
        dict
            Numbers, texts, lists and dicts, as JSON holds them.

        Examples
        --------
        >>> import clustervet as cv
        >>> interval = cv.confidence_interval("rand", [0, 0, 1, 1], [0, 1, 1, 1])
        >>> interval.to_dict()["method"]
        'jackknife'
        """
        return {**({"schema": self.SCHEMA} if self.SCHEMA else {}), **data.record(self)}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the columns as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library; by default the first one that is installed.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            One column per name in `columns`.

        Examples
        --------
        >>> import clustervet as cv
        >>> card = cv.external_scores(["a", "a", "b"], [0, 0, 1], measures=["rand", "vi"])
        >>> card.to_frame("polars").shape
        (2, 8)
        """
        return data.to_frame(self.columns(), backend)

    def to_csv(self) -> str:
        """Return the columns as CSV.

        Returns
        -------
        str
            A line of names, then one line per row. Text that a spreadsheet would run as a
            formula is preceded by an apostrophe.

        Examples
        --------
        >>> import clustervet as cv
        >>> print(cv.Contingency.from_labels(["a", "b"], [0, 1]).to_csv(), end="")
        class,cluster,count
        a,0,1
        b,1,1
        """
        return data.to_csv(self.columns())

    def to_markdown(self) -> str:
        """Return the document as Markdown.

        Returns
        -------
        str
            Sentences, tables and a list of notes.

        Examples
        --------
        >>> import clustervet as cv
        >>> text = cv.Contingency.from_labels(["a", "b"], [0, 1]).to_markdown()
        >>> print(text.partition("cells")[2].strip())
        |   | 0 | 1 | total |
        | ---: | ---: | ---: | ---: |
        | a | 1 | . | 1 |
        | b | . | 1 | 1 |
        | total | 1 | 1 | 2 |
        """
        return to_markdown(self.document())

    def to_latex(self) -> str:
        r"""Return the tables of the document as LaTeX.

        Returns
        -------
        str
            One ``table`` environment per table; they need ``\usepackage{booktabs}``.

        Examples
        --------
        >>> import clustervet as cv
        >>> print(cv.Contingency.from_labels(["a", "b"], [0, 1]).to_latex())
        \begin{table}
        \centering
        \caption{Contingency of 2 objects: 2 classes x 2 clusters, 2 non-empty cells}
        \begin{tabular}{rrrr}
        \toprule
         & 0 & 1 & total \\
        \midrule
        a & 1 & . & 1 \\
        b & . & 1 & 1 \\
        total & 1 & 1 & 2 \\
        \bottomrule
        \end{tabular}
        \end{table}
        """
        return to_latex(self.document())

    def __repr__(self) -> str:
        return to_text(self.document())

    def __rich__(self) -> Any:
        return to_rich(self.document())

    def _repr_html_(self) -> str:
        return to_html(self.document())
