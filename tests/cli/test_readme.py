"""Every line of code in the README and on the pages of examples runs and prints what they show."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris, load_wine
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

import clustervet as cv

ROOT = Path(__file__).parents[2]
PAGES = "".join(
    (ROOT / page).read_text(encoding="utf-8")
    for page in ("README.md", "docs/python.md", "docs/commands.md")
)
CONSOLE = re.findall(r"^```console\n(.*?)^```$", PAGES, re.MULTILINE | re.DOTALL)
PYTHON = re.findall(r"^```python\n(.*?)^```$", PAGES, re.MULTILINE | re.DOTALL)
SHOWN = [block[2:].split("\n", 1) for block in CONSOLE if block.startswith("$ clustervet ")]
# But for a cluster that is not there, a change of the user's shell, and what has its own test.
LISTED = [
    line.split("  #")[0].split(" # ")[0].strip()
    for block in CONSOLE
    for line in block.splitlines()
    if line.startswith(("clustervet ", "cat "))
    and not any(word in line for word in ("spark://host:7077", "--install-completion", " warmup"))
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that the pages name."""
    place = tmp_path_factory.mktemp("readme")
    iris, wine = load_iris(), load_wine(as_frame=True)
    species = iris.target_names[iris.target]
    scaled = StandardScaler().fit_transform(iris.data)
    table = pd.DataFrame(
        {
            "species": species,
            "kmeans": KMeans(3, n_init=10, random_state=0).fit_predict(scaled),
            "dbscan": DBSCAN(eps=0.6).fit_predict(scaled),
            "ward": AgglomerativeClustering(3).fit_predict(scaled),
            "mixture": GaussianMixture(3, n_init=5, random_state=0).fit_predict(scaled),
        }
    )
    table = table.assign(y=table["species"], a=table["kmeans"], b=table["ward"], c=table["mixture"])
    table["mask"] = np.arange(len(table)) % 2
    table["known"] = table["y"].where(table["y"] == "setosa")
    table.to_csv(place / "table.csv", index=False)
    table.to_parquet(place / "table.parquet")
    table[["a", "b", "c"]].to_csv(place / "runs.csv", index=False)
    columns = table.assign(object=range(len(table)), run1=table["a"], run2=table["b"])
    columns.to_csv(place / "table.csv", index=False)
    columns.drop(columns=["c"]).melt(
        ["object", "y"], ["run1", "run2"], var_name="run", value_name="c"
    ).to_csv(place / "long.csv", index=False)
    table[["y", "c"]].to_parquet(place / "shard.parquet")
    points = pd.DataFrame(scaled, columns=["x1", "x2", "x3", "x4"])
    points.to_csv(place / "points.csv", index=False)
    counts = np.arange(len(points)) % 3 + 1
    labelled = points.assign(kmeans=table["kmeans"], count=counts)
    labelled.to_parquet(place / "points.parquet")
    np.save(place / "points.npy", scaled)
    np.savez(place / "points.npz", X=scaled, y=species)
    np.savez(place / "irises.npz", X=iris.data, species=species)
    np.save(place / "Z.npy", linkage(scaled, "ward"))
    wine.frame.rename(columns={"target": "class"}).to_csv(place / "wine.csv", index=False)
    people = {"age": [21, 25, 24, 30, 22, 61, 58, 66, 60, 59] * 3, "city": list("OOROOBBBRB") * 3}
    pd.DataFrame({**people, "c": [0, 0, 0, 0, 0, 1, 1, 1, 1, 1] * 3}).to_csv(
        place / "people.csv", index=False
    )
    (place / "lake").mkdir()
    for part in range(2):
        rows = points.join(table).iloc[part::2]
        rows.to_parquet(place / "lake" / f"{part}.parquet")
    (place / "suite").mkdir()
    for name in ("flowers", "petals"):
        columns = iris.data if name == "flowers" else iris.data[:, 2:]
        np.savetxt(place / "suite" / f"{name}.data.gz", columns)
        np.savetxt(place / "suite" / f"{name}.labels0.gz", iris.target + 1, fmt="%d")
    subjects = {"garden": "soil seed leaf rain", "kitchen": "salt pan oven dough"}
    generator = np.random.default_rng(0)
    pd.DataFrame(
        [
            {"folder": subject, "body": " ".join(generator.choice(words.split(), 6))}
            for subject, words in subjects.items()
            for _ in range(20)
        ]
    ).to_csv(place / "mails.csv", index=False)
    (place / "found.csv").write_text("object,group\n0,x\n1,x\n1,y\n2,y\n3,\n")
    (place / "a.nwk").write_text("((a:1,b:1):2,(c:2,d:2):1);\n")
    (place / "b.nwk").write_text("((a:1,c:1):2,(b:2,d:2):1);\n")
    degrees = generator.dirichlet(np.ones(3), (2, 60))
    soft = dict(
        zip([f"{side}{k}" for side in "pq" for k in range(3)], np.hstack(degrees).T, strict=True)
    )
    soft |= {f"x{k}": generator.normal(size=60) for k in range(2)}
    pd.DataFrame(soft).to_csv(place / "soft.csv", index=False)
    (place / "my_module.py").write_text(
        "import clustervet as cv\n\n\n"
        "@cv.measure(title='Share', family='mine', better='lower', bounds=(0, 1))\n"
        "def singleton_share(table):\n    return (table.cluster_sizes == 1).mean()\n\n\n"
        "my_measure = singleton_share\n"
    )
    return place


