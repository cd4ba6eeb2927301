"""What ``sekisho verify`` prints follows the language wholly: what was checked, what was found, how it stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.gate.runs import write_history, write_keyed, write_table, write_tested

from sekisho.cli import status_of
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.journey.run import pass_gate

SHAPES: list[Callable[[Path], Path]] = [write_history, write_keyed, write_table, write_tested]
ENGLISH = re.compile(r"\b[a-z]{3,} [a-z]{2,}\b")
"""Two words of letters beside each other: labels of methods have digits or dashes, files a point."""


def tell(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> list[str]:
    """Return what verify prints in Japanese."""
    capsys.readouterr()
    status_of(["verify", str(folder / "gate" / "public" / "certificate.json"), "--language", "ja", *more])
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("write", SHAPES, ids=["history", "keyed", "table", "tested"])
def test_all_that_is_checked_is_told_in_japanese(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write: Callable[[Path], Path]
) -> None:
    pass_gate(write(tmp_path), out=tmp_path / "gate")
    lines = tell(tmp_path, capsys, "--original", str(tmp_path / "gate" / "public" / "release.csv"))
    assert "適合    判定: 理由は 0 件で、判定は公開可になります" in lines
    assert "不適合  元データ: release.csv は入力のいずれでもありません" in lines
    (tmp_path / "gate" / "public" / "release.csv").write_text("a\nb\n")
    for line in [*lines, *tell(tmp_path, capsys)]:
        assert not ENGLISH.search(line.replace(str(tmp_path), "")), line


def test_a_row_that_is_no_row_is_placed_in_japanese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pass_gate(write_keyed(tmp_path), out=tmp_path / "gate")
    release = tmp_path / "gate" / "public" / "release.csv"
    release.write_text(release.read_text() + "x\n")
    rows = len(release.read_text().splitlines())
    (line,) = [line for line in tell(tmp_path, capsys) if "キーの等しいクラス:" in line]
    assert line == f"不適合  キーの等しいクラス: {release}: {rows} 行目: 行のセルは 1 個、最初の行は 3 個です"


def test_every_subject_of_a_check_has_its_japanese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pass_gate(write_history(tmp_path), out=tmp_path / "gate")
    found = verify_certificate(tmp_path / "gate" / "public" / "certificate.json")
    own = [each.subject for each in found.checks if "." not in each.subject]
    told = [line.split(": ")[0] for line in tell(tmp_path, capsys)]
    assert len(own) > 5
    assert not [subject for subject in own if any(line.endswith(subject) for line in told) and subject != "opening"]
