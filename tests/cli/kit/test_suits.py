"""An option that does not suit the data is refused with status 2; it was ignored once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import write_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.seeds import Seed


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    history = SyntheticHistory(customers=6, items=20, median_rows=3).draw(rng=Seed(1).rng())
    (tmp_path / "T.csv").write_bytes(write_original(history, read_history_rules("pwscup2018")))
    (tmp_path / "F.csv").write_text("1,1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        (
            "protect pseudonymise T.csv --out A.csv --report R.html --deleted X.csv --columns foo",
            ["--deleted", "--report"],
        ),
        (
            "protect pseudonymise T.csv --rules pwscup2018 --out A.csv --columns foo --encoding cp932",
            ["--columns", "--encoding"],
        ),
        (
            "judge pwscup2018 --original T.csv --released A.csv --guess F.csv --answers Ea.csv --round final",
            ["--answers", "--round"],
        ),
        ("judge pwscup2021 --answers Ea.csv --guess F.csv --bound exact --original T.csv", ["--original", "--bound"]),
        ("utility pwscup2018 --original T.csv --released A.csv --deleted X.csv", ["--deleted"]),
        ("publish pwscup2018 --released T.csv --out P.csv --seed 1", ["--seed"]),
        ("protect swap T.csv --out D.csv --safe exact", ["--safe"]),
    ],
)
def test_unsuited_options_are_refused_all_at_once(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str, refused: list[str]
) -> None:
    before = sorted(path.name for path in folder.iterdir())
    assert status_of([*line.split(), "--json"]) == 2
    answer = json.loads(capsys.readouterr().out)
    assert [error["column"] for error in answer["errors"]] == refused
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_method_of_another_shape_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["protect", "swap", str(folder / "T.csv"), "--rules", "pwscup2018", "--out", "A.csv"]) == 2
    assert "method must suit history, not 'swap' (swap suits records)" in capsys.readouterr().err
