"""The package of docs/guide/plugins.md is used, listed and blamed as the page says."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/guide/plugins.md"
BROKEN = """
from dataclasses import dataclass
from sekisho import Shape
@dataclass(frozen=True, kw_only=True)
class Broken:
    shapes = frozenset({Shape.RECORDS})
    def apply(self, data, *, rng):
        raise KeyError("nobody thought of this")
"""


def read_block(kind: str) -> str:
    """Return the one block of a kind that the page shows."""
    (block,) = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return block


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder where the page's package is installed, and another one whose method fails."""
    project = tomllib.loads(read_block("toml"))["project"]
    install(tmp_path, project["name"], project["version"], project["entry-points"])
    (tmp_path / "coarse_numbers.py").write_text(read_block("python"))
    methods = {"broken": "broken_plugin:Broken", "absent": "no_such_module:Thing"}
    install(tmp_path, "broken-plugin", "0.3", {"sekisho.methods": methods})
    (tmp_path / "broken_plugin.py").write_text(BROKEN)
    (tmp_path / "people.csv").write_text("age,sex\n" + "".join(f"{20 + row},{'mf'[row % 2]}\n" for row in range(30)))
    return tmp_path


def install(site: Path, name: str, version: str, points: dict[str, dict[str, str]]) -> None:
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [
        line
        for group, entries in points.items()
        for line in (f"[{group}]", *(f"{key} = {value}" for key, value in entries.items()))
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines) + "\n")


def run(site: Path, line: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH", "")])])
    words = [sys.executable, "-m", "sekisho", *shlex.split(line)[1:]]
    env = os.environ | {"PYTHONPATH": paths, "NO_COLOR": "1", "TMPDIR": str(site)}
    return subprocess.run(words, cwd=site, env=env, capture_output=True, text=True, check=False)


def test_the_lines_of_the_page_run_and_the_plug_ins_are_listed_with_their_package(site: Path) -> None:
    helped, own, protected, attacked = [run(site, line) for line in read_block("text").splitlines()]
    assert re.search(r"^ *round-numbers +coarse-numbers 1\.0$", helped.stdout, re.MULTILINE)
    assert "--width" in own.stdout
    assert protected.returncode == 3, protected.stderr  # as the page says: nothing is promised of anybody
    ages = {line.split(",")[0] for line in (site / "R.csv").read_text().splitlines()[1:]}
    assert ages == {"20", "30", "40"}
    assert attacked.returncode in {0, 3}, attacked.stderr
    assert (site / "G.csv").read_text().count("\n") == 31
    assert run(site, "sekisho --complete protect round").stdout == "round-numbers\tcoarse-numbers 1.0\n"
    japanese = run(site, "sekisho attack --help --language ja")
    assert re.search(r"^ プラグイン.*\n +equal-rows +coarse-numbers 1\.0$", japanese.stdout, re.MULTILINE)


def test_python_and_the_measure_know_them_too(site: Path) -> None:
    code = (
        "import sekisho; from sekisho.utility import MEASURES\n"
        "made = sekisho.protect('people.csv', method='round-numbers', numbers=['age'], width=10, seed=1)\n"
        "data = made.release.table.to_dataset()\n"
        "print(sorted(made.table['age'].unique()), MEASURES.make('moved-numbers').compare(data, made.release).value)"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", code], cwd=site, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[20, 30, 40] 0.0"


def test_a_fault_of_a_plug_in_is_told_as_its_own(site: Path) -> None:
    failed = run(site, "sekisho protect broken people.csv --out R.csv --json")
    assert failed.returncode == 70
    assert "a fault of the plug-in broken-plugin 0.3, neither of Sekisho nor of your data (KeyError" in failed.stderr
    assert json.loads(failed.stdout)["plugin"] == "broken-plugin 0.3"
    absent = run(site, "sekisho protect absent people.csv --out R.csv")
    assert absent.returncode == 2
    assert "the method absent of the plug-in broken-plugin 0.3 cannot be loaded" in absent.stderr
    assert not (site / "R.csv").exists()
