"""Options that several commands share, and what people type in them."""

from __future__ import annotations

import importlib.util
import math
import os
import re
import sys
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Annotated, Any

import typer

from clustervet._checks import suggestion
from clustervet._memory import memory_limit
from clustervet.cli import emit
from clustervet.cli.files import READ_CODE, WRITTEN, own_code
from clustervet.errors import ClustervetError, ParameterError, Setting
from clustervet.frames.writing import check_writable
from clustervet.labels import show_label
from clustervet.pacmdl import languages
from clustervet.registry import Measure
from clustervet.registry import measures as registry

HELP = {"help_option_names": ["-h", "--help"]}
COLUMNS = "Columns of features, separated by commas or repeated; x* stands for all that match."
# Values in a range at most.
MOST = 10_000
# Parameters that have another name on the command line.
NAMES = {"n_jobs": "jobs", "random_state": "seed", "clusters": "k"}


class MissingChoice(StrEnum):
    """What an empty label does."""

    raise_ = "raise"
    drop = "drop"
    class_ = "class"


class MissingInPairChoice(StrEnum):
    """What an empty label does where two columns are compared."""

    raise_ = "raise"
    drop = "drop"
    class_ = "class"
    absent = "absent"


def takes_text(metric: str) -> bool:
    """Return whether columns of text and dates are features under a metric."""
    from clustervet.geometry.metrics import read_metric

    return read_metric(metric).reads_table


def spell_option(setting: Setting) -> str:
    """Return a parameter as the command line spells it.

    >>> spell_option(Setting("missing", "drop")), spell_option(Setting("shared", True))
    ('--missing drop', '--shared')
    """
    option = f"--{NAMES.get(setting.name, setting.name).replace('_', '-')}"
    if setting.value is None or setting.value is True:
        return option
    if setting.value is False:
        return option.replace("--", "--no-", 1)
    if isinstance(setting.value, dict):
        return f"{option} {' '.join(f'{label}={x}' for label, x in setting.value.items())}"
    return f"{option} {setting.value}"


def complete_measure(incomplete: str) -> list[tuple[str, str]]:
    """Return the measures whose key begins so, for the last of several."""
    head, comma, last = incomplete.rpartition(",")
    return [(head + comma + k, r.title) for k, r in registry.items() if k.startswith(last)]


def _complete_family(incomplete: str) -> list[str]:
    families = {record.family for record in registry.values()}
    return sorted(family for family in families if family.startswith(incomplete))


def _complete_language(incomplete: str) -> list[tuple[str, str]]:
    return [(key, r.meaning) for key, r in languages.items() if key.startswith(incomplete)]


def _complete_model(incomplete: str) -> list[str]:
    from clustervet.inference.nulls import MODELS

    return [name for name in MODELS if name.startswith(incomplete)]


def checked_output(path: str | None) -> str | None:
    """Refuse at once a file that cannot be written."""
    if path is None or path == "-":
        return None
    check_writable(path)
    return path


def checked_journal(path: str | None) -> str | None:
    """Refuse at once a file that no journal can be."""
    if path is not None:
        check_writable(path)
    return path


def checked_table(path: str) -> str:
    """Refuse at once a file that no table can be saved to."""
    from clustervet.contingency.saved import check_target

    check_target(path)
    return path


def checked_report(path: str | None) -> str | None:
    """Refuse at once a file that no report can have."""
    if path is not None:
        from clustervet.report.output import check_target

        check_target(path)
    return path


def _limited(context: typer.Context, size: str | None) -> str | None:
    """Limit the memory of the whole command."""
    context.with_resource(memory_limit(size))
    return size


def listed(values: list[str] | None) -> list[str] | None:
    """Return names separated by commas or repeated; None where there are none."""
    names = [name.strip() for name in ",".join(values or []).split(",") if name.strip()]
    return names or None


def _keys(values: list[str] | None) -> list[str] | None:
    return _nonempty(values, "measures")


def _keys_to_test(values: list[str] | None) -> list[str] | None:
    return _nonempty(values, "measure")


def _nonempty(values: list[str] | None, option: str) -> list[str] | None:
    """Return keys of measures, separated by commas or repeated."""
    if not values:
        return None
    keys = [key.strip() for key in ",".join(values).split(",")]
    if not all(keys):
        raise ParameterError(
            Setting(option), " has an empty name of a measure; leave it out for the usual ones."
        )
    return keys


