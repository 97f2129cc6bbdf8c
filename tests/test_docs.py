from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path

import clustervet as cv

ROOT = Path(__file__).parent.parent


def test_the_page_of_measures_is_what_the_registry_says() -> None:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    assert page == generate.measures_page(), "run `make docs`"


def test_links_between_documents_lead_somewhere() -> None:
    docs = ROOT / "docs"
    for page in [*ROOT.glob("*.md"), *docs.glob("*.md"), *docs.glob("guide/*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_readme_names_only_measures_that_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"cv\.(\w+)\(", text):
        assert hasattr(cv, name), name
    assert f"all {len(cv.measures.select(kind='external', general=True))} external measures" in text
    assert f"all {len(cv.measures.select(kind='internal', general=True))} internal measures" in text


def test_changelog_counts_the_measures_right() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for kind in ("external", "internal"):
        assert f"{len(cv.measures.select(kind=kind))} {kind} measures" in text


def test_the_site_has_a_page_for_every_measure_and_every_public_name(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    written = dict(importlib.import_module("site_pages").pages())
    assert {f"measures/{key}.md" for key in cv.measures} < set(written)
    purity = written["measures/purity.md"]
    assert "the mean of m over shuffles of pred 1 = 0.8125 should equal" in purity
    assert f"| reference | {cv.measures['purity'].reference} |" in purity
    for name in set(cv.__all__) - set(cv.measures) - set(cv.ROOMS) - {"__version__", "measures"}:
        assert f"\n   {name}\n" in written["reference.md"]


def test_the_first_page_of_the_site_runs(capsys) -> None:
    (block,) = re.findall(
        r"^```python\n(.*?)^```$", (ROOT / "docs" / "index.md").read_text("utf-8"), re.M | re.S
    )
    exec(compile(block, "index.md", "exec"), {})
    assert "adjusted_rand" in capsys.readouterr().out
