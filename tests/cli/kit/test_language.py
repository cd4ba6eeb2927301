"""Each class of error has its Japanese sentence; names, values and rules in JSON stay as they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

from sekisho.attack import ADVERSARIES
from sekisho.cli import status_of
from sekisho.cli.kit import progress
from sekisho.cli.kit.language import settle_language, tell_fault
from sekisho.cli.kit.progress import show_progress
from sekisho.errors import (
    BugError,
    EncodingError,
    Fault,
    FaultsError,
    InfeasibleError,
    InputError,
    MissingFileError,
    ParameterError,
    SekishoError,
    UnknownNameError,
)
from sekisho.protect import METHODS
from sekisho.registry import Registry
from sekisho.safety import GUARANTEES
from sekisho.tables.rules import CELL_RULES
from sekisho.utility import MEASURES
from sekisho.words import Language, Said, name_setting, translate

FAULT = Fault(
    row=3,
    column="price",
    rule="integer",
    value="x",
    message=Said("{value} is not a whole number", value="'x'"),
)
EXAMPLE = Said("for example {rule}", rule=name_setting("rule", "p%:15"))
EMPTY = Fault(row=0, column="", rule="r", value="", message=Said("is empty"))


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ParameterError("k", Said("be at least 1"), 0), "k は 1 以上でなければなりません（指定された値: 0）"),
        (ParameterError("k", Said("be 1 or more"), 0), "k は 1 以上でなければなりません（指定された値: 0）"),
        (
            ParameterError("risk", Said("be given, or --sample"), None),
            "risk は指定が必要です（または --sample）（指定されていません）",
        ),
        (
            ParameterError("rule", Said("be given for a table of sums"), [], hint=EXAMPLE),
            "rule は合計値の表では指定が必要です（指定された値: []。例: rule p%:15）",
        ),
        (
            ParameterError(Said("tree of {name}", name="age"), Said("have a leaf in every range"), "x"),
            "age の木はどの範囲にも葉がなければなりません（指定された値: 'x'）",
        ),
        (InputError("a.csv", Said("is empty")), "a.csv: 空です"),
        (
            InputError("a.csv", Said("has no column {missing}; it has {names}", missing="x, y", names="a, b")),
            "a.csv: 列 x, y がありません。あるのは a, b です",
        ),
        (
            InputError("a.toml", Said("is not TOML: {error}", error="Expected '='")),
            "a.toml: TOML ではありません: Expected '='",
        ),
        (MissingFileError("a.csv"), "a.csv: そのようなファイルはありません"),
        (EncodingError("a.csv", Said("is UTF-16; save it as UTF-8")), "a.csv: UTF-16 です。UTF-8 で保存してください"),
        (FaultsError("a.csv", [FAULT]), "a.csv: 3 行目、price: 'x' は整数ではありません"),
        (FaultsError(Said("options"), [EMPTY], count=7), "オプション: ファイル: 空です、ほか 6 件"),
        (
            UnknownNameError(Said("kind|method"), "swop", ["swap", "delete"]),
            "'swop' という名前の手法はありません。'swap' のことですか？",
        ),
        (
            UnknownNameError(Said("rulebook"), "x", ["pwscup2018", "pwscup2021"]),
            "'x' という名前の規則集はありません。使えるのは pwscup2018, pwscup2021 です",
        ),
        (
            InfeasibleError(Said("{people} customers cannot form a group of {k}", people=30, k=40)),
            "30 人の顧客では 40 人の組を作れません",
        ),
        (SekishoError("something that a stranger says"), "something that a stranger says"),
    ],
)
def test_an_error_is_told_in_japanese(error: SekishoError, sentence: str) -> None:
    assert translate(str(error), Language.JA) == sentence


def test_an_error_that_was_made_a_fault_is_told_all_the_same() -> None:
    """A recipe's faults quote the errors of the rules they name."""
    error = ParameterError("p", Said("lie strictly between 0 and 1"), 7, hint=EXAMPLE)
    message = Said("{source}: {reason}", source="rules.1", reason=error)
    fault = Fault(row=0, column="rules.1", rule="known", value="p%:7", message=message)
    japanese = "rules.1: p は 0 より大きく 1 より小さくなければなりません（指定された値: 7。例: rule p%:15）"
    assert fault.as_both()["message_ja"] == japanese
    settle_language(["--language", "ja"])
    try:
        told = tell_fault(fault)
    finally:
        settle_language([])
    assert (told.message, told.rule, told.value) == (japanese, "known", "p%:7")