def noise_policies(given: Sequence[str] | None) -> dict[Any, str] | None:
    """Return policies by label: `drop` is for the label -1, `outlier=drop` for outlier."""
    policies: dict[Any, str] = {}
    for item in given or []:
        label, equals, policy = item.rpartition("=")
        if equals:
            policies[label] = policy
            if label.isascii() and re.fullmatch(r"0|-?[1-9]\d{0,99}", label):
                policies[int(label)] = policy  # typed files hold numbers
        else:
            policies.update({-1: policy, "-1.0": policy})
    if not policies:
        return None
    from clustervet.labels.pair import noise_policies as checked

    return checked(policies, None)


def _refuse_of_score(given: bool) -> bool:
    """Refuse what `score` takes and `report` does not."""
    if given:
        raise ParameterError(
            "report takes no --by, --engine, --cover, --tree or --memberships; `clustervet score` "
            "takes them, and writes such a page with --report FILE."
        )
    return given


def load_object(name: str, what: str, kind: str) -> Any:
    """Import something of the user's own by module:name, from the current folder too.

    The current folder comes last, so that a file there hides no installed package. The file is
    tried all the same if the package of its name does not have what is asked for.
    """
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise ParameterError(f"{what} of your own is module:{kind}, not {show_label(name)!r}.")
    here = os.getcwd()
    sys.path[:] = [*(path for path in sys.path if path not in ("", here)), here]
    try:
        found = importlib.import_module(module)
        if not hasattr(found, attribute):
            found = _own_module(name, found)
        return getattr(found, attribute)
    except ClustervetError:
        raise
    except Exception as error:  # code of the user's own may raise anything
        said = str(error) if isinstance(error, ImportError | AttributeError) else repr(error)
        shown = show_label(said, 200).rstrip(".")
        raise ParameterError(f"{show_label(name)!r} cannot be loaded: {shown}.") from None


def _own_module(name: str, installed: Any) -> Any:
    """Return the module of the current folder that has the name of an installed one, if any."""
    for path in map(os.path.abspath, own_code(name)):
        if os.path.isfile(path) and path != getattr(installed, "__file__", None):
            alias = f"own {installed.__name__}"
            spec = importlib.util.spec_from_file_location(alias, path)
            if spec is not None and spec.loader is not None:
                sys.modules[alias] = found = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(found)
                return found
    return installed


def own_measures(names: Sequence[str] | None) -> list[str]:
    """Import measures of the user's own; return their keys in the registry."""
    keys = []
    for name in names or []:
        if ":" not in name and all(key in registry for key in name.split(",")):
            raise ParameterError(f"measures of clustervet are named by --measures {name}.")
        record = getattr(load_object(name, "a measure", "function"), "record", None)
        if not isinstance(record, Measure):
            raise ParameterError(
                f"{show_label(name)!r} is no measure; decorate the function with "
                "@clustervet.measure."
            )
        keys.append(record.key)
    return keys


def named_objects(names: list[str] | None, what: str, kind: str) -> list[Any] | None:
    """Return names as they are, and objects for module:name; None where there are none."""
    if names is None:
        return None
    return [load_object(name, what, kind) if ":" in name else name for name in names]


def numbers(text: str, option: str) -> list[float]:
    """Return `0.1..1..0.1`, `0.5,1,2` and mixtures of both as numbers; ends are included."""
    found: list[float] = []
    for part in text.split(","):
        ends = [_number(end, text, option) for end in part.split("..")]
        if len(ends) == 1:
            found.append(float(ends[0]))
            continue
        if len(ends) > 3:
            raise _unreadable(text, option)
        low, high, step = (*ends, Decimal(1))[:3]
        if step <= 0 or high < low:
            raise ParameterError(
                f"{option} {show_label(text)} is empty; a range is low..high or low..high..step."
            )
        count = math.floor((high - low) / step) + 1
        if count > MOST:
            raise ParameterError(f"{option} {show_label(text)} has more than {MOST:,} values.")
        found += [float(low + k * step) for k in range(count)]
    return list(dict.fromkeys(found))


