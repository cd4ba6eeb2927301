"""``sekisho protect METHOD``: make a release."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, AskedSeed, settle_seed
from sekisho.cli.kit.choices import Choices, list_files, make_choice_app
from sekisho.cli.kit.files import Deleted, GivenRules, Out, Report, Round
from sekisho.cli.kit.large_options import LargeOptions
from sekisho.cli.kit.options import expand_options
from sekisho.cli.kit.review import AllowColumn, read_allowed
from sekisho.cli.kit.suits import refuse_unsuited
from sekisho.cli.worlds.files import ProtectFiles
from sekisho.cli.worlds.own import (
    TEXT,
    OwnOptions,
    SchemaPath,
    mechanism_place,
    reads_text,
)
from sekisho.cli.worlds.rules import choose_round, choose_rules, require_one_shape
from sekisho.cli.worlds.search import Attackers, Confidence, Safe, wanted_safety
from sekisho.cli.worlds.world import open_world, refuse_unsuited_shape
from sekisho.contest.rulebook import read_rulebook, rules_path
from sekisho.data.abilities import Place, read_abilities
from sekisho.data.files.output_paths import check_paths
from sekisho.protect import METHODS, Method


@expand_options
def run(
    name: str,
    method: Method,
    *,
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="IN", help="The original data.")],
    out: Out,
    rules: GivenRules = "",
    schema: SchemaPath = "",
    own: OwnOptions,
    report: Report = None,
    allow_column: AllowColumn = None,
    deleted: Deleted = None,
    asked_round: Round = "",
    safe: Safe = None,
    attackers: Attackers = None,
    confidence: Confidence = "",
    large: LargeOptions,
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Apply a method to a file and write its release."""
    choice, allowed = large.choose(), read_allowed(allow_column)
    named = choose_rules(context, rules, schema, method.shapes)
    check_paths(
        reads=[source, *list_files(method), None if named is None else rules_path(named)],
        writes={
            "--out": None if choice is not None and choice.reaches(out) else out,
            "--deleted": deleted,
            "--report": report,
            "the mechanism": mechanism_place(out) if named is None and reads_text(method) else None,
        },
    )
    if named is None and reads_text(method):
        refuse_unsuited(
            context, f"{name} without rules", ("deleted", "asked_round", "safe", "attackers", "confidence", *TEXT)
        )
        if choice is not None:
            beyond = import_module("sekisho.cli.worlds.large.drawn_file")  # brings an engine, which few calls need
            beyond.protect_large_records(name, method, own.file(source), out, report, seed, choice, allowed).deliver(
                as_json=as_json
            )
        texts = import_module("sekisho.cli.worlds.text_records")  # brings pages and attacks, which few methods need
        texts.protect_records(name, method, own.file(source), out, report, seed, allowed).deliver(as_json=as_json)
    runs_on = read_abilities(method).runs_on
    spreads = Place.CLUSTER in runs_on
    if runs_on <= {Place.MEMORY}:
        large.refuse_engines("be given for a method that works beyond memory")
    if named is None:
        refuse_unsuited_shape(require_one_shape(method.shapes), context, "protect")
    book = own.rules(require_one_shape(method.shapes), source) if named is None else read_rulebook(named)
    METHODS.find_class(name, book.shape)
    world = open_world(choose_round(book, asked_round), context, "protect")
    files = ProtectFiles(source=source, out=out, deleted=deleted, report=report, allowed=allowed)
    if choice is not None and (not spreads or (book.own is not None and files.stay_on_cluster(choice))):
        place = "grouped_file" if spreads else "recoded_file"
        beyond = import_module(f"sekisho.cli.worlds.large.{place}")  # brings an engine, which few calls need
        beyond.protect_beyond_memory(
            method, world.book, files, choice, context=context, seed=settle_seed(seed), as_json=as_json
        )
    safety = wanted_safety(safe, attackers, confidence)
    with nullcontext() if choice is None else import_module("sekisho.data.large.cluster").open_cluster(choice):
        answer = world.protect(name, method, files, safety=safety, seed=settle_seed(seed))
    told = {} if choice is None else {"engine": choice.engine.value}
    replace(answer, keys={**answer.keys, **told}).deliver(as_json=as_json)


app = make_choice_app(
    Choices(registry=METHODS, run=run, example="sekisho protect {name} IN.csv --out OUT.csv --seed 1"),
    summary="Protect a file: `sekisho protect METHOD IN --out OUT [--rules RULES]`. Each METHOD has its own --help.\n\n"
    "Example: `sekisho protect pseudonymise T.csv --out A.csv --seed 1`",
)