@pytest.fixture
def inside(folder, monkeypatch):
    """Work in the folder, and forget the measures that a user adds there."""
    before = dict(cv.measures)
    monkeypatch.chdir(folder)
    (folder / "run.db").unlink(missing_ok=True)
    yield folder
    for name in set(cv.measures) - set(before):
        cv.measures.remove(name)


@pytest.mark.parametrize(("command", "answer"), SHOWN, ids=[command for command, _ in SHOWN])
def test_commands_print_what_the_pages_show(run, inside, command, answer):
    ran = run(*shlex.split(command)[1:])
    assert ran.code == 0, ran.err
    assert ran.out.startswith(answer.rstrip() + "\n")


@pytest.mark.parametrize("command", LISTED)
def test_commands_of_the_pages_run(run, inside, command):
    if command == "clustervet score truth.csv pred.csv":
        (inside / "truth.csv").write_text("cat\ncat\ndog\n")
        (inside / "pred.csv").write_text("0\n0\n1\n")
    elif "--cover" in command:
        (inside / "truth.csv").write_text("object,group\n0,x\n1,x\n2,y\n3,y\n")
    elif "truth.csv" in command:
        table = pd.read_csv("table.csv")
        columns = table[["y", "c"]].assign(key=range(len(table)))
        columns[["key", "y"] if "--id" in command else ["y"]].to_csv("truth.csv", index=False)
        columns[["key", "c"]].to_parquet("pred.parquet")
    if " drift " in command:
        for month in ("jan", "feb"):
            table = pd.DataFrame({"customer": range(9), "segment": list("aaabbbccc")})
            table.to_csv(f"{month}.csv", index=False)
        points = pd.DataFrame({"x1": range(9), "x2": range(9), "segment": list("aaabbbccc")})
        points.to_csv("old.csv", index=False)
        points[["x1", "x2"]].to_csv("new.csv", index=False)
    stdin = b""
    if command.startswith("cat "):
        name, command = re.fullmatch(r"cat (\S+) \| (.*)", command).groups()
        stdin = Path(name).read_bytes()
    arguments = shlex.split(command)[1:]
    if arguments[0] == "select":  # with fewer fits than by default
        arguments += ["--runs", "1"]
    if "shard*.json" in arguments:  # The line before it makes one.
        (build,) = (line for line in LISTED if " table build " in line)
        assert run(*shlex.split(build)[1:]).code == 0
        arguments[2:3] = ["shard.json"]
    ran = run(*arguments, stdin=stdin)
    assert ran.code == 0, ran.err
    assert ran.out or any(word in arguments for word in ("-o", "--report"))


@pytest.fixture
def names():
    """What the lines of Python stand on."""
    iris = load_iris()
    keep = np.arange(0, 150, 3)
    points, y = iris.data[keep], np.array(list("abc"))[iris.target[keep]]
    runs = [KMeans(3, n_init=1, random_state=seed).fit_predict(points) for seed in range(6)]
    a, b = runs[0], AgglomerativeClustering(3).fit_predict(points)
    c = DBSCAN(eps=0.8).fit_predict(points)
    table = cv.Contingency.from_labels(y, a)
    return {
        "cv": cv,
        **{"X": points, "X2": points[:, 2:], "y": y, "y2": y, "truth": y, "species": y},
        **{"pred": a, "labels": a, "others": b, "colour": b, "a": a, "b": b, "c": c},
        **{"labelings": runs, "table": table, "table_of_monday": table, "table_of_tuesday": table},
        "D": np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2)),
        "counts": np.random.default_rng(0).poisson(points),
        "frame": pd.DataFrame({"y": y, "c": c}),
        "labelled": np.arange(len(y)) % 2 == 0,
        "linkage": linkage,
        "model": GaussianMixture(3, random_state=0).fit(points),
        "tf_idf": np.eye(60)[:, :40] + 0.01,
        "MyClusterer": lambda: KMeans(3, n_init=1, random_state=0),
    }


@pytest.mark.parametrize("block", PYTHON, ids=[block.splitlines()[0] for block in PYTHON])
def test_python_of_the_pages_runs(inside, names, block, monkeypatch):
    # Fewer fits than by default.
    monkeypatch.setattr(cv.select, "__defaults__", (("kmeans", "kl"), None, 1))
    monkeypatch.setitem(cv.PacMdlSearch.__init__.__kwdefaults__, "runs", 1)
    exec(compile(block, "page", "exec"), names)


def test_values_in_the_readme_are_those_of_the_calls(inside):
    names = {}
    exec(compile(PYTHON[0], "README.md", "exec"), names)
    values = dict(re.findall(r"^(cv\.\w+\(truth, pred\))  # (\d\.\d+)", PYTHON[0], re.MULTILINE))
    assert len(values) == 2
    for call, value in values.items():
        assert f"{eval(call, names):.4f}" == value
    assert (inside / "report.html").stat().st_size > 100_000


def test_the_readme_can_be_read_in_five_minutes():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150
