"""An outcome as a frame has a row for each attack, and one for a candidate that nobody attacked."""

from __future__ import annotations

import numpy as np
import polars as pl
from tests.accounts import CLOSED

from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Column, Kind, Schema
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.shape import Shape
from sekisho.gate.outcome import Attempt, Candidate, Outcome, Reason, Verdict, outcome_frame
from sekisho.provenance import Provenance
from sekisho.seeds import Seed
from sekisho.utility.score import Score
from sekisho.words import Said


def test_a_row_for_each_attack() -> None:
    schema = Schema((Column(name="n", kind=Kind.INTEGER),))
    table = MaskedTable(schema=schema, columns={"n": RangeCells.exact(np.array([1]))})
    release = Release(table=table, deleted=np.array([False]), provenance=Provenance(name="test"))
    attempt = Attempt(adversary="chance", claimed=4, hits=1, baseline=0.5, strength=0.2)
    attacked = Candidate(
        label="a", release=release, score=Score(value=0.5), attempts=(attempt, attempt), account=CLOSED
    )
    refused = Reason(rule="no attack", verdict=Verdict.REVIEW, detail=Said("nobody has tried to find people in it"))
    nobody: tuple[Attempt, ...] = ()
    alone = Candidate(
        label="b", release=release, score=Score(value=0.1), attempts=nobody, reasons=(refused,), account=CLOSED
    )
    frame = outcome_frame(Outcome(shape=Shape.RECORDS, seed=Seed(1), candidates=(attacked, alone)))
    assert frame.rows() == [
        ("a", "release", 0.5, True, "chance", 4, 1, 0.5, 0.2, None),
        ("a", "release", 0.5, True, "chance", 4, 1, 0.5, 0.2, None),
        ("b", "review", 0.1, False, None, None, None, None, None, None),
    ]
    assert frame.schema["claimed"] == pl.Int64()
