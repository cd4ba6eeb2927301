"""Records as texts at the door, as they stand: how a method's release of them is written, and an attack on one.

Pages and attacks of the release are loaded with this, so a verb loads it only where it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

from sekisho.attack import Adversary, KnowsMore
from sekisho.cli.kit.answer import Answer
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.kit.review import tell_review
from sekisho.cli.worlds.drawn_release import (
    describe_mechanism,
    format_release,
    make_pram_page,
    make_sample_page,
    settle_randomness,
)
from sekisho.cli.worlds.own import RecordFile, mechanism_place
from sekisho.data.files.frames import is_parquet, write_parquet
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.records.category_counts import count_categories
from sekisho.data.records.microdata import write_microdata
from sekisho.data.records.space import take_kept
from sekisho.data.review import ReleaseReview, review_release
from sekisho.errors import BugError, ParameterError
from sekisho.gate.records.known_part import KnownPartAttack, attack_with_known_part
from sekisho.protect import Method
from sekisho.protect.records.pram import PramRelease
from sekisho.protect.records.sample import DrawnRelease, SampleRelease
from sekisho.provenance import Provenance, digest_file
from sekisho.seeds import Seed


def protect_records(
    name: str,
    method: Method,
    source: RecordFile,
    out: Path,
    report: Path | None,
    seed: int | None,
    allowed: Mapping[str, str],
) -> Answer:
    """Apply a method to records.

    Write the release, its mechanism beside it where it has one, and the page if asked for.
    """
    microdata = source.read()
    rng = settle_randomness(name, seed)
    start = process_time()
    with show_progress("protecting"):
        release = method.apply(microdata.data, rng=rng)
    seconds = process_time() - start
    provenance = replace(release.provenance, seed=seed, inputs={source.path.name: digest_file(source.path)})
    extra: dict[str, object] = {"out": str(out)}
    published = published_frame(release)
    files = {out: write_parquet(published) if is_parquet(out) else write_microdata(published, microdata.form)}
    if isinstance(release, DrawnRelease):
        place = mechanism_place(out)
        files[place] = describe_mechanism(release.mechanism, provenance, str(release.detail["randomness"]))
        extra["mechanism"] = str(place)
    tried = _try_known_part(microdata.data, release, seed)
    review = review_release(release, microdata.data, allowed=allowed)
    tell_review(source.path, review)
    good, refuted = _judge_promise(release, tried)
    if tried is not None:
        extra |= {"attack": tried.as_dict(), "refuted": refuted}
    if report is not None:
        files[report] = _render_page(microdata.data, release, provenance, tried, review).encode()
        extra["report"] = str(report)
    keys = {**release.detail, **review.as_dict(), "seconds": seconds, "seed": seed, **extra}
    words = format_release(keys, refuted=refuted)
    return Answer(keys=keys, words=words, good=good, review=refuted or review.needed, files=files)


def _try_known_part(data: Dataset, release: Release, seed: int | None) -> KnownPartAttack | None:
    if not isinstance(release, SampleRelease) or release.known is None:
        return None
    with show_progress("attacking"):
        return attack_with_known_part(
            data, release, release.known, seed=Seed.draw() if seed is None else Seed(seed).child("attack")
        )


def _judge_promise(release: Release, tried: KnownPartAttack | None) -> tuple[bool, bool]:
    """Return whether what was asked for is promised, and whether an attack refutes it all the same."""
    if not isinstance(release, SampleRelease):
        return release.detail.get("guaranteed") is not False, False
    return release.promised, tried is not None and tried.refutes(release.risk)


def published_frame(release: Release) -> pl.DataFrame:
    """Return what leaves of a release of records: the kept rows, in the release's own random order where it has one."""
    return release.published() if isinstance(release, DrawnRelease) else take_kept(release).frame


def _render_page(
    data: Dataset, release: Release, provenance: Provenance, tried: KnownPartAttack | None, review: ReleaseReview
) -> str:
    if isinstance(release, SampleRelease):
        return make_sample_page(release, tried, provenance, str(release.detail["randomness"]), review)
    if isinstance(release, PramRelease):
        return make_pram_page(release, count_categories(data), provenance, review)
    if isinstance(release, DrawnRelease):
        raise BugError(f"no page is known for {type(release).__name__}")
    raise ParameterError("--report", "be asked of pram or sample", release.provenance.name)


def attack_records(
    name: str, adversary: Adversary, known: RecordFile, seen: RecordFile, out: Path, seed: Seed
) -> Answer:
    """Attack published records.

    Write for each claim the record (a row from 1), the person named (an id, or a row from 1) and the chance.
    """
    released = seen.read().data
    needed = adversary.list_known_columns() if isinstance(adversary, KnowsMore) else ()
    more = [name for name in needed if name not in released.schema.names]
    knowledge = replace(known, columns=(*released.schema.names, *more)).read().data
    shown = exact_table(released)
    review = review_release(shown, knowledge)
    tell_review(seen.path, review)
    start = process_time()
    with show_progress("attacking"):
        guess = adversary.guess(shown, knowledge, rng=seed.child(name).rng())
    person = guess.person if knowledge.schema.identifier else tuple(str(int(row) + 1) for row in guess.person)
    chance = pl.Series(guess.chance).fill_nan(None)
    frame = pl.DataFrame({"record": guess.published + 1, "person": person, "chance": chance})
    expected = None if np.isnan(guess.expected_hits) else guess.expected_hits
    keys = {
        "claimed": len(guess),
        "expected_hits": expected,
        "seconds": process_time() - start,
        "seed": seed.value,
        **guess.detail,
        "identifying": list(review.names),
        "warnings": review.list_warnings(),
    }
    hits = "he does not say how many are right" if expected is None else f"{expected:.1f} hits expected"
    words = f"{len(guess):,} claims, {hits}, written to {out}"
    return Answer(keys=keys, words=words, review=review.needed, files={out: frame.write_csv().encode()})
