from __future__ import annotations

import subprocess
import sys

import pytest

from clustervet._kernels import kept_code
from clustervet.evidence import warmup

# Compiled as parts of others.
NOT_CALLED = {"add_scores", "deviance", "expected_deviance", "insert", "meet"}
PROGRAM = """
import importlib, pkgutil
import clustervet._kernels as room
from clustervet.evidence.warmup import warm_up

warm_up()
for _, name, _ in pkgutil.iter_modules(room.__path__):
    module = importlib.import_module(f"{room.__name__}.{name}")
    for key, value in vars(module).items():
        if hasattr(value, "py_func") and key[0] != "_" and not value.signatures:
            print(key)
"""


def test_warming_up_reaches_every_loop():
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert set(ran.stdout.split()) <= NOT_CALLED


def test_the_command_says_what_it_did(run, monkeypatch):
    monkeypatch.setattr(warmup, "_chores", lambda: iter([lambda: None]))
    ran = run("warmup")
    assert ran.code == 0
    assert ran.out == f"Nothing to compile: all code is in {kept_code.folder()}.\n"


def test_without_a_folder_it_is_refused(refused, monkeypatch):
    monkeypatch.setattr(kept_code, "folder", lambda: None)
    assert "NUMBA_CACHE_DIR" in refused("warmup")


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (0, "Nothing to compile: all code is in there."),
        (8, "Compiled 8 loops in 3 s, kept in there."),
    ],
)
def test_sentences(made, sentence):
    assert str(warmup.Warmup(made, 2.6, "there")) == sentence
