"""The cases: every command in every format, typical errors, and displays in Python."""

from __future__ import annotations

import shlex

from displays import DISPLAYS
from recorder import Case

FORMATS = ("table", "json", "csv", "markdown")
COMMANDS = (
    "score",
    "estimate",
    "measures",
    "demo",
    "tune",
    "select",
    "benchmark",
    "bound",
    "compare",
    "tree",
    "report",
    "lab",
    "lab text",
    "lab desiderata",
    "lab dom",
    "lab axioms",
    "lab advise",
    "table",
    "table build",
    "table merge",
)

# Each is run in every format, and once on a terminal.
ANSWERS = {
    "score-all": "score table.csv -t kind -p kmeans",
    "score-several": "score table.csv -t kind -p kmeans -p ward -p hdbscan -m ari,vi,purity",
    "score-truths": "score table.csv -t kind -t size -p kmeans -p ward -m ari,vi",
    "score-family": "score table.csv -t kind -p kmeans --family information",
    "score-undefined": "score alone.csv -t all -p one -m ari,nmi,vi,dom_q2,v_measure",
    "score-hostile": "score hostile.csv -t '<i>truth</i>|' -p '=pred|[b]' -m ari,vi --diagnose"
    " --delimiter ,",
    "score-confidence": "score table.csv -t kind -p kmeans -p ward -m vi,ari --confidence 0.9"
    " --resamples 200 --seed 1",
    "score-confidence-one": "score table.csv -t kind -p kmeans -m vi,nmi --confidence 0.95"
    " --resamples 200 --seed 1",
    "score-chance": "score table.csv -t kind -p kmeans -p ward --chance sizes --seed 1",
    "score-chance-one": "score table.csv -t kind -p kmeans -m ari,vi --chance number --seed 1",
    "score-diagnose": "score table.csv -t kind -p kmeans -p ward -m vi --diagnose",
    "score-everything": "score table.csv -t kind -p kmeans -p ward -m ari,vi"
    " --confidence 0.95 --resamples 200 --chance sizes --diagnose --seed 2",
    "score-features": "score points.csv --features x1,x2,x3 -p kmeans -p ward",
    "score-both": "score points.csv --features 'x*' -t kind -p kmeans -p ward -m"
    " ari,silhouette,vi,ssq",
    "score-joined": "score ids_truth.csv ids_pred.csv --id id -t kind -p kmeans -p ward -m ari,vi",
    "measures-all": "measures",
    "measures-family": "measures --family pairs",
    "measures-vi": "measures vi",
    "measures-silhouette": "measures silhouette",
    "demo": "demo",
    "tendency": "tendency points.csv --features x1,x2,x3",
    "stability": "stability points.csv --features x1,x2,x3 --k 4 --samples 10",
    "drift": "drift runs.csv --labels a,b",
    "drift-chain": "drift runs.csv --labels a,b,c",
    "drift-shares": "drift runs.csv --labels a,b --objects new",
    "tune-kmeans": "tune points.csv --features x1,x2,x3 --k 2..6",
    "tune-bootstrap": "tune points.csv --features x1,x2,x3 --k 2..5 -m silhouette,ssq"
    " --bootstrap 3",
    "tune-dbscan": "tune points.npy -e dbscan --parameter eps --values 0.5..2.5..0.5",
    "tune-cloud": "tune cloud.csv --k 2..6",
    "select": "select points.npz --label kind -a kmeans,ward --k 2..4 --runs 2",
    "select-labelled": "select points.csv --label kind --features x1,x2,x3 --labelled seen"
    " -a kmeans --k 3,4 --runs 1 --delta 0.2",
    "select-gaps": "select part_labelled.csv --label kind --features x1,x2,x3 -a kmeans --k 3"
    " --runs 2",
    "select-text": "select mails.csv --text body --label folder -a spherical,kl --k 2,3 --runs 2"
    " --neighbours 2",
    "benchmark": "benchmark suite --label kind -a kmeans,ward,dbscan --runs 3",
    "benchmark-range": "benchmark suite --label kind -a kmeans,single --runs 2 --k 2..4 -m ari"
    " --posthoc wilcoxon --rope 0.01",
    "estimate": "estimate part_labelled.csv -t kind -p kmeans --sample objects --width 0.1",
    "estimate-rough": "estimate part_labelled.csv -t kind -p ward --sample clusters"
    " --sampling size",
    "score-columns": "score table.csv -t kind -p 'kmeans,h*' -m ari,vi --confidence 0.9",
    "score-by": "score table.csv -t kind -p kmeans --by size -m ari,vi",
    "bound": "bound points.csv -t kind -p kmeans --labelled seen",
    "bound-gaps": "bound part_labelled.csv -t kind -p ward",
    "bound-searched": "bound points.csv -t kind -p ward --labelled seen --language mixture --runs 3"
    " --algorithms 2 --searched --k 5 --delta 0.05 --labels 4",
    "compare": "compare runs.csv --labels a,b,c,d,e,f",
    "tree": "tree points.csv -t kind --linkage merges.npy -m ari,vi",
    "tree-levels": "tree nested.csv -t kind -l group,part -m purity",
    "compare-files": "compare runs/a.csv runs/b.csv runs/c.csv runs/e.csv --no-header --query"
    " query.csv"
    " --nearest 2",
    "compare-options": "compare runs.csv --groups 3 -m mirkin --weight a=2,b=0.5 --starts 3"
    " --seed 4",
    "compare-shared": "compare runs_gaps.csv --shared",
    "lab-desiderata": "lab desiderata -m rand,vi,dom_q2 --classes 3 --useful 2..4 --noise 0..1"
    " --error-useful 0,0.1 --error-noise 0,0.1",
    "lab-desiderata-failures": "lab desiderata -m rand,purity --classes 3 --useful 2..4 --noise"
    " 0..1"
    " --error-useful 0,0.1 --error-noise 0,0.1 --failures -n 60",
    "lab-dom": "lab dom -m rand -n 100",
    "lab-axioms": "lab axioms -m vi,purity",
    "lab-axioms-one": "lab axioms -m purity -p constant_baseline",
    "lab-axioms-fresh": "lab axioms -m snapshot_own:singleton_share -p symmetry -p triangle",
    "lab-advise": "lab advise --need metric --need 'different n'",
    "lab-advise-among": "lab advise -n chance-adjusted -n metric -m ari,vi,purity",
    "lab-text": "lab text --data corpora --sets classic3,classic2 -a spherical,kmeans --k 2..3"
    " --runs 1 --shares 0.3,0.5 --neighbours 3",
}

