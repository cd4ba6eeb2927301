"""A release is called proven, refuted or neither by what its classes of twins and their candidates are."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.shopping import Line, names, releases, shop

from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.gate.history.safe_k import check_claim
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.provenance import Provenance
from sekisho.safety.claim import Standing
from sekisho.safety.pseudonyms import PseudonymSign
from sekisho.seeds import Seed

THIRD = Fraction(1, 3)


def market(customers: int) -> Dataset:
    """Return customers of four purchases each, with items of their own."""
    lines: list[Line] = [
        (f"c{who:02}", (who * 7 + at) % 40, f"i{who:02}{at}", 100 + who * 10 + at, 1 + at)
        for who in range(customers)
        for at in range(4)
    ]
    return shop(lines)


def unchanged(data: Dataset) -> Release:
    return Release(
        table=exact_table(data, pseudonym=names(data)),
        deleted=np.zeros(len(data), dtype=np.bool_),
        provenance=Provenance(name="test"),
    )


def test_threes_are_refuted_and_sevens_are_proven() -> None:
    data = market(21)
    for k, standing, chance in ((3, Standing.REFUTED, Fraction(1, 6)), (7, Standing.HOLDS, Fraction(1, 5040))):
        release = SimilarLength(k=k).apply(data, rng=Seed(1).rng())
        finding = check_claim(data, release, THIRD)
        assert finding.standing is standing
        assert finding.worst is not None
        assert (finding.worst.size, finding.worst.chance, finding.worst.allowed) == (k, chance, THIRD**k)


def test_raw_histories_are_named_for_certain() -> None:
    finding = check_claim(market(4), unchanged(market(4)), THIRD)
    assert finding.standing is Standing.REFUTED
    assert [(each.size, each.classes, each.closed) for each in finding.by_size] == [(1, 4, 4)]


def test_equal_customers_are_twins_without_any_change() -> None:
    data = shop([(f"c{who}", 3, "i1", 100, 1) for who in range(7)])
    assert check_claim(data, unchanged(data), THIRD).standing is Standing.HOLDS


def test_a_class_that_could_be_others_is_not_proven() -> None:
    """Four customers, one published: who he is among the four, nobody can tell, yet no class of four is published."""
    data = shop([(f"c{who}", 3, "i1", 100, 1) for who in range(4)])
    deleted = np.array([False, True, True, True])
    table = exact_table(data, pseudonym=np.where(deleted, 0, names(data)))
    release = Release(table=table, deleted=deleted, provenance=Provenance(name="test"))
    finding = check_claim(data, release, THIRD)
    assert finding.standing is Standing.NOT_PROVEN
    assert finding.by_size[0].closed == 0


def test_who_is_needed_elsewhere_is_no_candidate() -> None:
    """b fits both pseudonyms, but only b fits the second: the first is a's alone."""
    data = shop([("a", 1, "i1", 100, 1), ("b", 1, "i1", 100, 1), ("b", 2, "i2", 100, 1)])
    finding = check_claim(data, unchanged(data), THIRD)
    assert [(each.size, each.classes, each.closed) for each in finding.by_size] == [(1, 2, 2)]


def test_a_release_that_nobody_explains_is_never_called_refuted() -> None:
    data = market(3)
    columns = dict(unchanged(data).table.columns)
    price = columns["price"]
    assert isinstance(price, RangeCells)
    columns["price"] = RangeCells(lower=price.lower + 5000, upper=price.upper + 5000, suppressed=price.suppressed)
    table = MaskedTable(schema=data.schema, columns=columns, pseudonym=names(data))
    release = Release(table=table, deleted=np.zeros(len(data), dtype=np.bool_), provenance=Provenance(name="test"))
    assert check_claim(data, release, THIRD).standing is Standing.NOT_PROVEN


