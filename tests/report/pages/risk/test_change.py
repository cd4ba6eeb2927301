"""The page tells how many were found before and are now, and by which column: counts to everybody, no more than that."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from tests.report.pages.records.test_keyed_outcome import people, travelled

from sekisho.gate.records.keys_judge import KeysJudge
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.records.statements import find_prosecutor
from sekisho.report.figures.bars import Bars
from sekisho.report.kit.blocks import Block, Figure
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.text import render_text
from sekisho.report.pages.records.keyed_outcome import blame_blocks, change_blocks
from sekisho.safety.records.uniques.key_uniques import KeyUniques
from sekisho.words import Language

KEYS = ("age", "town")


def keyed(stage: RecordsStage) -> KeysJudge:
    assert isinstance(stage.judge, KeysJudge)
    return stage.judge


def count_classes(*keys: str) -> Counter[tuple[object, ...]]:
    return Counter(people().frame.select(keys).iter_rows())


def count_alone(*keys: str) -> int:
    return sum(size == 1 for size in count_classes(*keys).values())


def say(edition: Edition, language: Language = Language.EN) -> str:
    stage, outcome = travelled(5)
    blocks = change_blocks(keyed(stage), outcome.best, edition=edition)
    return " ".join(render_text("T", blocks, language=language, width=400).split())


@pytest.mark.parametrize("edition", Edition)
def test_counts_of_the_original_stand_beside_those_of_the_release(edition: Edition) -> None:
    alone, classes, text = count_alone(*KEYS), len(count_classes(*KEYS)), say(edition)
    assert 0 < alone < 120
    assert f"Before, {alone} of 120 people" in text
    assert "Now nobody is: every record of the release shares its keys with at least 4 others." in text
    assert "smallest class of equal keys (k) 1 5" in text
    # whoever knows all keys hits 1 / c of each class of c: one of every class on average
    assert f"found by him, on average {classes} ({100 * classes / 120:.0f}%)" in text
    assert "looked for by one who knows all keys 120 120" in text


def test_in_japanese_too() -> None:
    text = say(Edition.PUBLIC, Language.JA)
    assert f"加工前は 120 人のうち {count_alone(*KEYS)} 人" in text
    assert "加工後は一人もいません。" in text


def test_both_editions_tell_how_diverse_the_release_is_and_one_how_the_original_was() -> None:
    told = "fewest sensitive values of a class (l)"
    own, public = say(Edition.CONFIDENTIAL).partition(told)[2].split(), say(Edition.PUBLIC).partition(told)[2].split()
    assert own[0].isdecimal()
    assert (public[0], public[1]) == ("–", own[1])  # the release's figure is the same, the original's stays


def test_a_release_with_uniques_says_so() -> None:
    stage, outcome = travelled(5)
    raw = keyed(stage).unprotected.classes
    compared = replace(outcome.best.compared, classes=raw)
    text = render_text(
        "T", change_blocks(keyed(stage), replace(outcome.best, compared=compared), edition=Edition.PUBLIC)
    )
    assert f"Now {raw.uniques} of 120 records of the release are alone." in " ".join(text.split())


def test_what_a_prosecutor_only_hopes_for_is_called_so() -> None:
    stage, outcome = travelled(5)
    best = outcome.best
    attacks = tuple(replace(each, rate=None, expected=None) for each in best.compared.attacks)
    hopeful = replace(best, compared=replace(best.compared, attacks=attacks))
    assert "as he hopes" in render_text("T", change_blocks(keyed(stage), hopeful, edition=Edition.PUBLIC), width=300)
    nobody = replace(best, compared=replace(best.compared, attacks=()))
    assert "as he hopes" not in render_text("T", change_blocks(keyed(stage), nobody, edition=Edition.PUBLIC), width=300)


def test_the_prosecutor_is_the_one_with_all_keys() -> None:
    _, outcome = travelled(5)
    found = find_prosecutor(outcome.best.compared.attacks, ("town", "age"))
    assert found is not None
    assert found.keys == KEYS
    assert find_prosecutor(outcome.best.compared.attacks, ("town",)) is None


def draw_bars(blocks: tuple[Block, ...]) -> Bars:
    (figure,) = [block.picture for block in blocks if isinstance(block, Figure)]
    assert isinstance(figure, Bars)
    return figure


def test_bars_are_how_many_fewer_would_be_unique_without_a_key() -> None:
    stage, _ = travelled(5)
    bars = draw_bars(blame_blocks(keyed(stage).unprotected.uniques)).bars
    whole = count_alone(*KEYS)
    fewer = {"age": whole - count_alone("town"), "town": whole - count_alone("age")}
    assert {bar.name: bar.value for bar in bars} == fewer
    assert [bar.value for bar in bars] == sorted(fewer.values(), reverse=True)


@pytest.mark.parametrize(
    ("without", "blameless"),
    [
        pytest.param({"a": 51, "b": 90}, True, id="49 of 100 fewer is less than half"),
        pytest.param({"a": 50, "b": 90}, False, id="half is not"),
    ],
)
def test_no_single_column_is_blamed_where_most_stay_unique_without_it(
    without: dict[str, int], *, blameless: bool
) -> None:
    text = render_text("T", blame_blocks(KeyUniques(records=200, unique=100, without=without)), width=400)
    assert ("No single column is to blame" in text) == blameless


def test_where_nobody_is_unique_no_column_is_blamed() -> None:
    assert blame_blocks(KeyUniques(records=9, unique=0, without={"a": 0, "b": 0})) == ()