# What takes seconds, and looks the same on a terminal.
SLOW = ("lab-dom",)

# Each is run once, as it is.
CALLS = {
    "version": "--version",
    "nothing": "",
    "lab-nothing": "lab",
    "score-two-files": "score truth.csv pred.csv -m ari",
    "score-two-files-guessed-name": "score truth.csv named.csv -m ari",
    "score-two-files-no-header": "score truth.csv pred.csv -m ari --no-header",
    "score-two-columns": "score two.csv -m ari",
    "score-delimiter": "score semicolons.csv --delimiter ';' --no-header -t 1 -p 2 -m ari",
    "score-stdin": "score - -t kind -p kmeans -m ari,vi",
    "score-parquet": "score table.parquet -t kind -p kmeans -m ari,vi",
    "score-jsonl": "score table.jsonl -t kind -p kmeans -m ari,vi",
    "score-npz": "score points.npz -t kind -p kmeans -m ari",
    "score-lake": "score 'lake/*.parquet' -t kind -p kmeans -p ward -m ari --memory-limit 1GB",
    "score-lake-confidence": "score lake -t kind -p kmeans -p ward -m ari --confidence 0.9"
    " --resamples 100 --seed 1 --diagnose",
    "score-engine": "score table.csv -t kind -p kmeans -m ari,vi --engine duckdb --chance sizes"
    " --seed 1",
    "score-engine-truths": "score table.csv -t kind -t size -p kmeans -m ari --engine duckdb",
    "score-two-parquets": "score table.parquet table.parquet -t kind -p kmeans -m ari",
    "score-counts": "score counts0.json -m ari,vi --diagnose",
    "score-counts-parquet": "score counts1.parquet -m ari,vi --confidence 0.9 --resamples 100"
    " --seed 1",
    "score-counts-json": "score counts0.json -m ari,vi --diagnose --chance all -f json --seed 1",
    "score-weights": "score table.csv -t kind -p kmeans -p ward -m ari,vi --weights weight",
    "score-weights-real": "score table.csv -t kind -p kmeans -m ari,vi --weights share",
    "score-weights-real-json": "score table.csv -t kind -p kmeans --weights share -f json",
    "score-noise-drop": "score table.csv -t kind -p kmeans -p hdbscan -m ari,vi --noise drop",
    "score-noise-singletons": "score table.csv -t kind -p hdbscan -m ari,vi --noise singletons",
    "score-noise-named": "score table.csv -t kind -p kmeans -m ari,vi --noise owl=drop",
    "score-noise-drop-ranked": "score table.csv -t kind -p kmeans -p hdbscan -m ari --noise drop"
    " --confidence 0.9 --resamples 100 --seed 1",
    "score-missing-drop": "score gaps.csv -t kind -p kmeans -p ward -m ari,vi --missing drop",
    "score-missing-drop-json": "score gaps.csv -t kind -p kmeans -m ari,vi --missing drop -f json",
    "score-missing-class": "score gaps.csv -t kind -p kmeans -m ari,vi --missing class",
    "score-own": "score table.csv -t kind -p kmeans -m ari --measure snapshot_own:singleton_share",
    "score-own-json": "score table.csv -t kind -p kmeans -m ari"
    " --measure snapshot_own:singleton_share -f json",
    "score-chance-all": "score table.csv -t kind -p kmeans -m ari,purity --chance all --seed 1",
    "score-chance-one-sided": "score table.csv -t kind -p kmeans -m nmi --chance number_one_sided"
    " --seed 1",
    "score-perfect": "score alone.csv -t kind -p kind --diagnose --chance sizes --seed 1",
    "score-each-alone": "score alone.csv -t kind -p each --diagnose",
    "score-iris": "score iris.csv -t species -p kmeans -p ward -p mixture -p dbscan -m ari"
    " --confidence 0.95"
    " --resamples 200 --seed 1",
    "score-features-guessed": "score points.csv -p kmeans -m silhouette,bic",
    "score-features-noise": "score points.csv --features x1,x2 -p hdbscan -p kmeans"
    " -m silhouette,davies_bouldin --noise drop",
    "score-features-two-files": "score points.npy point_labels.csv --features '*' -p kmeans -p ward"
    " -m silhouette",
    "score-features-cosine": "score points.parquet --features x1,x2 -p kmeans -m silhouette"
    " --metric cosine",
    "score-features-sample": "score points.csv --features x1,x2 -p kmeans -m silhouette --sample 20"
    " --seed 1",
    "score-features-sample-json": "score points.csv --features x1,x2 -p kmeans -m silhouette"
    " --sample 20 --seed 1 -f json",
    "score-features-sure": "score points.csv --features x1,x2,x3 -p kmeans -p ward"
    " -m silhouette,dunn,ssq --confidence 0.95",
    "score-features-lake": "score 'shards/*.parquet' --features 'x*' -p kmeans -p ward"
    " -m ssq,silhouette,davies_bouldin",
    "score-output-json": "score table.csv -t kind -p kmeans -m ari,vi -o out.json",
    "score-output-csv": "score table.csv -t kind -p kmeans -m ari,vi -o out.csv",
    "score-output-markdown": "score table.csv -t kind -p kmeans -m ari,vi -o out.md",
    "score-output-text": "score table.csv -t kind -p kmeans -m ari,vi -o out.txt",
    "score-output-format": "score table.csv -t kind -p kmeans -m ari,vi -o out.txt -f csv",
    "measures-output": "measures ari -o card.md",
    "tune-standardized": "tune points.csv --k 2..6 --standardize"
    " --exclude kmeans,ward,hdbscan,seen",
    "tune-labels": "tune points.csv --features x1,x2,x3 --k 2..8 -m silhouette,ssq"
    " --labels labels.csv -o tuned.json",
    "tune-own": "tune points.npy -e snapshot_own:Own --k 2..4 -m silhouette",
    "tune-ward": "tune points.parquet --features x1,x2 -e ward --k 2..5 -m"
    " gap_statistic,silhouette",
    "tune-sample": "tune points.npz --array X --k 2..4 -m silhouette --sample 20 --metric cosine",
    "select-predictions": "select points.csv --label kind --features x1,x2,x3 -a kmeans --k 3"
    " --runs 1 --predictions predicted.csv -o chosen.csv",
    "select-folder": "select texts -a spherical --k 3 --runs 2 --predictions predicted.csv",
    "select-text-labelled": "select mails.csv --text body --label folder --labelled seen"
    " -a spherical --k 3 --runs 1 --weighting counts",
    "select-journal": "select points.npz --label kind -a kmeans --k 3 --runs 1 --journal run.db",
    "select-own": "select points.npz --label kind -a snapshot_own:Own --k 3 --runs 1 --train 20",
    "select-guessed": "select points.csv --label kind -a kmeans --k 3 --runs 1 --language simple",
    "bound-noise": "bound points.csv -t kind -p hdbscan --labelled seen --noise singletons",
    "bound-output": "bound points.csv -t kind -p kmeans --labelled seen -o bound.md",
    "compare-consensus": "compare runs.csv --labels a,b,c --consensus together.csv -o"
    " compared.json",
    "compare-consensus-dropped": "compare runs_gaps.csv --missing drop --consensus together.csv",
    "compare-guessed": "compare runs.csv",
    "compare-stdin": "compare - --labels kmeans,ward,kind",
    "table-build": "table build table.csv -t kind -p kmeans -o built.json",
    "table-build-parquet": "table build lake -t kind -p ward -o built.parquet",
    "table-build-weights": "table build table.csv -t kind -p kmeans --weights share -o built.json",
    "table-build-joined": "table build ids_truth.csv ids_pred.csv --id id -t kind -p kmeans"
    " -o built.json",
    "table-merge": "table merge counts0.json counts1.parquet -o whole.json",
    "lab-desiderata-own": "lab desiderata -m snapshot_own:plain --classes 3 --useful 2..3 --noise 0"
    " --error-useful 0,0.1 --error-noise 0",
    "lab-axioms-output": "lab axioms -m ari -p symmetry -o matrix.json",
}

