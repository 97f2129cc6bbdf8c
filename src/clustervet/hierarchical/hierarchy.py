"""`Hierarchy`: a tree over named or numbered objects, read from whatever holds one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from clustervet._checks import is_whole, one_of
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.hierarchical.newick import read_newick
from clustervet.hierarchical.shape import Shape, shape_of
from clustervet.hierarchical.tree import Places, Tree, read_taxonomy, read_tree
from clustervet.labels import plain_label, show_label
from clustervet.labels.arrays import is_missing, kind_of
from clustervet.labels.index import names_of
from clustervet.labels.keyed import as_mapping, is_keyed
from clustervet.labels.pair import Missing
from clustervet.registry import refuse_others
from clustervet.view import Result, Section, facts_table, plain_table
from clustervet.view.words import brief, counted, names, spoken

# Nodes that a document shows, and names before the others are only counted.
SHOWN, FEW = 20, 6


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Hierarchy(Result):
    """A hierarchical clustering: groups of objects within larger groups.

    Parameters
    ----------
    tree : array, estimator, data frame, list, mapping, str or Hierarchy
        A linkage matrix of scipy, or the pairs of nodes that are merged; a fitted
        `AgglomerativeClustering` of scikit-learn, or a fitted `HDBSCAN`, of which the tree of
        single linkage is taken; nested labelings of the same objects from coarse to fine, as the
        columns of a data frame, as a list, or as {name of the level: labels}; labels alone, which
        are a tree of one level; or Newick text.
    leaves : iterable, optional
        The names of the objects, in their order. Where the tree has names of its own, these must
        be the same ones, and say in which order the objects are numbered.
    missing : {"raise", "drop", "class"}, default "raise"
        What missing labels do in nested labelings: they are refused, their objects are left out,
        or they are a group of their own within each group of the level above.

    Attributes
    ----------
    tree : Tree
        The tree as it was read.
    names : tuple of str or None
        The names of the objects.
    shape : Shape
        The tree as formulas read it.

    Raises
    ------
    LabelError
        If labels are missing or levels are not nested, or if names are missing or not distinct.
    ParameterError
        If there is no tree, a node is merged twice or before it is made, a height is no number or
        below that of a node that it holds, or Newick text is malformed.

    Notes
    -----
    Ties are honoured: merges of equal height in a row are one step, which joins all their parts
    at once, so that nothing depends on the order in which a program made them.

    A height that is not known is a number. Merges without heights have the place in their order;
    levels of labels are numbered from the finest up; Newick text without branch lengths has
    branches of length 1. The height of a node in Newick text is the longest way down to a leaf,
    and an inner branch of length 0 is no branch. Heights must not fall from a node to the one that
    holds it: centroid and median linkage may give such inversions, and they are refused; give
    their merges without heights.

    Examples
    --------
    >>> import clustervet as cv
    >>> tree = cv.Hierarchy("((a:1,b:1):2,(c:2,d:2):1);")
    >>> tree.names, tree.cut(2).tolist()
    (('a', 'b', 'c', 'd'), [0, 0, 1, 1])
    >>> cv.Hierarchy({"class": ["bird", "bird", "fish"], "kind": ["owl", "duck", "cod"]}).clusters
    (1, 2, 3)
    """

    SCHEMA: ClassVar[str] = "clustervet/hierarchy/1"

    tree: Tree
    names: tuple[str, ...] | None

    def __init__(
        self, tree: Any, leaves: Iterable[Any] | None = None, *, missing: Missing = "raise"
    ) -> None:
        one_of(missing, "missing", ("raise", "drop", "class"))
        read, known = _read(tree, missing)
        if leaves is not None:
            read, known = _named(read, known, leaves)
        object.__setattr__(self, "tree", read)
        object.__setattr__(self, "names", known)
        self._formed  # noqa: B018  # refuses what is no hierarchy here and not later

    @classmethod
    def from_newick(cls, text: str, leaves: Iterable[Any] | None = None) -> Hierarchy:
        """Read Newick text.

        Parameters
        ----------
        text : str
            One tree that ends with a semicolon. Names may be quoted, inner nodes may have names
            and any number of children, and branches may have lengths; what stands in brackets is
            passed over. Underscores stay as they are.
        leaves : iterable, optional
            The order of the leaves; by default that of the text.

        Returns
        -------
        Hierarchy
            The tree.

        Raises
        ------
        ParameterError
            If the text is malformed; the message names the position.

        Examples
        --------
        >>> import clustervet as cv
        >>> cv.Hierarchy.from_newick("((a,b)inner,'c d'[a comment]);").names
        ('a', 'b', 'c d')
        """
        if not isinstance(text, str):
            raise ParameterError(f"Newick text must be a str, not {kind_of(text)}.")
        return cls(text, leaves)

    @cached_property
    def _formed(self) -> tuple[Shape, Places]:
        return shape_of(self.tree)

    @property
    def shape(self) -> Shape:
        """The tree as formulas read it, over the objects that are in it."""
        return self._formed[0]

    @property
    def objects(self) -> Places:
        """The places of the objects that are in the tree, among all that were given."""
        return self._formed[1]

    @property
    def n(self) -> int:
        """The number of objects in the tree."""
        return self.shape.leaves

    @property
    def clusters(self) -> tuple[int, ...]:
        """The numbers of clusters that cuts at some height give, in ascending order."""
        return tuple(sorted(self.shape.cuts))

    @property
    def tied(self) -> int:
        """The number of merges of two nodes that are at the height of another one.

        Levels of labels have no ties: a level joins all its groups at once.
        """
        if np.isfinite(self.shape.floor):
            return 0
        kept = self.shape.children[0]
        steps = len(np.unique(self.shape.heights))
        return int((np.diff(kept) - 1).sum()) - steps

    def cut(self, clusters: int) -> Places:
        """Return the clusters of a cut at some height.

        Parameters
        ----------
        clusters : int
            The number of clusters.

        Returns
        -------
        ndarray of int
            The cluster of each object in the tree, numbered in the order of the objects.

        Raises
        ------
        ParameterError
            If no cut gives this number, because several merges are equally high.

        Examples
        --------
        >>> import clustervet as cv
        >>> cv.Hierarchy([["x", "x", "y", "y"], ["p", "q", "r", "r"]]).cut(3).tolist()
        [0, 1, 2, 2]
        """
        shape = self.shape
        if not is_whole(clusters) or clusters not in shape.cuts:
            raise ParameterError(
                Setting("clusters"),
                f" must be one of the {counted(len(self.clusters), 'number')} that a cut of this "
                f"tree gives ({names(self.clusters)}), not {show_label(clusters)}.",
            )
        end = shape.leaves + shape.cuts[clusters]
        near = np.where(shape.parents[:end] < end, shape.parents[:end], np.arange(end))
        while not np.array_equal(further := near[near], near):
            near = further
        _, first, found = np.unique(near[: shape.leaves], return_index=True, return_inverse=True)
        place = np.empty(len(first), np.int64)
        place[np.argsort(first)] = np.arange(len(first))
        return place[found]

    def columns(self) -> dict[str, Any]:
        """Return one row per inner node, from the root down.

        Returns
        -------
        dict
            The number of the node, its parent, its height, its objects and its children. Nodes
            that ties make one are one row.
        """
        shape = self.shape
        nodes = np.arange(shape.nodes - 1, shape.leaves - 1, -1)
        parents = shape.parents[nodes].tolist()
        return {
            "node": nodes.tolist(),
            "parent": [None if parent == shape.nodes else parent for parent in parents],
            "height": shape.heights[::-1].tolist(),
            "objects": shape.sizes[nodes].tolist(),
            "children": np.diff(shape.children[0])[::-1].tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain data.

        Returns
        -------
        dict
            Names of the objects, the parents of all nodes with the objects first, and the heights
            of the inner nodes.
        """
        held = None if self.names is None else [self.names[k] for k in self.objects.tolist()]
        return {
            "schema": self.SCHEMA,
            "objects": self.n,
            "names": held,
            "parents": self.shape.parents.tolist(),
            "heights": self.shape.heights.tolist(),
        }

    def document(self) -> Section:
        """Return how large the tree is, and its highest nodes.

        Returns
        -------
        Section
            The sentences and tables.
        """
        shape = self.shape
        several = int((np.diff(shape.children[0]) > 2).sum())
        facts = {
            "objects": f"{self.n:,}",
            "inner nodes": f"{shape.inner:,}",
            "nodes with more than two children": f"{several:,}",
            "numbers of clusters": names(self.clusters, FEW),
        }
        if shape.inner:
            facts["height of the root"] = brief(float(shape.heights[-1]))
        if self.names is not None:
            facts["names"] = names([self.names[k] for k in self.objects.tolist()], FEW)
        nodes = {name: values[:SHOWN] for name, values in self.columns().items()}
        title = "Nodes from the root down"
        if shape.inner > SHOWN:
            title = f"The highest {SHOWN} of {shape.inner:,} nodes"
        tables = [facts_table("hierarchy-facts", "The tree", facts)]
        if shape.inner:
            tables.append(plain_table("hierarchy-nodes", title, nodes))
        said = f"A hierarchy of {counted(self.n, 'object')}"
        if self.tied:
            are = "has" if self.tied == 1 else "have"
            said += f"; {counted(self.tied, 'merge')} {are} the same height as another merge"
        return Section("hierarchy", "Hierarchy", (f"{said}.",), tuple(tables), subject=self)


