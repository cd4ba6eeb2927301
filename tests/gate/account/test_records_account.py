"""Each column of a file of records has one entry, covered by what holds of the file, and otherwise open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES, RECORDS

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.scan import open_scan
from sekisho.gate.account.account import Account, AccountEntry, Unit, UnitOrigin
from sekisho.gate.account.columns import FrameColumns
from sekisho.gate.account.records import CoverPromise, RecordsQuestion
from sekisho.gate.records.engine.scan_columns import ScanColumns
from sekisho.safety.cover import Coverage
from sekisho.words import Language, Said

# Six people: sex and town make three classes of two, ward is the same for everybody, note is hidden in every row.
FRAME = pl.DataFrame(
    {
        "sex": ["f", "f", "m", "m", "f", "f"],
        "town": ["A", "A", "A", "A", "B", "B"],
        "ill": ["flu", "hiv", "flu", "hiv", "flu", "hiv"],
        "ward": ["1", "1", "1", "1", "1", "1"],
        "note": ["*", "*", "*", "*", None, None],
    }
)
PEOPLE = Unit(who="id", origin=UnitOrigin.KNOWN, people=6, rows=6)
K = CoverPromise(cover=Coverage.KEYED, columns=("sex", "town"), words=Said("k = {k:g}, counted", k=2), figure=2)
L = CoverPromise(cover=Coverage.SECRET, columns=("ill",), words=Said("l = {l:g}, counted", l=2.0), figure=2)
QUESTION = RecordsQuestion(
    unit=PEOPLE,
    columns=("id", *FRAME.columns),
    keys=("sex", "town"),
    sensitive=("ill",),
    harmless={"ward": "everybody lies in the same ward"},
    promises=(K, L),
)


def account(question: RecordsQuestion, frame: pl.DataFrame = FRAME) -> Account:
    return question.account(FrameColumns(frame=frame))


def covers(found: Account) -> dict[str, str]:
    return {entry.subject: entry.cover.value for entry in found.entries}


def test_every_column_has_one_entry_and_those_that_do_not_leave_have_one_too() -> None:
    found = account(QUESTION)
    assert covers(found) == {
        "sex": "keyed",
        "town": "keyed",
        "ill": "secret",
        "ward": "harmless",
        "note": "gone",
        "id": "gone",
    }
    assert found.is_closed
    assert [entry.figure for entry in found.entries] == [2, 2, 2, None, None, None]
    assert found.harmless is not None
    assert (found.harmless.alone, found.harmless.least) == (0, 2)


def test_the_sentence_of_a_closed_account_is_said_in_both_languages() -> None:
    words = account(QUESTION).describe()
    assert str(words) == (
        "6 people, one row each (id says so); all 6 columns are accounted for: 2 keyed (k = 2, counted), "
        "1 secret (l = 2, counted), 1 harmless by your word (nobody stands alone by them), 2 left out"
    )
    japanese = words.say(Language.JA)
    assert japanese != str(words)
    assert "accounted" not in japanese


def test_an_unnamed_column_is_open_with_how_many_stand_alone_by_it() -> None:
    frame = FRAME.with_columns(born=pl.Series(["1", "2", "3", "4", "5", "5"]))
    found = account(replace(QUESTION, columns=("id", *frame.columns)), frame)
    (entry,) = found.open_entries
    assert (entry.subject, entry.alone) == ("born", 4)
    assert not found.is_closed
    assert str(found.describe()) == (
        "1 column leaves and nobody said what it is: born (4 of 6 people stand alone by it) "
        "(say keys, sensitive, harmless or drop)"
    )


def test_one_guarantee_covers_all_keys_together_or_none() -> None:
    apart = tuple(replace(K, columns=(name,)) for name in ("sex", "town"))
    found = account(replace(QUESTION, promises=(*apart, L)))
    assert covers(found)["sex"] == covers(found)["town"] == "open"


@pytest.mark.parametrize("promise", [K, L])
def test_a_promise_that_is_not_kept_covers_nothing(promise: CoverPromise) -> None:
    broken = tuple(replace(one, kept=one is not promise) for one in (K, L))
    found = account(replace(QUESTION, promises=broken))
    assert {entry.subject for entry in found.open_entries} == set(promise.columns)


def test_covers_do_not_add_up() -> None:
    """What chance changes beside keys has no promise together with them."""
    noise = CoverPromise(cover=Coverage.NOISED, columns=("ward",), words=Said("k = {k:g}, counted", k=3))
    found = account(replace(QUESTION, harmless={}, promises=(K, L, noise)))
    assert covers(found)["ward"] == "open"
    alone = RecordsQuestion(unit=PEOPLE, columns=("ward",), promises=(noise,))
    assert account(alone, FRAME.select("ward")).is_closed


def test_a_secret_column_may_be_learnt_by_a_reason() -> None:
    found = account(replace(QUESTION, learnable={"ill": "everybody may know who is ill"}, promises=(K,)))
    assert covers(found)["ill"] == "secret"
    assert found.is_closed


def test_harmless_columns_alone_close_only_where_nobody_stands_alone() -> None:
    reasons = dict.fromkeys(FRAME.columns, "looked at, and nobody is found by it")
    bare = RecordsQuestion(unit=PEOPLE, columns=tuple(FRAME.columns), harmless=reasons)
    found = account(bare)  # sex, town and ill tell all six apart
    assert found.harmless is not None
    assert found.harmless.alone == 6
    assert not found.is_closed
    assert "nothing that is asked for keeps people from being singled out" in str(found.describe())
    assert account(bare, FRAME.select("ward", "note")).is_closed


def test_an_account_without_its_unit_or_without_entries_is_open() -> None:
    closed = account(QUESTION)
    assert not replace(closed, unit=None).is_closed
    assert not replace(closed, unit=replace(PEOPLE, origin=UnitOrigin.OPEN)).is_closed
    assert not replace(closed, entries=()).is_closed
    assert not Account().is_closed
    assert str(Account().describe()) == "nobody accounted for what leaves"


def test_a_round_asks_another_question_and_nothing_is_read_from_it() -> None:
    assert Account.of_round().is_closed
    assert Account.of_round().as_dict() == {}


def test_the_public_edition_tells_nobody_who_stands_alone() -> None:
    frame = FRAME.with_columns(born=pl.Series(["1", "2", "3", "4", "5", "5"]))
    public = account(replace(QUESTION, columns=("id", *frame.columns)), frame).publish()
    assert all(entry.alone is None for entry in public.entries)
    assert "gone" not in {entry.cover.value for entry in public.entries}


@given(
    st.lists(st.tuples(st.sampled_from("ab*"), st.sampled_from(["x", "*", "", None])), max_size=12),
    st.sampled_from([["two"], ["one", "two"]]),
)
def test_columns_are_counted_as_a_plain_loop_counts_them(rows: list[tuple[str, str | None]], names: list[str]) -> None:
    frame = pl.DataFrame(rows, schema={"one": pl.String, "two": pl.String}, orient="row")
    cells = [tuple(row[frame.columns.index(name)] for name in names) for row in rows]
    sizes = [cells.count(cell) for cell in cells]
    columns = FrameColumns(frame=frame)
    assert columns.names == ("one", "two")
    assert columns.count_alone(names) == sizes.count(1)
    assert columns.find_smallest(names) == min(sizes, default=0)
    assert columns.is_hidden("two") == all(second in {"*", "", None} for _, second in rows)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.engine.value)
def test_an_engine_counts_columns_as_memory_does(choice: EngineChoice, tmp_path: Path) -> None:
    path = tmp_path / "release.parquet"
    FRAME.write_parquet(path)
    here = FrameColumns(frame=FRAME)
    with open_scan(path, RECORDS, choice) as scan:
        there = ScanColumns(scan=scan)
        assert there.names == here.names
        assert [there.is_hidden(name) for name in here.names] == [here.is_hidden(name) for name in here.names]
        for names in (["sex"], ["note"], ["sex", "town"], ["sex", "town", "ill"], ["town", "note"]):
            assert there.count_alone(names) == here.count_alone(names), names
            assert there.find_smallest(names) == here.find_smallest(names), names


def test_entries_are_plain_values() -> None:
    entry = AccountEntry(subject="age", cover=Coverage.OPEN, by=Said("nobody said what it is"))
    assert entry.as_dict() == {"by": "nobody said what it is", "figure": None, "alone": None}
