"""The files of keyed records at the gate: the rows in an order that tells nothing; which they are, which are gone."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from sekisho.data.records.files import write_number_lines
from sekisho.gate.certificate.claims import Claims, ClassesClaim
from sekisho.gate.certificate.recount import (
    PublishedForm,
    count_least_class,
    count_least_values,
    measure_farthest,
)
from sekisho.gate.outcome import Verdict
from sekisho.gate.outputs.files import BY_ROW, DELETED, RELEASE, TRUTH, OutputFiles, describe_form
from sekisho.gate.records.keyed.stage import KeyedCandidate, KeyedStage
from sekisho.safety.records.closeness import Distance
from sekisho.safety.records.diversity import Diversity
from sekisho.seeds import Seed


def make_keyed_files(stage: KeyedStage, best: KeyedCandidate, *, seed: Seed, release: str = RELEASE) -> OutputFiles:
    """Return the files of the chosen candidate; a refused one is not offered.

    Args:
        stage: the records.
        best: the chosen release.
        seed: of the run, from which the order of the published rows is drawn.
        release: the name of the public file, whose ending says whether it is Parquet.
    """
    rules, deleted = stage.recipe.rules, best.release.deleted
    kept = np.flatnonzero(~deleted)
    order = best.draw_order(seed)
    stays = {BY_ROW: best.write(rules, kept, Path(BY_ROW))}
    if best.ordered:  # else nobody says which row is whose
        stays[DELETED] = write_number_lines(np.flatnonzero(deleted).astype(np.int64))
        stays[TRUTH] = write_number_lines(order.astype(np.int64))
    if best.verdict is Verdict.REFUSE:
        return OutputFiles(confidential=stays)
    published = best.write(rules, order, Path(release))
    form = describe_form(rules.layout.form, release)
    return OutputFiles(
        offered={release: published},
        confidential=stays,
        claims=Claims(classes=_count_classes(stage, published, form)),
        release=release,
    )


def _count_classes(stage: KeyedStage, published: bytes, form: PublishedForm) -> tuple[ClassesClaim, ...]:
    """Return the classes as they stand in the published file, counted as whoever verifies will count them."""
    with TemporaryDirectory() as folder:
        (Path(folder) / form.file).write_bytes(published)
        frame = form.read(Path(folder))
    question, wanted = stage.question, stage.recipe.guarantees
    columns = [column.name for column in stage.original.schema.attributes]
    keys = tuple(columns.index(name) for name in question.keys)
    if not keys or not frame.height:
        return ()
    least = count_least_class(frame, keys)
    claims: list[ClassesClaim] = []
    for name in question.sensitive or ("",):
        if not name:
            claims.append(ClassesClaim(published=form, keys=keys, k=least, required_k=wanted.k))
            continue
        place = columns.index(name)
        alike = wanted.t_distance in (None, Distance.EQUAL) and not stage.original.schema[name].kind.numeric
        required = wanted.least_l if wanted.l_kind is Diversity.DISTINCT else None
        claims.append(
            ClassesClaim(
                published=form,
                keys=keys,
                k=least,
                sensitive=place,
                values=count_least_values(frame, keys, place),
                distance=measure_farthest(frame, keys, place) if alike else None,
                required_k=wanted.k,
                required_values=None if required is None else int(required),
                required_distance=wanted.t if alike else None,
            )
        )
    return tuple(claims)
