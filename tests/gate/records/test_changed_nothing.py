"""A method whose parameters change nothing says so wherever its release is shown."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from sekisho.cli import status_of

SENTENCE = "This method changed nothing: every cell that leaves is the original's, and no row is gone."
SCHEMA = 'shape = "history"\n' + "".join(
    f'[[columns]]\nname = "{name}"\nkind = "category"\n{role}'
    for name, role in (("who", 'role = "identifier"\n'), ("ward", ""))
)


@pytest.mark.parametrize(
    "call",
    [
        ["delete-random", "--share", "0"],
        ["partition", "--keys", "sex", "--k", "2"],
        ["randomise", "--columns", "sex", "--keep", "1"],
    ],
)
def test_records(call: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pl.DataFrame({"sex": ["m", "f"] * 6, "town": ["a", "b", "b", "a"] * 3})
    frame.write_csv(tmp_path / "people.csv")
    where = [str(tmp_path / "people.csv"), "--out", str(tmp_path / "out.csv"), "--seed", "1"]
    assert status_of(["protect", call[0], *where, *call[1:]]) in (0, 3)
    assert SENTENCE in capsys.readouterr().out


def test_histories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"p{who * 17 % 13:02d},w{who % 3}\n" for who in range(1, 13))
    (tmp_path / "visits.csv").write_text(f"who,ward\n{rows}")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    where = [str(tmp_path / "visits.csv"), "--out", str(tmp_path / "out.csv"), "--seed", "1"]
    assert status_of(["protect", "pseudonymise", *where, "--schema", str(tmp_path / "schema.toml")]) == 3
    assert SENTENCE in capsys.readouterr().out