@pytest.mark.parametrize("registry", [METHODS, ADVERSARIES, MEASURES, GUARANTEES, CELL_RULES])
def test_what_is_registered_is_called_by_a_japanese_word(registry: Registry[object]) -> None:
    with pytest.raises(UnknownNameError) as caught:
        _ = registry["nobody"]
    assert registry.kind not in translate(str(caught.value), Language.JA)


def test_the_validator_tells_every_fault_in_japanese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    original, released = tmp_path / "T.csv", tmp_path / "A.csv"
    original.write_text("12345,2010/12/1,22423,10.95,6\n12346,2010/12/2,22424,1.5,12\n", newline="\n")
    released.write_text("P1,2010/13/1,22423,10.95,6\nP1,2010/12/2,22424,x,12\n", newline="\n")
    call = ["check", "pwscup2018", "--original", str(original), "--released", str(released), "--language", "ja"]
    assert status_of(call) == 1
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert lines[0].startswith(f"{released}: 無効です。誤りは ")
    assert len(lines) > 3
    assert all(" 行目、" in line for line in lines[1:])
    assert not [line for line in lines if " is " in line or " must " in line or " not " in line]
    assert status_of([*call, "--json"]) == 1
    errors = json.loads(capsys.readouterr().out)["errors"]
    assert status_of([*call[:-2], "--json"]) == 1
    english = json.loads(capsys.readouterr().out)["errors"]
    assert [(each["row"], each["column"], each["rule"], each["value"]) for each in errors] == [
        (each["row"], each["column"], each["rule"], each["value"]) for each in english
    ]
    assert all(mine["message"] != theirs["message"] for mine, theirs in zip(errors, english, strict=True))
    assert all(each["value"] in each["message"] for each in errors if each["value"])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("threshold @", "引数 'N' の指定が必要です"),
        ("threshold @ x", "'N' の値が正しくありません: 整数でなければなりません"),
        ("threshold @ 5 6", "余分な引数があります（6）"),
        ("threshold @ 5 --nope", "--nope というオプションはありません"),
        ("threshold @ 5 --p", "オプション '--p' には値が必要です"),
        ("threshold @ 5 --json=yes", "オプション '--json' に値は指定できません"),
        (
            "threshold @ 5 --bound none",
            "'--bound' の値が正しくありません: 'none' は 'union', 'exact' のいずれでもありません",
        ),
        ("plan frobnicate @", "'frobnicate' というコマンドはありません"),
        ("judge @ pwscup2018", "オプション '--guess' の指定が必要です"),
        (
            "protect code @ a.csv --top age --out b.csv",
            "--top は 名前=値,名前=値 の形で指定してください（指定された値: 'age'）",
        ),
        ("threshold @ 5 --p 7", "p は 0 より大きく 1 より小さくなければなりません（指定された値: '7'）"),
        ("check @ pwscup2018 --original no.csv --released no.csv", "no.csv: そのようなファイルはありません"),
    ],
)
def test_a_refusal_is_in_the_chosen_language(call: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(call.replace("@", "--language ja --json").split()) == 2
    out, err = capsys.readouterr()
    assert sentence in err
    answer = json.loads(out)
    assert sentence in answer["error"]
    assert answer["errors"][0]["message"] == answer["error"]


def test_a_fault_of_ours_is_admitted_in_japanese(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise BugError("two and two are five")

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("sekisho.cli.contest.threshold.give_answer", fail, raising=True)
    assert status_of(["threshold", "5", "--language", "ja"]) == 70
    assert "Sekisho の側の不具合です（two and two are five）" in capsys.readouterr().err


def test_progress_is_told_in_the_language_of_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said by another thread, which must not fall back to the locale."""
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.01)
    settle_language(["--language", "ja"])
    try:
        with show_progress(Said("attacking")) as teller:
            teller.tell(Said("the best pattern so far is kept"))
            sleep(0.2)
    finally:
        settle_language([])
    assert "攻撃しています: 0 秒、これまでで最もよいパターンを残します" in capsys.readouterr().err


def test_the_locale_alone_makes_a_command_speak_japanese() -> None:
    call = [sys.executable, "-m", "sekisho", "threshold", "5"]
    environment = os.environ | {"LC_ALL": "ja_JP.UTF-8", "PYTHONIOENCODING": "utf-8"}
    told = subprocess.run(call, env=environment, check=True, capture_output=True, encoding="utf-8").stdout
    assert told == "5 件の主張では、何件当てても足りません\n"