def test_pseudonyms_in_the_customers_order_are_no_proof() -> None:
    """Sevens, but numbered as the customers are: whoever tries that order names them all."""
    data = market(21)
    release = SimilarLength(k=7).apply(data, rng=Seed(1).rng())
    for numbers in (data.codes("customer").astype(np.int64) + 1, 100 - data.codes("customer").astype(np.int64)):
        table = MaskedTable(schema=data.schema, columns=release.table.columns, pseudonym=numbers)
        sorted_release = Release(table=table, deleted=release.deleted, provenance=release.provenance)
        finding = check_claim(data, sorted_release, THIRD)
        assert finding.pattern is not None
        assert finding.pattern.in_order or finding.pattern.sign is PseudonymSign.SHIFTED
        assert finding.standing is Standing.NOT_PROVEN
    assert check_claim(data, release, THIRD).pattern is None


def test_nothing_published_holds_of_nobody() -> None:
    data = market(2)
    gone = np.ones(len(data), dtype=np.bool_)
    table = exact_table(data, pseudonym=np.zeros(len(data), dtype=np.int64))
    release = Release(table=table, deleted=gone, provenance=Provenance(name="test"))
    assert check_claim(data, release, THIRD).worst is None


@try_examples(60)
@given(case=releases(), p=st.sampled_from([Fraction(1, 2), THIRD, Fraction(1, 10)]))
def test_closed_classes_are_those_with_the_same_people_in_every_explanation(
    case: tuple[Dataset, Release], p: Fraction
) -> None:
    data, release = case
    finding = check_claim(data, release, p)
    assert {each.size: (each.classes, each.closed) for each in finding.by_size} == count_by_hand(data, release)


def count_by_hand(data: Dataset, release: Release) -> dict[int, tuple[int, int]]:
    """Try every one-to-one explanation of the pseudonyms by customers."""
    rows: dict[int, list[int]] = {}
    for row in np.flatnonzero(~release.deleted).tolist():
        rows.setdefault(int(release.table.pseudonym[row]) if release.table.pseudonym is not None else 0, []).append(row)
    customers = {who: np.flatnonzero(data.codes("customer") == who).tolist() for who in set(data.codes("customer"))}
    pseudonyms = sorted(rows)
    allowed = {
        name: {who for who, own in customers.items() if match(data, release, rows[name], own, frozenset())}
        for name in rows
    }
    twins: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for name in pseudonyms:
        twins.setdefault(tuple(sorted(Counter(written(release, row) for row in rows[name]).items())), []).append(name)
    ways = [
        dict(zip(pseudonyms, choice, strict=True))
        for choice in permutations(sorted(customers), len(pseudonyms))
        if all(who in allowed[name] for name, who in zip(pseudonyms, choice, strict=True))
    ]
    counts: dict[int, tuple[int, int]] = {}
    for members in twins.values():
        people = {frozenset(way[name] for name in members) for way in ways}
        classes, closed = counts.get(len(members), (0, 0))
        counts[len(members)] = (classes + 1, closed + (len(people) == 1))
    return counts


def written(release: Release, row: int) -> str:
    table = release.table
    parts: list[str] = []
    for name in ("date", "price", "quantity"):
        cells = table.numbers(name)
        parts.append("*" if cells.suppressed[row] else f"{cells.lower[row]}-{cells.upper[row]}")
    items = table.sets("item")
    own = sorted(items.codes[items.offsets[row] : items.offsets[row + 1]].tolist())
    return ";".join([*parts, "*" if items.suppressed[row] else str(own)])


def match(data: Dataset, release: Release, mine: list[int], own: list[int], used: frozenset[int]) -> bool:
    """Try to give every published row a row of the customer's own."""
    if not mine:
        return True
    return any(
        match(data, release, mine[1:], own, used | {fact})
        for fact in own
        if fact not in used and fits(data, release, mine[0], fact)
    )


def fits(data: Dataset, release: Release, row: int, fact: int) -> bool:
    table = release.table
    for name in ("date", "price", "quantity"):
        cells, value = table.numbers(name), data.grid(name)[fact]
        if not (cells.suppressed[row] or cells.lower[row] <= value <= cells.upper[row]):
            return False
    items = table.sets("item")
    own = items.codes[items.offsets[row] : items.offsets[row + 1]]
    return bool(items.suppressed[row] or data.codes("item")[fact] in own)
