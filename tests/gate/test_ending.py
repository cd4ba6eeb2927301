"""A run ends in three lines: may it leave, why, and the file or the changes; no more than 25 lines stand below."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sekisho.cli.kit.answer import MOST_LINES, put_below
from sekisho.gate.ending import DECISIONS, Ending, name_weightiest, tell_reasons
from sekisho.gate.outcome import Verdict
from sekisho.gate.policy import list_useless_columns, make_reason
from sekisho.words import Language, Said, quote_words, translate

WHY = quote_words("because.")
LEAVES = Ending(verdict=Verdict.RELEASE, why=WHY, file="gate/public/release.csv")
STAYS = Ending(verdict=Verdict.REFUSE, why=WHY)


def test_the_last_line_names_the_file_or_the_changes() -> None:
    assert LEAVES.list_lines() == ("THIS MAY LEAVE", "because.", "The file that may leave: gate/public/release.csv")
    assert translate(LEAVES.headline, Language.JA) == "公開できます"
    assert "sekisho advise" in STAYS.last_line
    helped = replace(STAYS, changes=tuple(quote_words(word) for word in "abcd"))
    assert helped.last_line == "What would help most: (1) a; (2) b; (3) c"  # three at most
    awaits = replace(helped, verdict=Verdict.REVIEW, awaits="x/release.csv")
    assert awaits.last_line.startswith("It awaits the decision here: x/release.csv.")
    assert replace(LEAVES.on_page(), file="release.csv") == LEAVES.on_page()


@pytest.mark.parametrize("verdict", Verdict)
def test_json_has_decision_why_and_file_or_changes(verdict: Verdict) -> None:
    told = replace(LEAVES, verdict=verdict).as_dict()
    assert told["decision"] == DECISIONS[verdict]
    assert set(told) == {"decision", "why", "file" if verdict is Verdict.RELEASE else "changes"}


def test_the_weightiest_reason_is_named_and_the_others_are_counted() -> None:
    told = make_reason("limit exceeded", quote_words("x is 3"))
    worst = make_reason("guarantee broken", quote_words("k is 1"))
    assert name_weightiest([told, worst]) == "a wanted guarantee does not hold: k is 1"
    assert tell_reasons([told, told]) == "Why: a measure is above its limit: x is 3; and 1 more reason."
    assert "k is 1" not in tell_reasons([worst], figures=False)  # a page that leaves names no cell and no column


@pytest.mark.parametrize(("lines", "shown"), [(3, 3), (MOST_LINES, MOST_LINES), (MOST_LINES + 5, MOST_LINES)])
def test_below_stand_few_lines_unless_all_are_asked_for(lines: int, shown: int) -> None:
    words = "\n".join(map(str, range(lines)))
    assert len(put_below(LEAVES, words, verbose=False).splitlines()) == 4 + shown
    assert len(put_below(LEAVES, words, verbose=True).splitlines()) == 4 + lines
    assert ("--verbose" in put_below(LEAVES, words, verbose=False)) == (lines > MOST_LINES)


def test_too_little_is_said_column_by_column() -> None:
    (reason,) = list_useless_columns({"product": 0.84, "date": 0.8, "note": 1.0}, left_out=("note",))
    assert (reason.rule, reason.verdict) == ("column of hardly any use", Verdict.REVIEW)
    assert reason.detail == Said("too little is left of {columns}", columns="product (84% lost)")
    assert list_useless_columns({"date": 0.8}) == ()  # four fifths are not yet too much


def test_a_file_that_is_not_written_says_how() -> None:
    said = Said("none was written: --public FILE writes it")
    assert replace(LEAVES, file=said).on_page().file == said
    assert replace(LEAVES, file=str(Path("a") / "b.csv")).on_page().file == "b.csv"
