"""Report pages of hostile labels, columns and titles, opened in a real browser without network."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from fuzz.cases import Case, Kind, Verdict, failed, right
from fuzz.grammar import delimited
from fuzz.rooms import Job, Room, crowded, run_command

if TYPE_CHECKING:
    from playwright.sync_api import Dialog

PATIENCE = 60_000
TEXTS = (
    "<script>window.hacked=1</script>", "</script><script>window.hacked=1</script>",
    '"><img src=x onerror="window.hacked=1">', "'><svg onload=window.hacked=1>",
    "javascript:window.hacked=1", "<iframe src=javascript:parent.hacked=1>", "</style><script>",
    "<style>*{display:none}</style>", "<a href=javascript:hacked=1>x</a>",
    "<base href=//evil.test>",
    "<meta http-equiv=refresh content=0;url=//evil.test>", "<link rel=stylesheet href=//evil.test>",
    "<img src=//evil.test/x.png>", "url(//evil.test)", "</textarea><script>hacked=1</script>",
    "<!--", "-->", "<![CDATA[", "]]>", "</title><script>window.hacked=1</script>", "&lt;b&gt;",
    "{{constructor.constructor('window.hacked=1')()}}", "${window.hacked=1}", "%{y}", "$x^2$",
    "\u202eright to left", "\u2066\u2067\u2068", "\u200b", "\u2028\u2029", "\x07bell",
    "__proto__", "constructor", "toString", "NaN", "null", "undefined", "#", "?", "/", ".",
    "x" * 3000, "é" * 300, "\U0001f600", "a b", "'", '"', "\\", "`", "<", ">", "&", "<br>", "=1+1",
)  # fmt: skip


def draw(rng: random.Random) -> Case:
    """Draw a table of hostile names, and a command that makes a page of it."""
    texts = rng.sample(TEXTS, 9)
    classes, clusters = texts[:3], rng.sample(TEXTS, 3)
    rows = 60
    truth = [rng.randrange(3) for _ in range(rows)]
    preds = [[t if rng.random() < 0.7 else rng.randrange(3) for t in truth] for _ in range(2)]
    columns: dict[str, list[Any]] = {
        texts[3]: [classes[t] for t in truth],
        texts[4]: [clusters[p] for p in preds[0]],
        texts[5]: [clusters[p] for p in preds[1]],
        texts[6]: [round(t + rng.gauss(0, 0.4), 4) for t in truth],
        texts[7]: [round(rng.gauss(0, 1), 4) for _ in truth],
    }
    names = list(columns)
    labels = ["-t", names[0], "-p", names[1], "-p", names[2]]
    argv = rng.choice((
        ["report", "table.csv", *labels, "--title", texts[8], "-o", "../out/page.html"],
        ["report", "table.csv", *labels, "--features", f"{names[3]}", "--title", texts[8],
         "-o", "../out/page.html"],
        ["score", "table.csv", *labels, "--diagnose", "--report", "../out/page.html"],
        ["compare", "labels.csv", "--report", "../out/page.html"],
    ))  # fmt: skip
    files = {
        "table.csv": delimited(columns),
        "labels.csv": delimited({name: columns[name] for name in names[:3]}),
    }
    return Case("pages", {"argv": argv}, files)


def run(case: Case, room: Room) -> Verdict:
    """Make the page, open it, use it, and see whether it does anything that it must not."""
    verdict, _ = run_command(room, case, Job(case.recipe["argv"]), ["out/page.html"])
    if verdict.outcome != "right":
        return verdict
    said = opened(room)
    if said:
        return failed(f"the page: {said[0][:200]}", "\n".join([verdict.shown, *said]))
    return right()


def opened(room: Room) -> list[str]:
    """Return everything that a page does beside showing itself."""
    context = room.browser().new_context(viewport={"width": 1000, "height": 900})
    context.set_default_timeout(PATIENCE * crowded())
    said: list[str] = []
    path = (room.outputs / "page.html").as_uri()

    def refuse(route: Any) -> None:
        if route.request.url.partition("#")[0] == path:
            route.continue_()
        else:
            said.append(f"it asks for {route.request.url[:100]}")
            route.abort()

    def dismiss(dialog: Dialog) -> None:
        said.append("a dialog")
        dialog.dismiss()

    context.route("**/*", refuse)
    page = context.new_page()
    page.on("console", lambda message: said.append(f"it says on the console: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"an error: {error}"))
    page.on("dialog", dismiss)
    context.on("page", lambda other: said.append("it opens a window") if other != page else None)
    try:
        page.goto(path)
        # Figures in folded parts are drawn when these are opened.
        page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        keys = page.eval_on_selector_all("[id$='-plot']", "all => all.map(x => x.id)")
        for key in keys[:6]:
            page.evaluate("id => document.getElementById(id).scrollIntoView()", key)
            page.wait_for_selector(f"[id='{key}'][data-drawn]", state="attached")
        for button in page.query_selector_all(".sort")[:4]:
            if button.is_visible():
                button.click()
        if page.evaluate("window.hacked") is not None:
            said.append("a script of a label has run")
        if page.url.partition("#")[0] != path:
            said.append("it goes to another page")
        if not page.inner_text("body").strip():
            said.append("it shows nothing")
    except Exception as error:
        said.append(f"it cannot be used: {str(error).splitlines()[0]}")
    finally:
        context.close()
    return said


KIND = Kind("pages", 5, draw, run)
