"""Releases, guesses and scores as arrays and plain data, and back.

Only what can be told whole is written: a release of a special kind, or one that reports things that JSON cannot hold,
is not kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from sekisho.attack.guess import Guess
from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.labels import Labels, MarkedNumbers
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.frame.schema import Schema
from sekisho.gate.cache.content import UnwritableError
from sekisho.gate.cache.store import StoredStep
from sekisho.gate.certificate.canonical import write_canonical
from sekisho.provenance import Provenance
from sekisho.utility.score import Direction, Score


def encode_release(release: Release, schema: Schema) -> StoredStep:
    """Return a release of data of this schema as it is kept.

    Raises:
        UnwritableError: it is of a special kind, or cannot be told whole.
    """
    if type(release) is not Release or release.table.schema != schema:
        raise UnwritableError(type(release))
    arrays: dict[str, Any] = {"deleted": release.deleted}
    domains: dict[str, list[str]] = {}
    if release.table.pseudonym is not None:
        arrays["pseudonym"] = release.table.pseudonym
    for place, cells in enumerate(release.table.columns.values()):
        arrays[f"suppressed {place}"] = cells.suppressed
        if isinstance(cells, RangeCells):
            arrays |= {f"lower {place}": cells.lower, f"upper {place}": cells.upper}
        else:
            arrays |= {f"offsets {place}": cells.offsets, f"codes {place}": cells.codes}
            domains[str(place)] = list(cells.domain)
    texts: dict[str, list[str | None]] = {}
    for name, labels in release.labels.items():
        if isinstance(labels, MarkedNumbers):
            arrays |= {f"mark {name}": labels.mark, f"value {name}": labels.value}
        else:
            texts[name] = labels.to_list()
    plain = {
        "columns": list(release.table.columns),
        "domains": domains,
        "texts": texts,
        "marked": [name for name, labels in release.labels.items() if isinstance(labels, MarkedNumbers)],
        "labels": list(release.labels),
        "provenance": release.provenance.as_dict(),
        "detail": dict(release.detail),
    }
    return StoredStep(plain=_check_plain(plain), arrays=arrays)


def decode_release(step: StoredStep, schema: Schema) -> Release:
    """Return a kept release of data of this schema; whatever is wrong with it raises."""
    plain, arrays = step.plain, step.arrays
    columns: dict[str, Cells] = {}
    for place, name in enumerate(plain["columns"]):
        suppressed = arrays[f"suppressed {place}"]
        if f"lower {place}" in arrays:
            lower, upper = arrays[f"lower {place}"], arrays[f"upper {place}"]
            columns[name] = RangeCells(lower=lower, upper=upper, suppressed=suppressed)
        else:
            columns[name] = SetCells(
                offsets=arrays[f"offsets {place}"],
                codes=arrays[f"codes {place}"],
                suppressed=suppressed,
                domain=tuple(plain["domains"][str(place)]),
            )
    labels: dict[str, Labels] = {}
    for name in plain["labels"]:
        if name in plain["marked"]:
            labels[name] = MarkedNumbers(mark=arrays[f"mark {name}"], value=arrays[f"value {name}"])
        else:
            labels[name] = pl.Series(name, plain["texts"][name], dtype=pl.String)
    return Release(
        table=MaskedTable(schema=schema, columns=columns, pseudonym=arrays.get("pseudonym")),
        deleted=arrays["deleted"],
        provenance=Provenance(**plain["provenance"]),
        detail=plain["detail"],
        labels=labels,
    )


def encode_guess(guess: Guess) -> StoredStep:
    """Return a guess as it is kept.

    Raises:
        UnwritableError: it reports what JSON cannot hold.
    """
    plain = {"person": list(guess.person), "predicted": guess.predicted, "detail": dict(guess.detail)}
    return StoredStep(plain=_check_plain(plain), arrays={"published": guess.published, "chance": guess.chance})


def decode_guess(step: StoredStep) -> Guess:
    """Return a kept guess; whatever is wrong with it raises."""
    plain = step.plain
    return Guess(
        published=step.arrays["published"].astype(np.int64),
        person=tuple(plain["person"]),
        chance=step.arrays["chance"],
        predicted=plain["predicted"],
        detail=plain["detail"],
    )


def encode_scores(scores: Mapping[str, Score]) -> StoredStep:
    """Return scores by measure as they are kept.

    Raises:
        UnwritableError: one is no number, or has parts that JSON cannot hold.
    """
    plain = {
        name: {"value": score.value, "direction": score.direction.value, "detail": dict(score.detail)}
        for name, score in scores.items()
    }
    return StoredStep(plain=_check_plain(plain))


def decode_scores(step: StoredStep) -> dict[str, Score]:
    """Return kept scores; whatever is wrong with them raises."""
    return {
        name: Score(value=kept["value"], direction=Direction(kept["direction"]), detail=dict(kept["detail"]))
        for name, kept in step.plain.items()
    }


def _check_plain(plain: dict[str, Any]) -> dict[str, Any]:
    try:
        write_canonical(plain)
    except (TypeError, ValueError) as error:
        raise UnwritableError(str(error)) from error
    return plain
