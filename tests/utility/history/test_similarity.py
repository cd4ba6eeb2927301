"""A recommender's similarities must be off by what a dense loop finds, and by nothing where nothing changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shopping import Line, histories, lines_of, names, shop

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.history.purchases import Purchases
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance
from sekisho.utility.history.similarity import ItemSimilarity, View


def release_exactly(data: Dataset) -> Release:
    return Release(
        table=exact_table(data, pseudonym=names(data)),
        deleted=np.zeros(len(data), dtype=np.bool_),
        provenance=Provenance(name="test"),
    )


def weigh_totals(lines: list[Line], view: View, items: list[str]) -> dict[str, dict[str, int]]:
    totals: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for who, _, item, _, quantity in lines:
        totals[item][who] += quantity
    rule: dict[View, Callable[[int], int]] = {
        View.WHOLESALE: lambda total: min(6, total // 12),
        View.RETAIL: lambda total: total if total <= 11 else 0,
        View.TOP: lambda total: int(total > 0),
    }
    return {item: {who: rule[view](total) for who, total in totals[item].items()} for item in items}


def cosine(x: dict[str, int], y: dict[str, int]) -> float:
    dot = sum(value * y.get(who, 0) for who, value in x.items())
    return dot / sqrt(sum(v * v for v in x.values()) * sum(v * v for v in y.values())) if dot else 0.0


def compute_error_slowly(original: list[Line], released: list[Line], view: View, items: list[str]) -> float:
    ours, theirs = weigh_totals(original, view, items), weigh_totals(released, view, items)
    pairs = [(i, j) for i in items for j in items if i != j and cosine(ours[i], ours[j]) > 0]
    whole = sum(cosine(ours[i], ours[j]) for i, j in pairs)
    if not whole:
        return 0.0
    off = sum(abs(cosine(ours[i], ours[j]) - cosine(theirs[i], theirs[j])) for i, j in pairs)
    return min(1.0, off / whole)


@given(histories, st.data(), st.sampled_from(View))
def test_the_error_is_that_of_dense_loops(data: Dataset, rest: st.DataObject, view: View) -> None:
    items = data.domain("item")
    lines = lines_of(data)
    changed = [
        (
            rest.draw(st.sampled_from("abcd")),
            day,
            rest.draw(st.sampled_from(items)),
            price,
            rest.draw(st.integers(1, 40)),
        )
        for _, day, _, price, _ in lines
    ]
    top = 3
    original = Purchases.of(data)
    chosen = [items[code] for code in original.find_most_bought(top)] if view is View.TOP else list(items)
    people = np.array(["abcd".index(line[0]) for line in changed])
    columns = {
        "date": original.date,
        "item": np.array([items.index(line[2]) for line in changed]),
        "price": original.price,
        "quantity": np.array([line[4] for line in changed]),
    }
    error = (
        ItemSimilarity(view=view, top=top)
        .build_reference(original)
        .error(Purchases.from_columns(people, columns, items))
    )
    assert error == pytest.approx(compute_error_slowly(lines, changed, view, chosen), abs=1e-12)


@given(histories, st.sampled_from(View))
def test_nothing_changed_nothing_is_off(data: Dataset, view: View) -> None:
    assert ItemSimilarity(view=view).compare(data, release_exactly(data)).value == 0.0


def test_dozens_are_capped_at_six() -> None:
    # a: 100 x (8 dozen) counts 6, 12 y counts 1; b: 12 x counts 1, 24 y counts 2. cos = (6 + 2) / sqrt(37 * 5) = 8 /
    # sqrt(185).
    lines: list[Line] = [("a", 0, "x", 1, 100), ("a", 0, "y", 1, 12), ("b", 0, "x", 1, 12), ("b", 0, "y", 1, 24)]
    reference = ItemSimilarity(view=View.WHOLESALE).build_reference(Purchases.of(shop(lines)))
    assert reference.values.tolist() == pytest.approx([8 / sqrt(185)])


def test_retail_leaves_out_totals_of_a_dozen_and_more() -> None:
    # a's x: 6 + 6 = 12 units in two rows, no longer retail; only b bought both: cosine 1.
    lines: list[Line] = [
        ("a", 0, "x", 1, 6),
        ("a", 1, "x", 1, 6),
        ("a", 0, "y", 1, 3),
        ("b", 0, "x", 1, 5),
        ("b", 0, "y", 1, 4),
    ]
    reference = ItemSimilarity(view=View.RETAIL).build_reference(Purchases.of(shop(lines)))
    assert reference.values.tolist() == pytest.approx([20 / (5 * 5)])


def test_the_error_never_exceeds_one() -> None:
    # One person bought x, y once each among many who bought one of them; in the sample all bought both, and W' = 1.
    lines: list[Line] = [
        ("a", 0, "x", 1, 1),
        ("a", 0, "y", 1, 1),
        *((f"b{n}", 0, "xy"[n % 2], 1, 1) for n in range(20)),
    ]
    original = Purchases.of(shop(lines))
    columns = {
        "date": np.zeros(44, dtype=np.int64),
        "item": np.tile([0, 1], 22),
        "price": np.ones(44, dtype=np.int64),
        "quantity": np.ones(44, dtype=np.int64),
    }
    both = Purchases.from_columns(np.repeat(np.arange(22), 2), columns, ("x", "y"))
    assert ItemSimilarity(view=View.TOP).build_reference(original).error(both) == 1.0


def test_impossible_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match="pack must be at least 1, not 0"):
        ItemSimilarity(pack=0)