def is_flat(given: Any) -> bool:
    """Whether something is labels of objects, which are a tree of one level.

    >>> is_flat(["a", "b"]), is_flat({"x": 0, "y": 1}), is_flat([["a", "b"], [0, 1]])
    (True, True, False)
    """
    if isinstance(given, str | bytes | Hierarchy | Tree) or hasattr(given, "children_"):
        return False
    if type(given).__module__.partition(".")[0] == "hdbscan":  # whose trees are as arrays are
        return False
    if is_keyed(given):
        return True
    if isinstance(given, Mapping) or hasattr(type(given), "columns") or hasattr(given, "fit"):
        return False
    if hasattr(given, "shape"):
        is_records = getattr(getattr(given, "dtype", None), "names", None) is not None
        return len(given.shape) == 1 and not is_records
    if not isinstance(given, list | tuple | range):
        return hasattr(given, "to_numpy")
    return bool(given) and not any(
        hasattr(one, "__len__") and not isinstance(one, str | bytes | tuple) for one in given
    )


def _read(given: Any, missing: Missing) -> tuple[Tree, tuple[str, ...] | None]:
    """Read a tree of any kind, and the names of its objects if it has any."""
    refuse_others("hierarchical", given, "a hierarchy")
    if isinstance(given, Hierarchy):
        return given.tree, given.names
    if isinstance(given, str):
        return read_newick(given)
    if is_keyed(given):
        held = as_mapping(given, "labels")
        known = _texts(held)
        return read_taxonomy({"labels": list(held.values())}, None, missing), known
    if is_flat(given):
        return read_taxonomy({"labels": given}, None, missing), _index_names(given)
    return read_tree(given, None, missing), _index_names(given)


