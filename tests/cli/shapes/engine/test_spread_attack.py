"""Where an attack's search is done changes nothing about it; what cannot be spread is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import write_original, write_published
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    rules, original = read_history_rules("pwscup2018"), SyntheticHistory(customers=30).draw(rng=Seed(2).rng())
    release = SimilarLength(k=2).apply(original, rng=Seed(1).rng())
    (tmp_path / "T.csv").write_bytes(write_original(original, rules))
    (tmp_path / "A1.csv").write_bytes(write_published(release, rules))
    return tmp_path


def attack(capsys: pytest.CaptureFixture[str], shop: Path, name: str, *words: str, status: int) -> dict[str, object]:
    files = ["--original", str(shop / "T.csv"), "--published", str(shop / "A1.csv"), "--out", str(shop / "F1.csv")]
    assert status_of(["attack", name, *files, "--seed", "1", *words, "--json"]) == status
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


def test_threads_change_nothing(capsys: pytest.CaptureFixture[str], shop: Path) -> None:
    guesses = set[bytes]()
    for jobs in ("1", "3"):
        attack(capsys, shop, "maximum-knowledge", "--jobs", jobs, status=0)
        guesses.add((shop / "F1.csv").read_bytes())
    assert len(guesses) == 1


@pytest.mark.parametrize(
    ("name", "words", "sentence"),
    [
        ("chance", ("--master", "local[2]"), "master must be given for maximum-knowledge, whose candidates are looked"),
        ("maximum-knowledge", ("--engine", "polars"), "engine must be spark: of a history only pieces of a search are"),
        ("maximum-knowledge", ("--memory", "2GB"), "engine must be spark: of a history only pieces of a search are"),
        ("maximum-knowledge", ("--jobs", "0"), "jobs must be 1 or more, not 0"),
    ],
)
def test_what_cannot_be_spread_is_refused(
    capsys: pytest.CaptureFixture[str], shop: Path, name: str, words: tuple[str, ...], sentence: str
) -> None:
    assert sentence in str(attack(capsys, shop, name, *words, status=2)["error"])
    assert not (shop / "F1.csv").exists()
