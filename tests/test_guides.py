"""Every command line of the guides for those who come from other programs runs, in the order of the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sekisho.cli import status_of

GUIDES = sorted((Path(__file__).parents[1] / "docs" / "guide").glob("from-*.md"))
TOWNS = {"Aoba": "north", "Bunkyo": "north", "Chuo": "south", "Daito": "south"}


def write_people(folder: Path) -> None:
    """Write 120 people whose values come from their number, a population they are part of, and two trees."""
    head, lines = "id,age,sex,town,region,income,ill,weight", list[str]()
    for number in range(400):
        town = list(TOWNS)[(number * number + number // 7) % 4]
        age, income = 20 + (number * 17) % 51, 100 + (number * 37) % 900
        ill = ("no", "no", "flu", "asthma")[(number * 3 + number // 5) % 4]
        lines.append(f"p{number},{age},{'fm'[number % 2]},{town},{TOWNS[town]},{income},{ill},{2 + number % 5}")
    (folder / "people.csv").write_text("\n".join([head, *lines[:120]]) + "\n")
    (folder / "population.csv").write_text("\n".join([head, *lines]) + "\n")
    (folder / "town.csv").write_text("".join(f"{town};{region};*\n" for town, region in TOWNS.items()))
    (folder / "age.csv").write_text(
        "".join(f"{age};{age // 10 * 10}-{age // 10 * 10 + 9};*\n" for age in range(20, 71))
    )


def list_commands(page: Path) -> list[str]:
    return re.findall(r"`sekisho ([^`]+)`", page.read_text())


@pytest.mark.parametrize("page", GUIDES, ids=[page.stem for page in GUIDES])
def test_every_command_of_a_guide_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_people(tmp_path)
    commands = list_commands(page)
    assert len(commands) >= 15
    for line in commands:
        status = status_of(line.split())
        assert status == 0, f"sekisho {line}: {capsys.readouterr().err}"
        assert capsys.readouterr().out.strip(), line
    assert "<svg" in (tmp_path / "compare.html").read_text()


@pytest.mark.parametrize("page", GUIDES, ids=[page.stem for page in GUIDES])
def test_every_row_of_a_guide_names_a_command(page: Path) -> None:
    rows = [line for line in page.read_text().splitlines() if line.startswith("| ") and "| here |" not in line]
    assert rows
    assert [row for row in rows if "`sekisho " not in row] == []
