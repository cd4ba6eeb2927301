"""Records as texts at the door, beyond memory: the release is written as it is made.

An engine is loaded with this, so a verb loads it only where it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np

from sekisho.cli.kit.answer import Answer, format_keys, say
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.kit.review import tell_review
from sekisho.cli.shapes.file_options import RecordFile, mechanism_place
from sekisho.data.engines.addresses import digest_inputs
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.review_scan import review_scan
from sekisho.data.engines.sink import write_scan
from sekisho.data.frame.schema import Kind
from sekisho.data.records.category_counts import list_distinct
from sekisho.data.review import ReleaseReview
from sekisho.errors import ParameterError
from sekisho.gate.records.engine.known_part import attack_large_sample
from sekisho.gate.records.known_part import KnownPartAttack
from sekisho.journey.release import describe_mechanism
from sekisho.protect import Method
from sekisho.protect.records.engine.records import LargeRecords, open_records
from sekisho.protect.records.engine.release import (
    LargePramRelease,
    LargeSampleRelease,
    release_pram,
    release_sample,
)
from sekisho.protect.records.pram import Pram
from sekisho.protect.records.sample import Sample
from sekisho.provenance import Provenance
from sekisho.report.pages.records.sampling import render_pram_page, render_sample_page
from sekisho.seeds import Seed, secret_rng
from sekisho.words import Said, join_words


def protect_large_records(
    name: str,
    method: Method,
    source: RecordFile,
    out: Path,
    report: Path | None,
    seed: int | None,
    choice: EngineChoice,
    allowed: Mapping[str, str],
) -> Answer:
    """Apply PRAM or sampling to records beyond memory; write the release, and return the rest.

    Raises:
        ParameterError: the method has no way beyond memory.
    """
    if not isinstance(method, Pram | Sample):
        raise ParameterError("engine", Said("be given for a method that works beyond memory"), name)
    rng = settle_randomness(name, seed)
    start = process_time()
    with (
        show_progress(Said("protecting")),
        open_records(
            source.path,
            choice,
            form=source.form,
            columns=source.columns,
            identifier=source.identifier,
            beside=out,
        ) as records,
    ):
        release = _make_release(method, records, rng)
        say(
            Said(
                "{path}: {form}; {whole:,} records",
                path=source.path,
                form=records.scan.form,
                whole=release.mechanism.records,
            )
        )
        provenance = replace(release.provenance, seed=seed, inputs=digest_inputs([source.path]))
        texts = dict.fromkeys(release.published.names, Kind.CATEGORY)
        review = review_scan(
            release.published, release.detail, kinds=texts, lasting=list_distinct(release.counts), allowed=allowed
        )
        tell_review(source.path, review)
        answer = _answer(release, provenance, report, seed, review)
        _write_release(release, records, source, out)
    place = mechanism_place(out)
    keys = {
        **answer.keys,
        "seconds": process_time() - start,
        "seed": seed,
        "out": str(out),
        "mechanism": str(place),
        **({} if report is None else {"report": str(report)}),
        "engine": choice.engine.value,
    }
    description = describe_mechanism(release.mechanism, provenance, str(release.detail["randomness"]))
    words = format_keys(keys)
    if keys.get("refuted"):
        words = join_words([words, Said("the assumption fails on this file: do not rely on the risk")], "\n")
    return replace(answer, keys=keys, words=words, files={**answer.files, place: description})


def _make_release(
    method: Pram | Sample, records: LargeRecords, rng: np.random.Generator
) -> LargePramRelease | LargeSampleRelease:
    if isinstance(method, Pram):
        return release_pram(method, records, rng=rng)
    return release_sample(method, records, rng=rng)


def _answer(
    release: LargePramRelease | LargeSampleRelease,
    provenance: Provenance,
    report: Path | None,
    seed: int | None,
    review: ReleaseReview,
) -> Answer:
    """Return what is told of a release, and its page if that is asked for."""
    if isinstance(release, LargePramRelease):
        page = (
            {}
            if report is None
            else {
                report: render_pram_page(
                    release, release.counts, provenance, review=review, language=chosen_language()
                ).encode()
            }
        )
        good, keys = release.detail.get("guaranteed") is not False, {**release.detail, **review.as_dict()}
        return Answer(keys=keys, words="", good=good, review=review.needed, files=page)
    tried = _try_known_part(release, seed)
    refuted = tried is not None and tried.refutes(release.risk)
    attack = {} if tried is None else {"attack": tried.as_dict(), "refuted": refuted}
    keys = {**release.detail, **review.as_dict(), **attack}
    randomness = str(release.detail["randomness"])
    page = (
        {}
        if report is None
        else {
            report: render_sample_page(
                release, tried, provenance, randomness=randomness, review=review, language=chosen_language()
            ).encode()
        }
    )
    good = release.risk is None or release.risk.promised
    return Answer(keys=keys, words="", good=good, review=refuted or review.needed, files=page)


def _try_known_part(release: LargeSampleRelease, seed: int | None) -> KnownPartAttack | None:
    if release.known is None:
        return None
    attack_seed = Seed.draw() if seed is None else Seed(seed).child("attack")
    return attack_large_sample(release, release.known, seed=attack_seed)


def _write_release(
    release: LargePramRelease | LargeSampleRelease, records: LargeRecords, source: RecordFile, out: Path
) -> None:
    form = records.scan.csv if records.scan.csv.separator is not None else replace(source.form, header=True)
    write_scan(
        release.published,
        out,
        separator=form.separator or ",",
        header=form.header is not False,
        encoding=form.encoding or "utf-8",
    )


def settle_randomness(name: str, seed: int | None) -> np.random.Generator:
    """Return where a method's chance comes from, and say so."""
    if seed is None:
        say(Said("randomness: secret, from the operating system; nobody can repeat this release"))
        return secret_rng()
    say(Said("randomness: seed {asked}; whoever knows it can undo the protection", asked=seed))
    return Seed(seed).child(name).rng()
