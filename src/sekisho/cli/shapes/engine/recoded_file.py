"""Local recoding and coding of a file beyond memory at the door. Loaded where it is asked for, with the engine."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from time import process_time
from typing import NoReturn

import typer

from sekisho.cli.kit.answer import Answer, format_keys, say
from sekisho.cli.kit.choices import list_files
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.kit.review import tell_review
from sekisho.cli.kit.suits import refuse_unsuited
from sekisho.cli.shapes.files import ProtectFiles
from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.sink import put_in_place
from sekisho.data.files.schema_files.columns import Notice
from sekisho.errors import ParameterError
from sekisho.gate.records.engine.code_file import code_file
from sekisho.gate.records.engine.recode_file import recode_file
from sekisho.gate.records.engine.recoding_task import LargeOutcome, LargeTask
from sekisho.protect import Method
from sekisho.protect.records.coding.code import Code
from sekisho.protect.records.partition import Partition
from sekisho.provenance import Provenance, digest_files, list_parameters
from sekisho.safety.terms import RecordTerms, Terms
from sekisho.seeds import Seed
from sekisho.words import Said

UNSUITED = ("asked_round", "safe", "attackers", "confidence")
"""Options that need the whole file in memory, or other data."""


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
    """Recode a file beyond memory, put its release in place and answer as in memory.

    Raises:
        ParameterError: the method has no way beyond memory, or the engine none for it.
        FaultsError: an option does not suit work beyond memory.
    """
    if not isinstance(method, Partition | Code) or not isinstance(book, RecordTerms):
        raise ParameterError("engine", Said("be given for partition or code of records"), choice.engine.value)
    if choice.engine is Engine.SPARK and files.report is not None:
        raise ParameterError("report", Said("be asked for with polars or duckdb"), str(files.report))
    refuse_unsuited(context, Said("work beyond memory"), UNSUITED)
    task = LargeTask(
        source=files.source,
        rules=book,
        out=files.out,
        ordered=files.deleted is not None,
        examined=files.report is not None,
        choice=choice,
        allowed=files.allowed,
    )

    def tell_notice(notice: Notice) -> None:
        say(Said("{source}: {reason}", source=files.source, reason=notice.message))

    start = process_time()
    with show_progress(Said("recoding")) as teller:
        if isinstance(method, Partition):
            work = recode_file(method, task, seed=seed, say=tell_notice, tell=teller.tell)
        else:
            work = code_file(method, task, seed=seed, say=tell_notice, tell=teller.tell)
        with work as outcome:
            page = _make_page(method, outcome, files, seed)
            outcome.put()
            if outcome.deleted is not None and files.deleted is not None:
                put_in_place(outcome.deleted, files.deleted)
    _answer(
        outcome,
        files,
        page,
        as_json=as_json,
        more={
            "seconds": process_time() - start,
            "seed": seed.value,
            "out": str(files.out),
            **({"proven": [each.as_dict() for each in outcome.recounts]} if outcome.recounts else {}),
            **({"report": str(files.report)} if page else {}),
            "engine": choice.engine.value,
        },
    )


def _make_page(method: Partition | Code, outcome: LargeOutcome, files: ProtectFiles, seed: Seed) -> dict[Path, bytes]:
    if files.report is None or outcome.figures is None:
        return {}
    inputs = {
        name: digest for each in (files.source, *list_files(method)) for name, digest in digest_files(each).items()
    }
    origin = Provenance(
        name="partition" if isinstance(method, Partition) else "code",
        parameters=list_parameters(method),
        seed=seed.value,
        inputs=inputs,
    )
    pages = import_module("sekisho.report.pages.risk.counted_protection")
    page: str = pages.render_large_protection_page(outcome.figures, origin, language=chosen_language())
    return {files.report: page.encode()}


def _answer(
    outcome: LargeOutcome, files: ProtectFiles, page: dict[Path, bytes], *, more: dict[str, object], as_json: bool
) -> NoReturn:
    tell_review(files.source, outcome.review)
    keys = {**outcome.detail, **outcome.review.as_dict(), **more}
    Answer(keys=keys, words=format_keys(keys), review=outcome.review.needed, files=page).deliver(as_json=as_json)
