"""No call may end in a traceback: a short campaign of the fuzzer, and the fuzzer itself must see what it looks for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from verify.fuzz.calling import TimeIsUpError, judge_call, make_call
from verify.fuzz.recipes import recipes
from verify.fuzz.tree import commands

from sekisho import cli
from sekisho.cli import door

SCRIPT = Path(__file__).parents[2] / "verify" / "fuzz_commands.py"


def test_every_command_has_a_valid_call_to_start_from() -> None:
    assert set(recipes()) == set(commands())


def test_sixty_spoilt_calls_are_answered_or_refused() -> None:
    line = [sys.executable, str(SCRIPT), "--calls", "60", "--seed", "11", "--cold"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    assert "60 calls" in done.stdout  # verify/fuzz_commands.py tries thousands


def found(monkeypatch: pytest.MonkeyPatch, folder: Path, status_of: Callable[[list[str]], int]) -> list[str]:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(cli, "status_of", status_of)
    words = ["threshold", "--json", "7"]
    return [each.kind for each in judge_call(words, make_call(words, 5), frozenset())]


def raises(error: BaseException) -> Callable[[list[str]], int]:
    def status_of(words: list[str]) -> NoReturn:
        del words
        raise error

    return status_of


def admits(words: list[str]) -> int:
    return door.admit_fault(IndexError("x"), words, as_json=True)


def prints(text: str, status: int = 0) -> Callable[[list[str]], int]:
    def status_of(words: list[str]) -> int:
        del words
        sys.stdout.write(text)
        return status

    return status_of


def leaves(name: str, status: int) -> Callable[[list[str]], int]:
    def status_of(words: list[str]) -> int:
        del words
        Path(name).write_text("{")
        sys.stdout.write("{}")
        return status

    return status_of


@pytest.mark.parametrize(
    ("status_of", "kinds"),
    [
        (prints('{"threshold": 7}'), []),
        (raises(IndexError("x")), ["exception"]),
        (raises(TimeIsUpError()), ["time"]),
        (admits, ["exception"]),
        (prints("{}", status=9), ["status"]),
        (prints("{}", status=130), ["status"]),
        (prints('{"a": NaN}'), ["json"]),
        (prints("{}{}"), ["json"]),
        (prints(""), ["json"]),
        (leaves(".o.csv.abc", 0), ["leftover"]),
        (leaves("o.csv", 2), ["refused, yet wrote"]),
        (leaves("o.json", 0), ["json file"]),
    ],
)
def test_the_fuzzer_sees_what_it_looks_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, status_of: Callable[[list[str]], int], kinds: list[str]
) -> None:
    assert found(monkeypatch, tmp_path, status_of) == kinds
