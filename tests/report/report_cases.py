"""Results that tests of the report share, and pages opened in a browser."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    '"><img src=x onerror="window.hacked = 3">',
    "javascript:window.hacked = 4",
    "\u202eevil\u2066\u200f",
    "x" * 10_000,
    "{{ 7 * 7 }} ${x} %{y} $z$ `q` | [a](javascript:b)",
    "\ud800 \x00 \x1b[31m\n\u2028",
)
PATIENCE = 60_000
FEW = ["adjusted_rand", "adjusted_mutual_information", "variation_of_information", "purity"]


def labels_of(names, count, share, seed):
    """Classes by name, and a clustering that differs from them in a share of the objects."""
    rng = np.random.default_rng(seed)
    classes = np.arange(count) % len(names)
    clusters = np.where(rng.random(count) < share, rng.integers(0, len(names), count), classes)
    return [names[c] for c in classes], clusters


@contextmanager
def opened(browser, path, hash="", allowed=0, **options):
    """A page without network; anything that it complains of fails the test."""
    options = {"viewport": {"width": 1000, "height": 900}, "color_scheme": "light"} | options
    context = browser.new_context(offline=True, **options)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda asked: said.append(asked.url) if "page" not in asked.url else None)
    page.goto(f"{path.as_uri()}{hash}")
    yield page
    assert len(said) == allowed, said
    context.close()


def unfold(page):
    """Open everything that is folded."""
    page.evaluate("document.querySelectorAll('details').forEach(box => box.open = true)")


def drawn(page, key):
    """A figure, unfolded, once it is drawn."""
    page.evaluate(
        """key => { let box = document.getElementById(key);
          while (box = box.parentElement.closest("details")) box.open = true; }""",
        f"{key}-plot",
    )
    page.evaluate(
        "key => document.getElementById(key).scrollIntoView({behavior: 'instant'})", f"{key}-plot"
    )
    return page.wait_for_selector(f"#{key}-plot[data-drawn]")
