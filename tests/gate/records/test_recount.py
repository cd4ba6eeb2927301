"""What is called proven was counted from the texts of the file alone, and a file that breaks a promise is not written."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import exp, log

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.published_frame import PublishedRows
from sekisho.data.frame.dataset import Kind
from sekisho.errors import BugError
from sekisho.gate.records.recount import Promise, RowClasses, recount_promises

FIELDS = {
    "age": FieldRules(name="age", kind=Kind.INTEGER),
    "town": FieldRules(name="town", kind=Kind.CATEGORY),
    "pay": FieldRules(name="pay", kind=Kind.INTEGER),
}
TEXTS = pl.DataFrame(
    {
        "age": ["[20;29]", "[20;29]", "[20;29]", "40", "40", "40"],
        "town": ["a", "a", "a", "*", "*", "*"],
        "pay": ["9", "10", "9", "9", "10", "100"],
    }
)
ROWS = PublishedRows(TEXTS)
KEYS = ["age", "town"]


def ask(least: int, **asked: object) -> dict[str, object]:
    sensitive = {"column": "pay", "l": None, "kind": "distinct", "c": 3.0, "t": None, "ordered": False, **asked}
    return {"alike": {"keys": KEYS, "least": least, **({"sensitive": sensitive} if asked else {})}}


def test_every_figure_by_hand() -> None:
    counted = recount_promises(RowClasses(rows=ROWS, fields=FIELDS), ask(3, l=2.0, t=0.5))
    # pay: 9 9 10 against 9 10 100 of 9 9 9 10 10 100, shares 1/2 1/3 1/6: the farthest has 0 of 100, distance 1/6
    assert [(each.promise, each.counted) for each in counted] == [
        (Promise.ALIKE, 3),
        (Promise.DIVERSE, 2),
        (Promise.CLOSE, pytest.approx(1 / 6)),
    ]
    (_, entropy) = recount_promises(RowClasses(rows=ROWS, fields=FIELDS), ask(3, l=1.5, kind="entropy"))
    assert entropy.counted == pytest.approx(exp(-2 / 3 * log(2 / 3) - 1 / 3 * log(1 / 3)))
    # 2 of the first value, 1 of the second and after: the ratio is 2
    (_, recursive) = recount_promises(RowClasses(rows=ROWS, fields=FIELDS), ask(3, l=2.0, kind="recursive", c=2.5))
    assert (recursive.counted, recursive.wanted) == (2.0, 2.5)
    # in their order 9, 10, 100, not that of the texts 10, 100, 9: |1/2 - 2/3| + |5/6 - 1| over 2
    (_, ordered) = recount_promises(RowClasses(rows=ROWS, fields=FIELDS), ask(3, t=0.2, ordered=True))
    assert ordered.counted == pytest.approx((1 / 6 + 1 / 6) / 2)


@pytest.mark.parametrize(
    ("promise", "words"),
    [
        (ask(4), "has k-anonymity 3, 4 is promised"),
        (ask(3, l=3.0), "has l-diversity 2, 3 is promised"),
        (ask(3, l=2.0, kind="entropy"), "has l-diversity 1.88"),
        (ask(3, l=2.0, kind="recursive", c=2.0), "has l-diversity 2, 2 is promised"),
        (ask(3, t=0.1), "has t-closeness 0.16"),
        ({"matched": {"keys": KEYS, "least": 4, "hidden_in": ["town"]}}, "has k matches 3, 4 is promised"),
    ],
)
def test_a_broken_promise_is_a_fault_of_ours(promise: dict[str, object], words: str) -> None:
    with pytest.raises(BugError, match=words):
        recount_promises(RowClasses(rows=ROWS, fields=FIELDS), promise)


def test_a_suppressed_cell_matches_any_value_only_where_cells_were_hidden() -> None:
    texts = pl.DataFrame({"age": ["1", "1", "1"], "town": ["a", "b", "*"]})
    promise = {"keys": KEYS, "least": 1, "hidden_in": ["town"]}
    # the last matches all three, each of the others itself and the last
    assert recount_promises(RowClasses(rows=PublishedRows(texts), fields=FIELDS), {"matched": promise})[0].counted == 2
    # where nothing was hidden the mark is a value like another
    assert (
        recount_promises(
            RowClasses(rows=PublishedRows(texts), fields=FIELDS), {"matched": {**promise, "hidden_in": []}}
        )[0].counted
        == 1
    )


def test_an_empty_file_and_a_method_without_promise_have_nothing_to_count() -> None:
    assert recount_promises(RowClasses(rows=PublishedRows(TEXTS[:0]), fields=FIELDS), ask(3)) == ()
    assert recount_promises(RowClasses(rows=ROWS, fields=FIELDS), {"records": 6}) == ()


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("ab"), st.integers(0, 3)), min_size=1, max_size=9))
def test_k_and_l_are_those_of_a_loop(rows: list[tuple[str, str, int]]) -> None:
    texts = pl.DataFrame(
        {"age": [one for one, _, _ in rows], "town": [two for _, two, _ in rows], "pay": [str(pay) for *_, pay in rows]}
    )
    classes: defaultdict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for one, two, pay in rows:
        classes[one, two][pay] += 1
    alike, diverse = recount_promises(RowClasses(rows=PublishedRows(texts), fields=FIELDS), ask(1, l=1.0))
    assert alike.counted == min(counts.total() for counts in classes.values())
    assert diverse.counted == min(map(len, classes.values()))
