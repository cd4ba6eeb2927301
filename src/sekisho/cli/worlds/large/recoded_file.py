"""Local recoding and coding of a file beyond memory at the door. Loaded where it is asked for, with the engine."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import NoReturn

import typer

from sekisho.cli.kit.answer import format_keys, give_answer, say
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.kit.suits import refuse_unsuited
from sekisho.cli.worlds.files import ProtectFiles
from sekisho.contest.records.rules import RecordRules
from sekisho.contest.rulebook import Rulebook
from sekisho.data.files.own.columns import Notice
from sekisho.data.large.engine import Engine, EngineChoice
from sekisho.data.large.sink import put_in_place
from sekisho.errors import ParameterError
from sekisho.gate.records.large.code_file import code_file
from sekisho.gate.records.large.large_task import LargeOutcome, LargeTask
from sekisho.gate.records.large.recode_file import recode_file
from sekisho.protect import Method
from sekisho.protect.records.coding.code import Code
from sekisho.protect.records.partition import Partition
from sekisho.seeds import Seed

UNSUITED = ("report", "asked_round", "safe", "attackers", "confidence")
"""Options that need the whole file in memory, or other data."""


def protect_beyond_memory(
    method: Method,
    book: Rulebook,
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
    if not isinstance(method, Partition | Code) or not isinstance(book, RecordRules):
        raise ParameterError("engine", "be given for partition or code of records", choice.engine.value)
    if choice.engine is Engine.SPARK and isinstance(method, Code):
        raise ParameterError("engine", "be polars or duckdb for code", choice.engine.value)
    refuse_unsuited(context, "work beyond memory", UNSUITED)
    task = LargeTask(source=files.source, rules=book, out=files.out, ordered=files.deleted is not None, choice=choice)

    def tell_notice(notice: Notice) -> None:
        say(f"{files.source}: {notice.message}")

    start = process_time()
    with show_progress("recoding") as teller:
        if isinstance(method, Partition):
            work = recode_file(method, task, seed=seed, say=tell_notice, tell=teller.tell)
        else:
            work = code_file(method, task, seed=seed, say=tell_notice, tell=teller.tell)
        with work as outcome:
            outcome.put()
            if outcome.deleted is not None and files.deleted is not None:
                put_in_place(outcome.deleted, files.deleted)
    _answer(
        outcome,
        files.source,
        as_json=as_json,
        more={
            "seconds": process_time() - start,
            "seed": seed.value,
            "out": str(files.out),
            **({"proven": [each.as_dict() for each in outcome.recounts]} if outcome.recounts else {}),
            "engine": choice.engine.value,
        },
    )


def _answer(outcome: LargeOutcome, source: Path, *, more: dict[str, object], as_json: bool) -> NoReturn:
    for warning in outcome.warnings:
        say(f"{source}: {warning}")
    keys, useful = {**outcome.detail, **more}, outcome.detail.get("useful") is not False
    if not useful:
        say(f"the release is of hardly any use: NCP {outcome.detail['ncp']:.3f}, of at most 1")
    give_answer(keys, format_keys(keys), as_json=as_json, review=not useful)