# Each is run once for a page as Markdown, as JSON and as HTML, but for SUFFIXES.
REPORTS = {
    "report": "report table.csv -t kind -p kmeans -p ward -m ari,vi -o FILE",
    "report-all": "report points.csv -t kind -p kmeans -p ward --features 'x*' --title"
    " 'Three & <four>' -o FILE",
    "report-one": "report table.csv -t kind -p kmeans -o FILE",
    "report-features": "report points.csv --features x1,x2 -p kmeans -p ward -o FILE",
    "report-dropped": "report table.csv -t kind -p kmeans -p hdbscan --noise drop -m ari,vi -o"
    " FILE",
    "report-hostile": "report hostile.csv -t '<i>truth</i>|' -p '=pred|[b]' -m ari,vi -o FILE"
    " --delimiter ,",
    "tune-page": "tune points.csv --features x1,x2,x3 --k 2..5 --report FILE -o answer.txt",
    "tune-bootstrap-page": "tune points.csv --features x1,x2 --k 2..4 -m silhouette,ssq"
    " --bootstrap 3"
    " --report FILE -o answer.txt",
    "select-page": "select points.npz --label kind -a kmeans,ward --k 2..3 --runs 2 --report FILE"
    " -o answer.txt",
    "benchmark-page": "benchmark suite --label kind -a kmeans,ward --runs 2 --report FILE"
    " -o answer.txt",
    "bound-page": "bound points.csv -t kind -p kmeans --labelled seen --report FILE -o answer.txt",
    "compare-page": "compare runs.csv --labels a,b,c,e --report FILE -o answer.txt",
    "tree-page": "tree points.csv -t kind --linkage merges.npy -m ari --report FILE -o answer.txt",
    "lab-desiderata-page": "lab desiderata -m rand,vi --classes 3 --useful 2..4 --noise 0..1"
    " --error-useful 0,0.1 --error-noise 0,0.1 --report FILE -o answer.txt",
    "lab-dom-page": "lab dom -m rand -n 100 --report FILE -o answer.txt",
    "lab-axioms-page": "lab axioms -m vi,purity,ari --report FILE -o answer.txt",
}

