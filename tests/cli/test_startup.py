"""A command loads what it needs: what takes long to load and is not asked for stays where it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RUN = "import sys; from sekisho.cli import status_of; status = status_of(sys.argv[1:]); print(*sys.modules, status)"
COSTLY = (
    "scipy.special",
    "narwhals",
    "rich.console",
    "sekisho.attack.history.assignment",
    "sekisho.gate.frontier",
    "sekisho.gate.history.safe_k",
    "sekisho.report.figures",
    "sekisho.report.pages",
)
KERNELS = ("numba", "polars", "numpy")


def load(*words: str) -> set[str]:
    """Run a command in a process of its own and return the modules it loaded."""
    done = subprocess.run([sys.executable, "-c", RUN, *words], check=True, capture_output=True, text=True)
    *modules, status = done.stdout.split("\n")[-2].split()
    assert status == "0", done.stderr
    return set(modules)


def test_help_loads_no_array_library() -> None:
    assert not load("protect", "partition", "--help").intersection(COSTLY + KERNELS)


def test_partition_loads_no_attack_and_no_page(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    source.write_text("age,town\n" + "30,a\n31,b\n" * 5, encoding="utf-8")
    modules = load("protect", "partition", str(source), "--keys", "age,town", "--k", "2", "--out", f"{tmp_path}/r.csv")
    assert "sekisho.protect.records.partition" in modules
    assert not modules.intersection(COSTLY)


RUN_OF_THE_GATE = ("sekisho.journey.demo", "sekisho.journey.run", "sekisho.journey.registering", "sekisho.cli.gate_run")
STAGES = ("sekisho.gate.history.stage", "sekisho.gate.records.stage", "sekisho.gate.counted.stage")
PAGES = ("sekisho.report.pages.history", "sekisho.report.pages.records", "sekisho.report.pages.tables")
SLOW_TO_LOAD = ("scipy.spatial", "scipy.optimize", "scipy.special", "scipy.stats", "scipy.sparse.csgraph", "sklearn")
RECIPES = {
    "records": 'shape = "records"\noriginal = "people.csv"\nkeys = ["age"]\n[[methods]]\nname = "partition"\n'
    '[[adversaries]]\nname = "prosecutor"\n[guarantees]\nk = 5\n',
    "history": 'rules = "pwscup2018"\noriginal = "T.csv"\n[[methods]]\nname = "groups"\nk = 3\n'
    '[[adversaries]]\nname = "maximum-knowledge"\n',
    "table": 'shape = "table"\noriginal = "cells.csv"\ndims = ["a"]\ncount = "n"\n',
}
OTHER_SHAPES = {
    "records": (
        "scipy.sparse",
        "sekisho.gate.tables",
        "sekisho.gate.history.recipe",
        "sekisho.gate.records.comparison",
        "sekisho.gate.records.downcode.adversary",
        "sekisho.protect.records.pram",
        "sekisho.tables",
    ),
    "history": ("sekisho.gate.tables", "sekisho.gate.records.comparison", "sekisho.tables"),
    "table": ("sekisho.gate.records.recipe", "sekisho.gate.history.recipe", "sekisho.protect.records"),
}
"""What a recipe of a shape has no use for: of the other shapes, and of its own what only a run needs."""


@pytest.mark.parametrize("shape", RECIPES)
def test_a_dry_run_loads_neither_a_run_nor_another_shape(shape: str, tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text(RECIPES[shape])
    modules = load("gate", f"{tmp_path}/recipe.toml", "--out", f"{tmp_path}/gate", "--dry-run")
    assert "sekisho.gate.explanation" in modules
    refused = {*RUN_OF_THE_GATE, *STAGES, *PAGES, *SLOW_TO_LOAD, *OTHER_SHAPES[shape]}
    assert not modules.intersection(refused)


def test_a_key_loads_no_gate(tmp_path: Path) -> None:
    assert "sekisho.journey.entry" not in load("key", "--out", f"{tmp_path}/key.pem")


def test_looking_at_a_file_loads_nothing_compiled_and_no_solver(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    source.write_text("age,town\n" + "30,a\n31,b\n" * 5, encoding="utf-8")
    modules = load("init", str(source), "--out", f"{tmp_path}/recipe.toml")
    assert "sekisho.gate.profiling.look" in modules
    assert not modules.intersection({"numba", "highspy", *SLOW_TO_LOAD, *STAGES})


@pytest.mark.parametrize("words", [("threshold", "5")])
def test_what_is_asked_for_is_loaded(words: tuple[str, ...]) -> None:
    assert "sekisho.safety.rejection" in load(*words)
