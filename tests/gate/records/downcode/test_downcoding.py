"""One question for every method: what is asked must suit the method, and what is answered must be what is possible."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

from sekisho.attack.records.downcode.answer import Knows, Roster
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.errors import ParameterError
from sekisho.gate.records.downcode.downcoding import DowncodeQuestion, Recoder, SeenRelease, downcode
from sekisho.protect.records.lattice_recoding import Lattice
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.suppress import Matching, Suppress
from sekisho.seeds import Seed


def make_people(rows: list[tuple[str, ...]]) -> Dataset:
    columns = (
        Column(name="a", kind=Kind.CATEGORY, role=Role.QUASI),
        Column(name="b", kind=Kind.CATEGORY, role=Role.QUASI),
        Column(name="ill", kind=Kind.CATEGORY, role=Role.SENSITIVE),
    )
    frame = pl.DataFrame(dict(zip(("a", "b", "ill"), zip(*rows, strict=True), strict=True)))
    return Dataset(frame, Schema(columns))


def test_who_knows_everybody_s_keys_knows_the_two_who_share_a_value() -> None:
    # At the finest level groups (p) and (q) have 2 and 3 people; (p) has h twice, so they are joined. Of the class h h
    # f x y only (p) can have one value: both of its people have h for certain, 2/5 by the class.
    data = make_people([("p", "u", "h"), ("p", "u", "h"), ("q", "u", "f"), ("q", "u", "x"), ("q", "u", "y")])
    release = Lattice(keys=("a", "b"), k=2, sensitive="ill", l=2).apply(data, rng=Seed(1).rng())
    assert release.detail["levels"] == {"a": 1, "b": 0}
    question = DowncodeQuestion(
        method=Recoder.LATTICE, keys=("a", "b"), k=2, roster=Roster.ALL, sensitive="ill", distinct=2.0
    )
    answer = downcode(question, SeenRelease.of_release(release, data))
    assert (answer.cells, answer.known, answer.narrowed) == (5, 2, 5)
    assert answer.guess == pytest.approx((2 * 1 + 3 * 1 / 3) / 5)
    assert answer.guess_rule == pytest.approx(2 / 5)


def test_who_runs_the_program_itself_knows_no_less_than_who_reads() -> None:
    for values in list(product("01", repeat=8))[5:250:35]:
        data = make_people([(values[2 * row], values[2 * row + 1], "x") for row in range(4)])
        if len(set(values[::2])) < 2 or len(set(values[1::2])) < 2:
            continue
        release = Suppress(keys=("a", "b"), k=2).apply(data, rng=Seed(1).rng())
        seen = SeenRelease.of_release(release, data)
        asked: dict[str, Any] = {"method": Recoder.SUPPRESS, "keys": ("a", "b"), "k": 2, "matching": Matching.ANY}
        by_tie = downcode(DowncodeQuestion(**asked, knows=Knows.TIE), seen)
        by_rule = downcode(DowncodeQuestion(**asked, knows=Knows.RULE), seen)
        assert by_tie.cells == by_rule.cells
        assert by_tie.excluded == 0
        assert by_tie.narrowed >= by_rule.narrowed == 0


def test_classes_of_two_are_known_to_hold_their_ends_and_others_know_who_is_alone() -> None:
    schema = Schema((Column(name="age", kind=Kind.INTEGER, role=Role.QUASI),))
    data = Dataset(pl.DataFrame({"age": [20, 25, 40, 43, 47]}), schema)
    release = Partition(keys=("age",), k=2, effort=0.0).apply(data, rng=Seed(1).rng())
    seen = SeenRelease.of_release(release, data)
    one = downcode(DowncodeQuestion(method=Recoder.PARTITION, keys=("age",), k=2), seen)
    assert (one.cells, one.narrowed, one.known) == (5, 2, 0)
    # of [40;47] over three: (8^2 - 7^2) / (8^3 - 2 7^3 + 6^3) = 15 / 42
    assert one.guess == pytest.approx((2 * 1 / 2 + 3 * 15 / 42) / 5)
    others = downcode(DowncodeQuestion(method=Recoder.PARTITION, keys=("age",), k=2, roster=Roster.OTHERS), seen)
    assert (others.narrowed, others.known, others.hits) == (4, 4, 4)
    unknown = SeenRelease(table=seen.table, known=data)
    with pytest.raises(ParameterError):
        downcode(DowncodeQuestion(method=Recoder.PARTITION, keys=("age",), k=2, roster=Roster.OTHERS), unknown)


def test_what_does_not_suit_is_refused() -> None:
    data = make_people([("p", "u", "h")] * 4)
    seen = SeenRelease.of_release(Suppress(keys=("a", "b"), k=2).apply(data, rng=Seed(1).rng()), data)
    unsuited: list[dict[str, Any]] = [
        {"method": Recoder.PARTITION, "roster": Roster.ALL},
        {"method": Recoder.LATTICE, "roster": Roster.ALL},
        {"method": Recoder.LATTICE, "distinct": 2.0},
        {"method": Recoder.LATTICE, "knows": Knows.TIE},
        {"method": Recoder.PARTITION, "knows": Knows.TIE},
    ]
    for asked in unsuited:
        with pytest.raises(ParameterError):
            downcode(DowncodeQuestion(keys=("a", "b"), k=2, **asked), seen)
    fewer = SeenRelease(table=seen.table.take(np.arange(2)), known=data)
    with pytest.raises(ParameterError):
        downcode(DowncodeQuestion(method=Recoder.LATTICE, keys=("a", "b"), k=2), fewer)