# Pages that are recorded in some forms only, since others are much like them or they take seconds.
SUFFIXES = {
    "report": ("md", "json"),
    "report-one": ("md", "json"),
    "report-dropped": ("md", "json"),
    "tune-bootstrap-page": ("md", "json"),
    "lab-dom-page": ("json", "html"),
}

ERRORS = {
    "command": "scores table.csv",
    "option": "score table.csv --thruth kind",
    "file": "score nowhere.csv -t kind -p kmeans",
    "files": "score nowhere.csv pred.csv",
    "pattern": "score 'nowhere/*.parquet' -t kind -p kmeans",
    "empty": "score empty.csv -t kind -p kmeans",
    "column": "score table.csv -t knid -p kmeans",
    "column-parquet": "score table.parquet -t kind -p kmean",
    "no-columns": "score table.csv",
    "measure": "score table.csv -t kind -p kmeans -m adjusted_rnad",
    "measure-far": "score table.csv -t kind -p kmeans -m zzz",
    "measure-empty": "score table.csv -t kind -p kmeans -m ari,,vi",
    "measure-inner": "score table.csv -t kind -p kmeans -m silhouette",
    "measure-own": "score table.csv -t kind -p kmeans --measure snapshot_own:plain",
    "measure-own-absent": "score table.csv -t kind -p kmeans --measure nowhere:at_all",
    "family": "score table.csv -t kind -p kmeans --family pears",
    "lengths": "score truth.csv short.csv",
    "three-files": "score truth.csv pred.csv short.csv",
    "missing": "score gaps.csv -t kind -p kmeans",
    "noise": "score table.csv -t kind -p hdbscan --noise dorp",
    "format": "score table.csv -t kind -p kmeans -f xml",
    "confidence": "score table.csv -t kind -p kmeans --confidence 95",
    "resamples": "score table.csv -t kind -p kmeans --confidence 0.9 --resamples -3",
    "chance": "score table.csv -t kind -p kmeans --chance size",
    "chance-truths": "score table.csv -t kind -t size -p kmeans --chance sizes",
    "diagnose-features": "score points.csv --features x1 -p kmeans --diagnose",
    "weights": "score table.csv -t kind -p kmeans --weights size",
    "features": "score points.csv --features kind -p kmeans",
    "metric": "score points.csv --features x1 -p kmeans --metric euclidian",
    "engine": "score table.csv -t kind -p kmeans --engine dukcdb",
    "memory": "score table.csv -t kind -p kmeans --memory-limit lots",
    "id": "score ids_truth.csv ids_pred.csv --id key -t kind -p kmeans",
    "saved": "score counts0.json -t kind",
    "output": "score table.csv -t kind -p kmeans -o nowhere/out.json",
    "seed": "score table.csv -t kind -p kmeans --seed -1",
    "measures": "measures purty",
    "tune-range": "tune points.csv --k 5..2",
    "tune-words": "tune points.csv --k two",
    "tune-estimator": "tune points.csv -e kmaens --k 2..3",
    "tune-parameter": "tune points.csv -e dbscan --parameter eps",
    "tune-no-labels": "tune cloud.csv --k 2..6 --labels labels.csv",
    "tune-measure": "tune points.csv --k 2..3 -m ari",
    "tune-text": "tune truth.csv --k 2..3",
    "select-label": "select points.csv --k 3",
    "select-algorithm": "select points.npz --label kind -a kmaens --k 3",
    "select-train": "select points.npz --label kind -a kmeans --k 3 --train half",
    "select-resume": "select points.npz --label kind -a kmeans --k 3 --journal none.db --resume",
    "select-folder": "select texts --label kind",
    "benchmark-label": "benchmark suite -a kmeans",
    "bound-option": "bound points.csv -t kind",
    "bound-mask": "bound points.csv -t kind -p kmeans --labelled kmeans",
    "bound-language": "bound points.csv -t kind -p kmeans --labelled seen --language simpel",
    "bound-delta": "bound points.csv -t kind -p kmeans --labelled seen --delta 2",
    "bound-all": "bound points.csv -t kind -p kmeans",
    "tree-nested": "tree nested.csv -t kind",
    "tree-length": "tree nested.csv -t kind --linkage short.npy",
    "tree-matrix": "tree points.csv -t kind --linkage points.npy",
    "compare-one": "compare runs.csv --labels a",
    "compare-column": "compare runs.csv --labels a,bb",
    "compare-groups": "compare runs.csv --labels a,b,c --groups 9",
    "compare-weight": "compare runs.csv --labels a,b,c --weight aa=2",
    "compare-nearest": "compare runs.csv --labels a,b,c --nearest 2",
    "compare-similarity": "compare runs.csv --labels a,b,e -m ari",
    "compare-gaps": "compare runs_gaps.csv",
    "report-suffix": "report table.csv -t kind -p kmeans -o page.pdf",
    "report-pred": "report table.csv -t kind -o page.md",
    "report-column": "report table.csv -t kind -p kmaens -o page.md",
    "report-folder": "report table.csv -t kind -p kmeans -o nowhere/page.md",
    "table-suffix": "table build table.csv -t kind -p kmeans -o built.xlsx",
    "table-preds": "table build table.csv -t kind -p kmeans -p ward -o built.json",
    "table-merge": "table merge table.csv -o whole.json",
    "lab-property": "lab axioms -m vi -p symmetri",
    "lab-need": "lab advise --need metrics",
    "lab-no-need": "lab advise",
    "lab-grid": "lab desiderata -m rand --error-useful 2",
    "lab-corpora": "lab text --data texts",
    "lab-corpus": "lab text --data corpora --sets classic9",
}