def _index_names(given: Any) -> tuple[str, ...] | None:
    """Return the index of a column or frame of labels as names."""
    index = names_of(given)
    return None if index is None else _texts(index)


def _texts(given: Any) -> tuple[str, ...]:
    """Return names as text; they must be there and differ."""
    single = isinstance(given, str | bytes) or getattr(given, "shape", None) == ()
    if single or not isinstance(given, Iterable):
        raise LabelError(f"leaves must be the names of all objects, not {kind_of(given)}.")
    found = []
    for place, name in enumerate(given):
        if not isinstance(name, Hashable):
            raise LabelError(f"leaves must be names, not {kind_of(name)} (object {place:,}).")
        if is_missing(name):
            raise LabelError(f"the name of object {place:,} is missing; give all names or none.")
        found.append(str(plain_label(name)))
    if len(set(found)) < len(found):
        seen: set[str] = set()
        for name in found:
            if name in seen:
                raise LabelError(f"two objects have the name {show_label(name, 40)!r}.")
            seen.add(name)
    return tuple(found)


def _named(
    tree: Tree, known: tuple[str, ...] | None, leaves: Iterable[Any]
) -> tuple[Tree, tuple[str, ...]]:
    """Give the objects of a tree names, or bring those that have names into another order."""
    given = _texts(leaves)
    if known is None:
        if len(given) != len(tree.leaf):
            raise LabelError(
                f"leaves has {len(given):,} names, and the tree has {len(tree.leaf):,} objects."
            )
        return tree, given
    refuse_other(known, given, "the tree", "leaves")
    places = {name: place for place, name in enumerate(known)}
    order = np.array([places[name] for name in given], np.int64)
    return replace(tree, leaf=tree.leaf[order]), given


def refuse_other(one: Iterable[str], two: Iterable[str], first: str, second: str) -> None:
    """Refuse names of which some are on one side alone; list both differences."""
    left, right = dict.fromkeys(one), dict.fromkeys(two)
    alone = [name for name in left if name not in right], [n for n in right if n not in left]
    if not any(alone):
        return
    said = [
        f"{which} alone has {len(found):,} ({', '.join(spoken(name) for name in found[:3])}"
        f"{', ...' if len(found) > 3 else ''})"
        for which, found in zip((first, second), alone, strict=True)
        if found
    ]
    raise LabelError(f"{first} and {second} must have the same leaves; {' and '.join(said)}.")
