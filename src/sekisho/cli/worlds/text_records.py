"""Records as texts at the door, as they stand: how a method's release of them is written, and an attack on one.

Pages and attacks of the release are loaded with this, so a verb loads it only where it is asked for.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

from sekisho.attack import Adversary
from sekisho.cli.kit.answer import Answer, format_keys, say
from sekisho.cli.kit.language.choice import chosen_language
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.worlds.own import RecordFile, mechanism_place
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.records.microdata import write_microdata
from sekisho.data.records.space import take_kept
from sekisho.errors import BugError, ParameterError
from sekisho.gate.frontier import compute_errors, rebuild_frontier
from sekisho.gate.records.known_part import KnownPartAttack, attack_with_known_part
from sekisho.protect import Method
from sekisho.protect.records.pram import PramRelease
from sekisho.protect.records.sample import DrawnRelease, SampleRelease
from sekisho.provenance import Provenance, digest_file
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.pages.records.frontier import RELEASE_TITLE, release_blocks
from sekisho.report.pages.records.sampling import SAMPLE_TITLE, sample_blocks
from sekisho.safety.usefulness import Usefulness
from sekisho.seeds import Seed, secret_rng


def protect_records(
    name: str, method: Method, source: RecordFile, out: Path, report: Path | None, seed: int | None
) -> Answer:
    """Apply a method to records.

    Write the release, its mechanism beside it where it has one, and the page if asked for.
    """
    microdata = source.read()
    if seed is None:
        say("randomness: secret, from the operating system; nobody can repeat this release")
    else:
        say(f"randomness: seed {seed}; whoever knows it can undo the protection")
    start = process_time()
    with show_progress("protecting"):
        release = method.apply(microdata.data, rng=secret_rng() if seed is None else Seed(seed).child(name).rng())
    seconds = process_time() - start
    provenance = replace(release.provenance, seed=seed, inputs={source.path.name: digest_file(source.path)})
    extra: dict[str, object] = {"out": str(out)}
    files = {out: write_microdata(published_frame(release), microdata.form)}
    if isinstance(release, DrawnRelease):
        description = release.mechanism.as_dict() | {
            "provenance": provenance.as_dict(),
            "randomness": release.detail["randomness"],
        }
        files[mechanism_place(out)] = json.dumps(description, ensure_ascii=False, indent=1).encode()
        extra["mechanism"] = str(mechanism_place(out))
    tried = _try_known_part(microdata.data, release, seed)
    good, review = _judge_promise(release, tried)
    if tried is not None:
        extra |= {"attack": tried.as_dict(), "refuted": review}
    if report is not None:
        files[report] = _render_page(microdata.data, release, provenance, tried).encode()
        extra["report"] = str(report)
    keys = {**release.detail, "seconds": seconds, "seed": seed, **extra}
    words = format_keys(keys)
    if tried is not None and review:
        words += "\nthe assumption fails on this file: do not rely on the risk"
    return Answer(keys=keys, words=words, good=good, review=review, files=files)


def _try_known_part(data: Dataset, release: Release, seed: int | None) -> KnownPartAttack | None:
    if not isinstance(release, SampleRelease) or release.known is None:
        return None
    with show_progress("attacking"):
        return attack_with_known_part(
            data, release, release.known, seed=Seed.draw() if seed is None else Seed(seed).child("attack")
        )


def _judge_promise(release: Release, tried: KnownPartAttack | None) -> tuple[bool, bool]:
    """Return whether what was asked for is promised, and whether a person must look at it all the same."""
    if not isinstance(release, SampleRelease):
        usefulness = release.usefulness if isinstance(release, PramRelease) else Usefulness()
        return release.detail.get("guaranteed") is not False, usefulness.review
    return release.promised, tried is not None and tried.refutes(release.risk)


def published_frame(release: Release) -> pl.DataFrame:
    """Return what leaves of a release of records: the kept rows, in the release's own random order where it has one."""
    return release.published() if isinstance(release, DrawnRelease) else take_kept(release).frame


def _render_page(data: Dataset, release: Release, provenance: Provenance, tried: KnownPartAttack | None) -> str:
    if not isinstance(release, DrawnRelease):
        raise ParameterError("--report", "be asked of pram or sample", release.provenance.name)
    randomness = str(release.detail["randomness"])
    if isinstance(release, SampleRelease):
        sample = sample_blocks(release, tried, provenance, randomness=randomness)
        return render_page(SAMPLE_TITLE, sample, language=chosen_language(), edition=Edition.CONFIDENTIAL)
    if not isinstance(release, PramRelease):
        raise BugError(f"no page is known for {type(release).__name__}")
    wanted = release.detail["wanted_k"]
    k = Fraction(release.guarantee.k) if wanted is None else Fraction(str(wanted))
    blocks = release_blocks(
        release.mechanism,
        release.guarantee,
        provenance,
        randomness=randomness,
        frontier=rebuild_frontier(data, release.mechanism, k) if k > 1 else None,
        errors=compute_errors(data, release.mechanism),
    )
    return render_page(RELEASE_TITLE, blocks, language=chosen_language(), edition=Edition.CONFIDENTIAL)


def attack_records(
    name: str, adversary: Adversary, known: RecordFile, seen: RecordFile, out: Path, seed: Seed
) -> Answer:
    """Attack published records.

    Write for each claim the record (a row from 1), the person named (an id, or a row from 1) and the chance.
    """
    released = seen.read().data
    more = [name for name in getattr(adversary, "known_columns", ()) if name not in released.schema.names]
    knowledge = replace(known, columns=(*released.schema.names, *more)).read().data
    start = process_time()
    with show_progress("attacking"):
        guess = adversary.guess(exact_table(released), knowledge, rng=seed.child(name).rng())
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
    }
    hits = "he does not say how many are right" if expected is None else f"{expected:.1f} hits expected"
    words = f"{len(guess):,} claims, {hits}, written to {out}"
    return Answer(keys=keys, words=words, files={out: frame.write_csv().encode()})
