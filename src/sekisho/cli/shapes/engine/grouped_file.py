"""Groups of a history whose rows stay on a cluster, at the door. Loaded where it is asked for, with the engine."""

from __future__ import annotations

from dataclasses import replace
from time import process_time
from typing import NoReturn

import typer

from sekisho.cli.kit.answer import format_keys, give_answer, say
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.kit.review import tell_review
from sekisho.cli.kit.suits import refuse_unsuited
from sekisho.cli.shapes.files import ProtectFiles
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.review_scan import review_scan
from sekisho.data.engines.sink import write_scan
from sekisho.data.files.frames import is_parquet
from sekisho.errors import ParameterError
from sekisho.gate.fit import fit
from sekisho.protect import Method
from sekisho.protect.history.engine.block_kernels import Publishing
from sekisho.protect.history.engine.history import open_history
from sekisho.protect.history.engine.release import release_groups
from sekisho.protect.history.groups import Groups
from sekisho.safety.terms import USUAL_MEASURE, HistoryTerms, Terms
from sekisho.seeds import Seed
from sekisho.words import Said

UNSUITED = ("safe", "attackers", "confidence")
"""Options that need the history in memory."""


def protect_beyond_memory(
    method: Method,
    book: Terms,
    files: ProtectFiles,
    choice: EngineChoice,
    *,
    context: typer.Context,
    seed: Seed,
    as_json: bool,
) -> NoReturn:
    """Group a history on a cluster, write what is published of it there, and answer as in memory.

    Raises:
        ParameterError: the method has no way there, or the release is no Parquet or is measured in another way.
        FaultsError: an option does not suit work on a cluster.
    """
    if not isinstance(method, Groups) or not isinstance(book, HistoryTerms) or book.layout.strict:
        raise ParameterError("engine", Said("be given for groups of a history of one's own"), choice.engine.value)
    if not is_parquet(files.out):
        raise ParameterError("out", Said("end in .parquet: Spark writes a folder of Parquet files"), str(files.out))
    if book.utility.measure != USUAL_MEASURE:
        raise ParameterError(
            "measure", Said("be {measure} where rows stay on a cluster", measure=USUAL_MEASURE), book.utility.measure
        )
    refuse_unsuited(context, Said("a history that stays on a cluster"), UNSUITED)
    start = process_time()
    with (
        show_progress(Said("searching")) as teller,
        open_history(files.source, book.layout.described, choice, beside=files.out) as history,
    ):
        for notice in history.notices:
            say(Said("{source}: {reason}", source=files.source, reason=notice.message))
        layout = book.adopt_schema(history.settled).layout
        release = release_groups(
            fit(method, book.parameters()),
            history,
            Publishing(fields={each.name: each for each in layout.columns}, grammar=layout.grammar),
            rng=seed.child("groups").rng(),
            tell=teller.tell,
        )
        review = replace(
            review_scan(release.published, release.detail, holder=layout.holder.name, allowed=files.allowed),
            raw=release.raw,
        )
        tell_review(files.source, review)
        teller.tell(Said("writing"))
        write_scan(release.published, files.out)
    keys = {
        "utility": release.utility,
        "seconds": process_time() - start,
        "seed": seed.value,
        **release.detail,
        **review.as_dict(),
        "rows": release.rows,
        "people": release.people,
        "out": str(files.out),
        "engine": choice.engine.value,
    }
    give_answer(keys, format_keys(keys), as_json=as_json, review=review.needed)
