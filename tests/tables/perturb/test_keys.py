"""The same people must have the same noise everywhere, and nobody else may be able to find out their keys."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import InputError, ParameterError
from sekisho.tables.audit.statement_audit import audit_statements
from sekisho.tables.audit.statements import Statements
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.perturb.keys import RecordKeys, find_keys_beside, keep_keys, place_words
from sekisho.tables.perturb.method import Additivity, close_sums, perturb_counts, sum_keys
from sekisho.tables.perturb.rows import UNIT, NoisePlan

NOISE = NoisePlan(most=2, variance=Fraction(1)).make_table()
TREE = Dimension(name="a", parent={"n": "Total", "s": "Total", "n1": "n", "n2": "n"})
FLAT = Dimension.flat("b", ["x", "y", "z"])


def test_the_key_of_a_cell_is_a_keyed_hash_of_the_sum() -> None:
    keys = RecordKeys.draw(3)
    total = sum(keys.keys.tolist()) % 2**64
    digest = hmac.new(keys.secret, total.to_bytes(8, "little"), "sha256").digest()
    place = int.from_bytes(digest[:8], "little") * UNIT // 2**64
    assert keys.place_cells(np.array([total, 0, total], dtype=np.uint64))[[0, 2]].tolist() == [place, place]


@given(words=st.lists(st.integers(0, 2**64 - 1), min_size=1))
def test_places_are_whole_parts(words: list[int]) -> None:
    assert place_words(np.array(words, dtype=np.uint64)).tolist() == [word * UNIT // 2**64 for word in words]


@given(seed=st.integers(0, 99), rows=st.integers(0, 40))
def test_sums_of_keys_of_every_cell(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    leaves = np.column_stack([rng.integers(0, 3, rows), rng.integers(0, 3, rows)])
    keys = rng.integers(0, 2**64, rows, dtype=np.uint64)
    sums = sum_keys([TREE, FLAT], leaves, keys)
    table = from_inner([TREE, FLAT], [], np.zeros(0))
    below = {"Total": {"n1", "n2", "s"}, "n": {"n1", "n2"}}
    for (a, b), found in zip(table.keys, sums.tolist(), strict=True):
        own = [
            key
            for (one, two), key in zip(leaves.tolist(), keys.tolist(), strict=True)
            if TREE.leaves[one] in below.get(a, {a}) and b in ("Total", FLAT.leaves[two])
        ]
        assert found == sum(own) % 2**64


def test_the_same_people_have_the_same_noise_in_every_table(tmp_path: Path) -> None:
    source, place = tmp_path / "r.csv", tmp_path / "k.json"
    source.write_text("r")
    ids = [f"p{at}" for at in range(30)]
    first = keep_keys(place, source, "d", identity="id", records=ids, rows=30)
    assert first.new
    place.write_bytes(first.keys.to_bytes())
    # the same people in another order, and two more: the old ones keep their keys
    again = keep_keys(place, source, "e", identity="id", records=["new", *reversed(ids), "other"], rows=32)
    assert again.new
    assert again.words[1:-1].tolist() == first.words[::-1].tolist()
    assert again.keys.secret == first.keys.secret
    leaves = np.random.default_rng(0).integers(0, 3, (30, 2))
    both = first.keys.place_cells(sum_keys([TREE, FLAT], leaves, first.words))
    one = first.keys.place_cells(sum_keys([FLAT], leaves[:, 1:], first.words))
    table = from_inner([TREE, FLAT], [], np.zeros(0))
    margin = [at for at, key in enumerate(table.keys) if key[0] == "Total"]
    assert both[margin].tolist() == one.tolist()


def test_keys_that_are_refused(tmp_path: Path) -> None:
    source, place = tmp_path / "r.csv", tmp_path / "k.json"
    source.write_text("r")
    rows = keep_keys(place, source, "d", identity="", records=[], rows=9)
    place.write_bytes(rows.keys.to_bytes())
    assert keep_keys(place, source, "d", identity="", records=[], rows=9).words.tolist() == rows.words.tolist()
    with pytest.raises(ParameterError, match="of another file"):
        keep_keys(place, source, "other", identity="", records=[], rows=9)
    with pytest.raises(ParameterError, match="tell records apart"):
        keep_keys(place, source, "d", identity="id", records=list("abcdefghi"), rows=9)
    with pytest.raises(ParameterError, match="drawn anew"):  # keys of the same file lie beside it
        keep_keys(tmp_path / "other.json", source, "d", identity="", records=[], rows=9)
    with pytest.raises(ParameterError, match="every record from every other"):
        RecordKeys.draw(2, identity="id", records=["a", "b"]).take_records("id", ["a", "a"])
    with pytest.raises(ParameterError, match="with the column id"):
        RecordKeys.draw(2, identity="id", records=["a", "b"]).take_rows(2, "")


@pytest.mark.parametrize(("strangers", "same"), [(1, True), (2, True), (3, False)])
def test_keys_of_half_of_the_records_or_more_are_those_of_the_same_people(
    tmp_path: Path, strangers: int, *, same: bool
) -> None:
    kept = tmp_path / "k.json"
    kept.write_bytes(RecordKeys.draw(3, identity="id", records=["a", "b", "z"], source="d").to_bytes())
    records = ["a", "b", *(f"new {number}" for number in range(strangers))]
    assert find_keys_beside([tmp_path / "other.json"], "e", records) == (kept if same else None)


def test_keys_of_the_rows_of_another_file_are_nobodys_here(tmp_path: Path) -> None:
    kept = tmp_path / "k.json"
    kept.write_bytes(RecordKeys.draw(3, source="d").to_bytes())
    assert find_keys_beside([tmp_path / "other.json"], "e", []) is None
    assert find_keys_beside([tmp_path / "other.json"], "d", []) == kept


@pytest.mark.parametrize(
    ("keys", "secret", "what"),
    [
        (np.arange(1, 20, dtype=np.uint64), 32, "64 bits"),  # from a counter
        (np.arange(1, 20, dtype=np.uint64) << np.uint64(40), 32, "64 bits"),  # 24 bits moved up
        (np.array([7, 7], dtype=np.uint64), 32, "the same"),
        (np.array([7, 8], dtype=np.uint64), 8, "128 bits"),
    ],
)
def test_keys_that_protect_nobody(tmp_path: Path, keys: np.ndarray, secret: int, what: str) -> None:
    with pytest.raises(ParameterError, match=what):
        RecordKeys(keys=keys, secret=bytes(secret))
    place = tmp_path / "k.json"
    good = RecordKeys.draw(2)
    told = json.loads(good.to_bytes())
    assert RecordKeys.read(_write(place, told)).commitment == good.commitment
    for wrong in (told | {"secret": "00"}, {"a": 1}, [], told | {"records": 3}):
        with pytest.raises(InputError):
            RecordKeys.read(_write(place, wrong))


def _write(place: Path, told: object) -> Path:
    place.write_text(json.dumps(told))
    return place


@given(seed=st.integers(0, 60))
def test_the_closest_additive_table(seed: int) -> None:
    """By trying every table in reach: no additive one changes less."""
    rng = np.random.default_rng(seed)
    dimension = Dimension.flat("a", ["x", "y"])
    table = from_inner([dimension, Dimension.flat("b", ["p", "q"])], [], np.zeros(0))
    shown = rng.integers(0, 4, 9)
    closest = close_sums(table.matrix, shown)
    assert not np.any(table.matrix @ closest.astype(float))
    assert closest.min() >= 0
    best = min(int(np.abs(_add_up(inner) - shown).sum()) for inner in product(range(6), repeat=4))
    assert int(np.abs(closest - shown).sum()) == best


def _add_up(inner: tuple[int, ...]) -> np.ndarray:
    a, b, c, d = inner
    return np.array([a + b + c + d, a + c, b + d, a + b, a, b, c + d, c, d])


def test_sums_of_what_is_shown() -> None:
    rng = np.random.default_rng(3)
    keys = list(product(TREE.leaves, FLAT.leaves))
    table = from_inner([TREE, FLAT], keys, rng.integers(0, 9, len(keys)).astype(float))
    places = rng.integers(0, UNIT, len(table))
    plain = perturb_counts(table, [TREE, FLAT], NOISE, places)
    summed = perturb_counts(table, [TREE, FLAT], NOISE, places, additive=Additivity.SUM)
    assert summed.shown[summed.inner].tolist() == plain.shown[plain.inner].tolist()
    assert not np.any(table.matrix @ summed.shown.astype(float))
    for each in (plain, summed):
        audit = audit_statements(table, each.statements, truth=table.value)
        assert np.all((audit.low <= table.value) & (table.value <= audit.high))
    closest = perturb_counts(table, [TREE, FLAT], NOISE, places, additive=Additivity.CLOSEST)
    # Made of the numbers with noise alone, it says no more than they do: who saw these is the stronger reader.
    assert np.array_equal(closest.looked, plain.shown)
    assert np.array_equal(closest.statements.low, plain.statements.low)
    assert np.array_equal(closest.find_evidence().chance, plain.find_evidence().chance)
    with pytest.raises(ParameterError, match="be a count"):
        perturb_counts(from_inner([FLAT], [("x",)], np.array([0.5])), [FLAT], NOISE, np.zeros(4, dtype=np.int64))


def test_intervals_of_tables_with_noise(shared: Callable[[str], Path]) -> None:
    cases = json.loads(shared("tables/beyond/bounded-noise-intervals.json").read_text())["cases"]
    for case in cases:
        cells = case["published_cells_in_order"]
        codes = [sorted({key[axis] for key, _ in cells} - {"Total"}) for axis in range(len(case["shape"]))]
        dimensions = [Dimension.flat("abc"[axis], each) for axis, each in enumerate(codes)]
        table = from_inner(dimensions, [], np.zeros(0))
        shown = np.zeros(len(table), dtype=np.int64)
        shown[[table.position[tuple(key)] for key, _ in cells]] = [number for _, number in cells]
        noise = NoisePlan(most=case["D"], variance=Fraction(case["V"]), threshold=case["js"]).make_table()
        rows = [dict(zip(row.targets, row.units, strict=True)) for row in noise.rows]
        audit = audit_statements(table, Statements.noisy(shown, rows=rows))
        inner = [table.position[key] for key in product(*codes)]
        origins = [noise.list_origins(int(shown[cell])) for cell in inner]
        assert [min(each) for each in origins] == case["alone_low"], case["id"]
        assert [max(each) for each in origins] == case["alone_high"], case["id"]
        assert audit.low[inner].tolist() == case["joint_low"], case["id"]
        assert audit.high[inner].tolist() == case["joint_high"], case["id"]
    assert len(cases) == 12