def _stdin(words: str) -> bytes:
    """A table on standard input where the call reads one."""
    if " - " not in f" {words} ":
        return b""
    rows = ["kind,kmeans,ward", "cat,0,0", "cat,0,0", "cat,1,0", "dog,1,1", "dog,1,2", "dog,1,2"]
    return "\n".join(rows).encode()


def _called(words: str, *more: str, terminal: bool = False) -> Case:
    return Case((*shlex.split(words), *more), _stdin(words), terminal)


def _every() -> dict[str, Case]:
    found = {"help": _called("--help")}
    for command in COMMANDS:
        found[f"help-{command.replace(' ', '-')}"] = _called(command, "--help")
    for name, words in ANSWERS.items():
        for form in FORMATS:
            found[f"{name}.{form}"] = _called(words, "-f", form)
        if name not in SLOW:
            found[f"{name}.terminal"] = _called(words, terminal=True)
    for name, words in CALLS.items():
        found[name] = _called(words)
    for name, words in REPORTS.items():
        for suffix in SUFFIXES.get(name, ("md", "json", "html")):
            found[f"{name}.{suffix}"] = _called(words.replace("FILE", f"page.{suffix}"))
    for name, words in ERRORS.items():
        found[f"error-{name}"] = _called(words)
    for name, display in DISPLAYS.items():
        found[f"python-{name}"] = Case(display=display)
    return found


CASES = _every()
