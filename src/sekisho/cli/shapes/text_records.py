"""Records as texts at the door, as they stand: how a method's release of them is written, and an attack on one.

Pages and attacks of the release are loaded with this, so a verb loads it only where it is asked for.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

from sekisho.attack import Adversary, KnowsMore
from sekisho.cli.kit.answer import Answer
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.kit.review import tell_review
from sekisho.cli.shapes.file_options import RecordFile
from sekisho.data.frame.release import exact_table
from sekisho.data.review import review_release
from sekisho.seeds import Seed
from sekisho.words import Said


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
    with show_progress(Said("attacking")):
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
    words = (
        Said("{claims:,} claims, he does not say how many are right, written to {out}", claims=len(guess), out=out)
        if expected is None
        else Said(
            "{claims:,} claims, {expected:.1f} hits expected, written to {out}",
            claims=len(guess),
            expected=expected,
            out=out,
        )
    )
    return Answer(keys=keys, words=words, review=review.needed, files={out: frame.write_csv().encode()})
