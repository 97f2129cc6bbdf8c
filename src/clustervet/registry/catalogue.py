"""Every measure by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from clustervet._checks import nearest, suggestion
from clustervet.errors import ParameterError, UnknownMeasureError
from clustervet.labels.arrays import kind_of
from clustervet.registry.fields import FIELDS
from clustervet.registry.record import Kind, Measure, MeasureFunction

# Families in the order in which they are shown, and what each looks at; a user's own families
# come after these.
FAMILIES = {
    "pairs": "pairs of objects put together or apart",
    "matching": "classes and clusters matched to each other",
    "information": "information shared, lost and gained",
    "coding": "code length of the classes given the clusters",
    "impurity": "mixtures of classes within clusters",
    "objects": "averages over single objects",
    "coefficients": "further coefficients of pairs together and apart, on request",
    "coreference": "entities and their mentions, as in coreference resolution",
    "linkage": "entities found whole, and the cost of repairs, as in record linkage",
    "segmentation": "segments of images",
    "diarisation": "stretches of speech",
    "single_cell": "cell types across batches",
    "log_parsing": "log messages by their template",
    "communities": "communities of a graph",
    "compactness": "distances to centres, within clusters and between them",
    "separation": "distances between clusters beside those within",
    "silhouette": "each point's own cluster beside the nearest other",
    "likelihood": "density of the points in a mixture made from the clusters",
    "density": "connected dense regions of any shape, and noise",
    "indices": "further indices of distances, variances and determinants, on request",
    "soft": "degrees of membership of two soft clusterings",
    "fuzziness": "how sharp memberships are, and how well they fit the points",
    "covers": "groups that may overlap, of two covers",
    "hierarchies": "two trees over the same objects",
}
# Families that cards leave out unless they are asked for.
ON_REQUEST = frozenset({*FIELDS, "coefficients", "indices"})


class Registry(Mapping[str, Measure]):
    """Every measure by name.

    Aliases find their measure; capitals, hyphens and spaces make no difference. Iteration gives
    the keys, family by family.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.measures["Adjusted-Rand"].key, cv.measures["ari"].key
    ('adjusted_rand', 'adjusted_rand')
    >>> "rand" in cv.measures
    True
    """

    def __init__(self) -> None:
        self._records: dict[str, Measure] = {}
        self._names: dict[str, str] = {}  # keys and aliases, as `_normal` writes them

    def __getitem__(self, name: str) -> Measure:
        if not isinstance(name, str):
            raise UnknownMeasureError(f"a measure is named by a string, not by {kind_of(name)}.")
        key = self._names.get(_normal(name))
        if key is not None:
            return self._records[key]
        near = nearest(_normal(name), self._names, 3)
        hint = f"did you mean {' or '.join(near)}?" if near else "see `clustervet measures`."
        raise UnknownMeasureError(f"there is no measure {name!r}; {hint}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        return f"<{len(self)} measures: {', '.join(self)}>"

    def add(self, record: Measure) -> None:
        """Add a measure.

        Parameters
        ----------
        record : Measure
            Its record. A measure whose formula has the same module and name is replaced.

        Raises
        ------
        ParameterError
            If another formula has the key or one of the aliases.

        Examples
        --------
        >>> import clustervet as cv
        >>> registry = Registry()
        >>> registry.add(cv.measures["rand"])
        >>> list(registry)
        ['rand']
        """
        for name in (record.key, *record.aliases):
            held = self._names.get(_normal(name))
            if held is not None and _origin(self._records[held]) != _origin(record):
                raise ParameterError(f"the name {name!r} already belongs to {held}.")
        self._records[record.key] = record
        self._sort()
        self._names.update({_normal(x): record.key for x in (record.key, *record.aliases)})

    def remove(self, name: str) -> None:
        """Remove a measure and its aliases.

        Parameters
        ----------
        name : str
            Its key or an alias.

        Raises
        ------
        UnknownMeasureError
            If there is no such measure.

        Examples
        --------
        >>> import clustervet as cv
        >>> registry = Registry()
        >>> registry.add(cv.measures["rand"])
        >>> registry.remove("rand")
        >>> len(registry)
        0
        """
        key = self[name].key
        del self._records[key]
        self._names = {name: held for name, held in self._names.items() if held != key}

    def select(
        self,
        names: Iterable[str | Measure | MeasureFunction] | str | None = None,
        *,
        kind: Kind | None = None,
        family: str | Iterable[str] | None = None,
        general: bool = False,
    ) -> list[Measure]:
        """Return the named measures in the order given, or all of a kind or family.

        Parameters
        ----------
        names : str, Measure, function or iterable of these, optional
            Keys, aliases, records or measures. All measures by default.
        kind : str, optional
            The kind of measures, where none are named, such as "external".
        family : str or iterable of str, optional
            Keep the measures of these families alone. The family of a field, such as
            "coreference", also has the measures that the field shares with others.
        general : bool, default False
            Where neither names nor families are given, leave out the measures that are shown on
            request: those of single fields, and further coefficients and indices.

        Returns
        -------
        list of Measure
            The records, each once.

        Raises
        ------
        UnknownMeasureError
            If there is no such measure or family.

        Examples
        --------
        >>> import clustervet as cv
        >>> [record.key for record in cv.measures.select(["vi", "ari"])]
        ['variation_of_information', 'adjusted_rand']
        >>> [record.key for record in cv.measures.select(family="diarisation")][:3]
        ['purity', 'inverse_purity', 'purity_f1']
        """
        chosen = list(self.values())
        if names is not None:
            listed = [names] if _is_one(names) or not isinstance(names, Iterable) else list(names)
            chosen = list({r.key: r for r in (self._resolve(name) for name in listed)}.values())
        if family is not None and not isinstance(family, Iterable):
            raise UnknownMeasureError(f"a family is named by a string, not by {kind_of(family)}.")
        found = [r for r in chosen if kind is None or names is not None or r.kind == kind]
        if family is not None:
            return self._of_families([family] if isinstance(family, str) else family, found)
        if general and names is None:
            return [record for record in found if record.family not in ON_REQUEST]
        return found

    def _of_families(self, families: Iterable[str], chosen: list[Measure]) -> list[Measure]:
        """The chosen measures of some families; a field's in its own order."""
        known = {_normal(record.family): record.family for record in self.values()}
        known |= {_normal(field.title): key for key, field in FIELDS.items()}
        wanted: dict[str, None] = {}
        for name in families:
            if not isinstance(name, str) or _normal(name) not in known:
                every = f"there are {', '.join(sorted(set(known.values())))}."
                hint = suggestion(_normal(name), known, every) if isinstance(name, str) else every
                raise UnknownMeasureError(f"there is no family or field {name!r}; {hint}")
            family = known[_normal(name)]
            named = FIELDS[family].names.values() if family in FIELDS else ()
            own = (record.key for record in self.values() if record.family == family)
            wanted |= dict.fromkeys([*named, *own])
        held = {record.key: record for record in chosen}
        return [held[key] for key in wanted if key in held]

    def _sort(self) -> None:
        """Keep records by family, in the order of FAMILIES, and by arrival within one."""
        order = {family: k for k, family in enumerate(FAMILIES)}
        ranked = sorted(self._records.values(), key=lambda r: order.get(r.family, len(order)))
        self._records = {record.key: record for record in ranked}

    def _resolve(self, name: object) -> Measure:
        if isinstance(name, Measure):
            return name
        if isinstance(name, str):
            return self[name]
        record = getattr(name, "record", None)
        if isinstance(record, Measure):
            return record
        raise UnknownMeasureError(
            f"a measure is named by a string, a record or a measure itself, not by {kind_of(name)}."
        )


def _is_one(names: object) -> bool:
    return isinstance(names, str | Measure) or isinstance(getattr(names, "record", None), Measure)


def _normal(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _origin(record: Measure) -> tuple[str, str]:
    return record.formula.__module__, record.formula.__qualname__


measures = Registry()