def whole_numbers(text: str, option: str) -> list[int]:
    """Return `2..20`, `2..20..2`, `2,3,5` or `2..5,10` as whole numbers."""
    values = numbers(text, option)
    for value in values:
        if not float(value).is_integer():
            raise ParameterError(f"{option} takes whole numbers, not {value:g}.")
    return [int(value) for value in values]


def _number(text: str, whole: str, option: str) -> Decimal:
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        raise _unreadable(whole, option) from None
    if not value.is_finite():
        raise _unreadable(whole, option)
    return value


def _unreadable(text: str, option: str) -> ParameterError:
    return ParameterError(
        f"{option} {show_label(text)!r} is neither a range such as 2..20 or 0.1..1..0.1 nor a "
        "list such as 2,3,5."
    )


def named_numbers(given: Sequence[str] | None, names: Sequence[str]) -> list[float] | None:
    """Return a weight for each name from NAME=X, 1 where none is given; None without any."""
    if not given:
        return None
    weights = dict.fromkeys(names, 1.0)
    for pair in given:
        name, equals, text = pair.rpartition("=")
        if not equals:
            raise ParameterError(f"--weight takes NAME=X, not {show_label(pair)!r}.")
        if name not in weights:
            hint = suggestion(name, names, "see the names that it prints.")
            raise ParameterError(f"--weight names no labeling by {show_label(name)!r}; {hint}")
        try:
            weights[name] = float(text)
        except ValueError:
            raise ParameterError(
                f"the weight of {show_label(name)!r} must be a number, not {show_label(text)!r}."
            ) from None
    return list(weights.values())


Truth = Annotated[
    str | None, typer.Option("--truth", "-t", metavar="COLUMN", help="Column of the classes.")
]
Truths = Annotated[
    list[str] | None,
    typer.Option("--truth", "-t", metavar="COLUMN", help="Column of the classes; repeatable."),
]
Preds = Annotated[
    list[str] | None,
    typer.Option(
        "--pred",
        "-p",
        metavar="COLUMNS",
        help="Columns of clusters, separated by commas or repeated; run* for all that match.",
    ),
]
Format = Annotated[
    emit.Format | None,
    typer.Option(
        "--format",
        "-f",
        help="How to print the answer; by default a table, or what the output file's name says.",
        case_sensitive=False,
    ),
]


