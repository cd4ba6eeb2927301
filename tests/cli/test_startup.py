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


def test_the_gate_loads_no_demonstration_and_a_key_no_gate(tmp_path: Path) -> None:
    recipe = tmp_path / "table.toml"
    recipe.write_text('shape = "table"\noriginal = "cells.csv"\ndims = ["a"]\ncount = "n"\n')
    modules = load("gate", str(recipe), "--out", f"{tmp_path}/gate", "--dry-run")
    assert not modules.intersection({"sekisho.journey.demo", "sekisho.data.synthetic.histories"})
    assert "sekisho.journey.entry" not in load("key", "--out", f"{tmp_path}/key.pem")


@pytest.mark.parametrize("words", [("threshold", "5")])
def test_what_is_asked_for_is_loaded(words: tuple[str, ...]) -> None:
    assert "sekisho.safety.rejection" in load(*words)
