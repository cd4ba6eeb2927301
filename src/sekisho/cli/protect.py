"""``sekisho protect METHOD``: make a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, AskedSeed, fraction, settled
from sekisho.cli.kit.choices import Choices, choice_app, files_told
from sekisho.cli.kit.files import Deleted, GivenRules, Out
from sekisho.cli.kit.suits import refuse_unsuited
from sekisho.cli.worlds.files import ProtectFiles
from sekisho.cli.worlds.own import (
    OWN,
    Columns,
    Encoding,
    Header,
    Identifier,
    RecordFile,
    ReportFile,
    Separator,
    mechanism_place,
    protect_records,
)
from sekisho.cli.worlds.search import Attackers, Confidence, SafeBound
from sekisho.cli.worlds.world import world_of
from sekisho.contest.rulebook import rules_path
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.places import check_places
from sekisho.data.shape import Shape
from sekisho.gate.history.safe_k import Safety
from sekisho.protect import METHODS, Method

USUAL_RULES = "pwscup2018"
"""Under which rules a history is read if none are named."""


def run(
    name: str,
    method: Method,
    *,
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="IN", help="The original data.")],
    out: Out,
    rules: GivenRules = "",
    columns: Columns = "",
    identifier: Identifier = "",
    separator: Separator = None,
    header: Header = None,
    encoding: Encoding = None,
    report: ReportFile = None,
    deleted: Deleted = None,
    safe: SafeBound = None,
    attackers: Attackers = 13,
    confidence: Confidence = "0.95",
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Apply a method to a file and write its release."""
    free = not rules and Shape.RECORDS in method.shapes
    book = rules or USUAL_RULES
    check_places(
        reads=[source, *files_told(method), *([] if free else [rules_path(book)])],
        writes={
            "--out": out,
            "--deleted": deleted,
            "--report": report,
            "the mechanism": mechanism_place(out) if free else None,
        },
    )
    if free:
        refuse_unsuited(context, "records without rules", ("deleted", "safe", "attackers", "confidence"))
        form = CsvForm(separator=separator, header=header, encoding=encoding)
        parts = tuple(filter(None, columns.split(",")))
        file = RecordFile(path=source, form=form, columns=parts, identifier=identifier)
        protect_records(name, method, file, out, report, seed).deliver(as_json=as_json)
    world = world_of(book, context, "protect")
    refuse_unsuited(context, f"rules ({world.book.name}), which say how the file is written", OWN)
    METHODS.suited(name, world.book.shape)
    files = ProtectFiles(source=source, out=out, deleted=deleted)
    safety = (
        None if safe is None else Safety(bound=safe, attackers=attackers, confidence=fraction("confidence", confidence))
    )
    world.protect(name, method, files, safety=safety, seed=settled(seed)).deliver(as_json=as_json)


app = choice_app(
    Choices(registry=METHODS, run=run, example="sekisho protect {name} IN.csv --out OUT.csv --seed 1"),
    summary="Protect a file: `sekisho protect METHOD IN --out OUT [--rules RULES]`. Each METHOD has its own --help.\n\n"
    "Example: `sekisho protect pseudonymise T.csv --out A.csv --seed 1`",
)