def one_measure(text: str) -> Any:
    """Return the option that names one measure."""
    return typer.Option(
        "--measure", "-m", metavar="KEY", help=text, autocompletion=complete_measure
    )


Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measures",
        "-m",
        metavar="KEYS",
        help="Measures to show, separated by commas or repeated; aliases such as vi work.",
        autocompletion=complete_measure,
        callback=_keys,
    ),
]
Family = Annotated[
    list[str] | None,
    typer.Option(
        "--family",
        "--field",
        metavar="NAME",
        help="Only measures of this family, or of a field such as coreference; repeatable.",
        autocompletion=_complete_family,
    ),
]
OwnMeasure = Annotated[
    list[str] | None,
    typer.Option(
        "--measure", metavar="MODULE:FUNCTION", help="A measure of your own to show as well."
    ),
    READ_CODE,
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the answer to a file instead of standard output.",
        callback=checked_output,
    ),
    WRITTEN,
]
Report = Annotated[
    str | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Write a report about it too: .html, .md or .json.",
        callback=checked_report,
    ),
    WRITTEN,
]
# A flag swallows no value, so that the sentence is said whatever follows.
OfScore = Annotated[
    bool,
    typer.Option(
        "--by",
        "--engine",
        "--cover",
        "--tree",
        "--memberships",
        "--true-memberships",
        "--normalize",
        hidden=True,
        callback=_refuse_of_score,
    ),
]
Features = Annotated[
    list[str] | None,
    typer.Option(
        "--features",
        metavar="COLUMNS",
        help=f"{COLUMNS} By default all numeric columns except labels.",
        callback=listed,
    ),
]
AskedFeatures = Annotated[
    list[str] | None,
    typer.Option(
        "--features",
        metavar="COLUMNS",
        help=f"{COLUMNS} By default all numeric columns except labels; with a --truth, none.",
        callback=listed,
    ),
]
Memberships = Annotated[
    list[str] | None,
    typer.Option(
        "--memberships",
        metavar="COLUMNS",
        help="Degrees of membership, one column per cluster, instead of --pred; as in --features.",
        callback=listed,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="COLUMNS",
        help="Numeric columns that are no features, separated by commas or repeated.",
        callback=listed,
    ),
]
Standardize = Annotated[
    bool, typer.Option("--standardize", help="Give every feature mean 0 and variance 1.")
]
RunChoice = Annotated[
    str,
    typer.Option(
        metavar="bound | objective",
        help="What chooses the run: the bound, which pays for that, or the value that the "
        "algorithm itself optimizes, which needs no labels.",
    ),
]
Metric = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Distance between points: euclidean, cosine, ...; gower also takes text and dates.",
    ),
]
AskedMetric = Annotated[
    str | None,
    typer.Option(
        "--metric",
        metavar="NAME",
        help="Distance between points, euclidean by default; gower also takes text and dates.",
    ),
]
Sample = Annotated[
    int | None,
    typer.Option(metavar="N", help="Points to draw for measures that take long on all of them."),
]
Array = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Which array of an NPZ file, or sheet of a workbook, it is."),
]
Delimiter = Annotated[
    str | None, typer.Option(metavar="CHAR", help="Field separator; found out by default.")
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line names the columns."),
]
Noise = Annotated[
    list[str] | None,
    typer.Option(
        "--noise",
        metavar="POLICY | LABEL=POLICY",
        help="What the noise label (-1 unless named) means, in all labelings: keep, drop or "
        "singletons.",
    ),
]
Missing = Annotated[
    MissingChoice,
    typer.Option(help="What an empty label does: stop, drop the object, or be a class."),
]
MissingInPair = Annotated[
    MissingInPairChoice,
    typer.Option(
        "--missing",
        help="What an empty label does: stop, drop the object, be a class, or say that the object "
        "is in the other column alone.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="COLUMN",
        help="Column with one weight per object: as how many it counts.",
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="Join the file of the truth, which comes first, and files of predictions by this "
        "column.",
    ),
]
ByRow = Annotated[
    bool,
    typer.Option("--by-row", help="Pair the rows of files in their order, whatever their ids say."),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="Memory that may be taken, such as 4GB; 0.8 of what there is by default. Grouping "
        "files uses a temporary folder beyond it.",
        callback=_limited,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="What groups the data: duckdb (the default), polars, spark or dask, or a cluster at "
        "spark://host:port, sc://host:port or tcp://host:port.",
    ),
]
Confidence = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Give intervals of this confidence, such as 0.95, and rank several predictions of "
        "one truth by the first measure.",
    ),
]
Resamples = Annotated[
    int,
    typer.Option(
        metavar="N", help="Tables to resample for intervals where there are more than 2,000 cells."
    ),
]
Chance = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="Hold the measures named, or some usual ones, against random clusterings: sizes, "
        "number, all, number_one_sided or all_one_sided.",
        autocompletion=_complete_model,
    ),
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Jobs at once; -1 uses all cores.")
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of everything random.")]
K = Annotated[
    str | None,
    typer.Option("--k", metavar="RANGE", help="Numbers of clusters: 2..20 or 2,3,5."),
]
Algorithms = Annotated[
    list[str] | None,
    typer.Option(
        "--algorithms",
        "-a",
        metavar="NAMES",
        help="kmeans, spherical, frequency_sensitive, hard_movmf, soft_movmf, kl (the default), "
        "ward, gmm, ... or module:class of your own; by commas or repeated.",
    ),
    READ_CODE,
]
Language = Annotated[
    str,
    typer.Option(
        metavar="KEY",
        help="What the bound pays for: simple, init, cluster, algo, permutation, adaptive or "
        "mixture; auto pays for the choices made.",
        autocompletion=_complete_language,
    ),
]
Delta = Annotated[float, typer.Option(metavar="SHARE", help="Probability that the bound may fail.")]
Labelled = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that is true or 1 where the label may be looked at; by default wherever "
        "there is one.",
    ),
]
PossibleLabels = Annotated[
    int | None,
    typer.Option(
        "--labels", metavar="N", help="Number of possible labels, where the data may lack some."
    ),
]
NamedMeasures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="KEY | MODULE:FUNCTION",
        help="Measures to test, separated by commas or repeated, your own included; `all` for "
        "every one.",
        autocompletion=complete_measure,
        callback=_keys_to_test,
    ),
    READ_CODE,
]
