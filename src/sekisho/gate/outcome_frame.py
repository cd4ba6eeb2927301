"""An outcome as a frame: one row for each attack on each candidate, for those who want to go on counting."""

from __future__ import annotations

import polars as pl

from sekisho.gate.outcome import Attempt, Candidate, Outcome

COLUMNS: dict[str, pl.DataType] = {
    "candidate": pl.String(),
    "verdict": pl.String(),
    "utility": pl.Float64(),
    "best": pl.Boolean(),
    "adversary": pl.String(),
    "claimed": pl.Int64(),
    "hits": pl.Int64(),
    "baseline": pl.Float64(),
    "strength": pl.Float64(),
    "predicted": pl.Float64(),
}


def outcome_frame(outcome: Outcome[Candidate[Attempt]]) -> pl.DataFrame:
    """Return the attacks on all candidates; a candidate that nobody attacked has one row without an adversary."""
    rows: list[tuple[object, ...]] = []
    for candidate in outcome.candidates:
        first = (candidate.label, candidate.verdict.value, candidate.score.value, candidate is outcome.best)
        attacks = [
            (each.adversary, each.claimed, each.hits, each.baseline, each.strength, each.predicted)
            for each in candidate.attempts
        ]
        rows += [(*first, *attack) for attack in attacks or [(None,) * 6]]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")
