"""What a shop reports of its purchases: nothing changed, nothing is off; each report counted by hand."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.history.purchases import Purchases
from sekisho.errors import ParameterError
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.seeds import Seed
from sekisho.utility.history.sales import REPORTS, SalesReports

SCHEMA = Schema(
    (
        Column(name="customer", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="date", kind=Kind.DATE),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.DECIMAL, decimals=2),
        Column(name="quantity", kind=Kind.INTEGER),
    )
)
Line = tuple[str, int, str, int, int]
LINES = st.lists(
    st.tuples(
        st.sampled_from("ABC"),
        st.integers(-20_000, 99),
        st.sampled_from("uvwxyz"),
        st.integers(1, 9),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=20,
)


def make(lines: list[Line]) -> Dataset:
    frame = pl.DataFrame(lines, schema=["customer", "date", "item", "price", "quantity"], orient="row")
    days = [date(2011, 1, 1) + timedelta(days=int(day)) for day in frame["date"]]
    return Dataset(frame.with_columns(pl.Series("date", days)), SCHEMA)


def plainly(original: list[Line], sample: list[Line], items: tuple[str, ...]) -> dict[str, float]:
    """The three errors by dictionaries and loops."""

    def months(lines: list[Line]) -> Counter[tuple[int, int]]:
        days = [date(2011, 1, 1) + timedelta(days=line[1]) for line in lines]
        return Counter((day.year, day.month) for day in days)

    def best(lines: list[Line]) -> set[str]:
        money = dict.fromkeys(items, 0)
        for _, _, item, price, quantity in lines:
            money[item] += price * quantity
        chosen, reached = set[str](), 0
        for item in sorted(items, key=lambda item: -money[item]):
            chosen.add(item)
            reached += money[item]
            if reached >= 0.8 * sum(money.values()):
                break
        return chosen

    def baskets(lines: list[Line]) -> dict[int, float]:
        held: dict[tuple[str, int], set[str]] = {}
        for who, day, item, _, _ in lines:
            held.setdefault((who, day), set()).add(item)
        counts = Counter(len(each) for each in held.values())
        return {size: count / len(held) for size, count in counts.items()}

    ours, theirs = months(original), months(sample)
    first, second = baskets(original), baskets(sample)
    return {
        "months": min(1.0, sum(abs(ours[key] - theirs[key]) for key in {*ours, *theirs}) / len(original)),
        "best_sellers": 1 - len(best(original) & best(sample)) / len(best(original)),
        "baskets": sum(abs(first.get(size, 0) - second.get(size, 0)) for size in {*first, *second}) / 2,
    }


@given(LINES, LINES)
def test_the_errors_are_those_of_plain_loops(original: list[Line], changed: list[Line]) -> None:
    data = make(original)
    known = {line[2] for line in original}
    sample = [line for line in changed if line[2] in known] or original
    other = make(sample)
    codes = {item: place for place, item in enumerate(data.domain("item"))}
    purchases = Purchases.of(other)
    drawn = Purchases.from_columns(
        purchases.person,
        {
            "date": purchases.date,
            "price": purchases.price,
            "quantity": purchases.quantity,
            "item": pl.Series([codes[item] for item in other.frame["item"]]).to_numpy(),
        },
        data.domain("item"),
    )
    errors = SalesReports().build_reference(Purchases.of(data)).errors(drawn)
    assert tuple(errors) == REPORTS
    assert errors == pytest.approx(plainly(original, sample, data.domain("item")))


def test_nothing_changed_nothing_is_off() -> None:
    data = make([("A", 0, "x", 2, 1), ("A", 40, "y", 1, 1), ("B", 40, "x", 1, 3)])
    release: Release = Pseudonymise().apply(data, rng=Seed(1).rng())
    score = SalesReports().compare(data, release)
    assert (score.value, dict(score.detail)) == (0.0, dict.fromkeys(REPORTS, 0.0))


def test_a_release_without_pseudonyms_and_impossible_parameters_are_refused() -> None:
    data = make([("A", 0, "x", 2, 1)])
    whole = Pseudonymise().apply(data, rng=Seed(1).rng())
    nameless = Release(table=exact_table(data), deleted=whole.deleted, provenance=whole.provenance)
    with pytest.raises(ParameterError, match="pseudonyms"):
        SalesReports().compare(data, nameless)
    for share in (0.0, 1.5):
        with pytest.raises(ParameterError, match="share"):
            SalesReports(share=share)
    with pytest.raises(ParameterError, match="largest"):
        SalesReports(largest=0)
