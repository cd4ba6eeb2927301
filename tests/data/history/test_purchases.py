"""A history as arrays must tell invoices, totals and buyers as its lines do."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shopping import SCHEMA, histories, lines_of, names, shop

from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.history.purchases import Purchases
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance


@given(histories)
def test_invoices_totals_and_buyers_are_those_of_the_lines(data: Dataset) -> None:
    purchases, lines = Purchases.of(data), lines_of(data)
    codes, owners = purchases.invoices
    assert len(owners) == len({line[:2] for line in lines})
    together = {(int(code), who, day) for code, (who, day, *_) in zip(codes, lines, strict=True)}
    assert len(together) == len(owners) == len({code for code, _, _ in together})
    assert np.array_equal(owners[codes], purchases.person)
    totals: defaultdict[tuple[str, str], int] = defaultdict(int)
    for who, _, item, _, quantity in lines:
        totals[who, item] += quantity
    people, dense = data.domain("customer"), purchases.totals.toarray()
    assert {(people[i], purchases.items[j]): int(dense[i, j]) for i, j in np.argwhere(dense)} == totals
    buyers = Counter(item for _, item in totals)
    assert purchases.count_buyers().tolist() == [buyers[item] for item in purchases.items]


@given(histories, st.integers(1, 6))
def test_the_most_bought_come_first_and_of_equals_the_larger_name(data: Dataset, count: int) -> None:
    purchases = Purchases.of(data)
    buyers = dict(zip(purchases.items, purchases.count_buyers().tolist(), strict=True))
    expected = sorted(sorted(buyers, reverse=True), key=lambda item: -buyers[item])[:count]
    assert [purchases.items[code] for code in purchases.find_most_bought(count)] == expected


def test_a_release_with_open_cells_is_sent_to_be_drawn_first() -> None:
    data = shop([("a", 0, "x", 5, 2)])
    table = exact_table(data, pseudonym=names(data))
    hidden = {**table.columns, "price": table.columns["price"].suppress(np.ones(1, dtype=np.bool_))}
    release = Release(
        table=type(table)(schema=SCHEMA, columns=hidden, pseudonym=table.pseudonym),
        deleted=np.zeros(1, dtype=np.bool_),
        provenance=Provenance(name="test"),
    )
    with pytest.raises(ParameterError, match=r"column price must hold exact cells only.*draw concrete data first"):
        Purchases.from_release(release)


def test_rows_that_belong_to_nobody_are_no_history() -> None:
    data = shop([("a", 0, "x", 5, 2)])
    release = Release(table=exact_table(data), deleted=np.zeros(1, dtype=np.bool_), provenance=Provenance(name="test"))
    with pytest.raises(ParameterError, match="have pseudonyms"):
        Purchases.from_release(release)
    with pytest.raises(ParameterError, match="have an identifier"):
        Purchases.of(Dataset(data.frame.drop("customer"), Schema(SCHEMA.attributes)))


def test_a_history_without_rows_has_no_invoices() -> None:
    purchases = Purchases.of(shop([]))
    assert [part.tolist() for part in purchases.invoices] == [[], []]
    assert purchases.count_buyers().tolist() == []
