"""What a file of a table says need not be typed again: the same answers as with the options written out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.cli.table.table_file import add_table_words

CELLS = "region,job,n\nN,a,3\nN,b,20\nN,c,9\nS,a,14\nS,b,4\nS,c,21\nE,a,17\nE,b,12\nE,c,30\n"
TABLE = 'shape = "table"\noriginal = "cells.csv"\ndims = ["region", "job"]\ncount = "n"\nwidth = 8\nrules = ["min:4"]\n'
TYPED = ["--dims", "region,job", "--count", "n", "--width", "8", "--rule", "min:4"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cells.csv").write_text(CELLS, encoding="utf-8")
    (tmp_path / "table.toml").write_text(TABLE, encoding="utf-8")
    return tmp_path


def test_suppress_and_audit_answer_as_with_the_options_written_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells, table = str(folder / "cells.csv"), str(folder / "table.toml")
    patterns = [folder / "typed.csv", folder / "from-file.csv"]
    statuses = [
        status_of(["table", "suppress", cells, *TYPED, "--out", str(patterns[0])]),
        status_of(["table", "suppress", table, "--out", str(patterns[1])]),
    ]
    assert statuses == [0, 0]
    assert patterns[0].read_bytes() == patterns[1].read_bytes()
    capsys.readouterr()
    answers = list[object]()
    for words in ([cells, *TYPED], [table]):
        assert status_of(["table", "audit", *words, "--pattern", str(patterns[0]), "--json"]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0] == answers[1]


def test_what_is_typed_wins_and_what_a_command_has_no_option_for_is_left(folder: Path) -> None:
    words = add_table_words([str(folder / "table.toml"), "--width=3"], {"--width", "--dims"})
    assert words == [str(folder / "cells.csv"), "--width=3", "--dims=region,job"]


def test_a_value_of_an_option_is_no_file_of_a_table(folder: Path) -> None:
    words = ["cells.csv", "--schema", str(folder / "table.toml")]
    assert add_table_words(words, {"--dims"}) == words


def test_every_wrong_key_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = folder / "wrong.toml"
    wrong.write_text(TABLE + 'widht = 3\nmargins = "none"\n', encoding="utf-8")
    assert status_of(["table", "suppress", str(wrong), "--out", str(folder / "p.csv")]) == 2
    told = capsys.readouterr().err
    assert "widht" in told
    assert "margins" in told
    assert not (folder / "p.csv").exists()
