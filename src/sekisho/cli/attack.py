"""``sekisho attack ADVERSARY``: find people again in what was published."""

from __future__ import annotations

from dataclasses import replace

import typer

from sekisho.attack import ADVERSARIES, Adversary
from sekisho.cli.kit.answer import AsJson, AskedSeed, settle_seed
from sekisho.cli.kit.choices import Choices, list_files, make_choice_app
from sekisho.cli.kit.files import GivenRules, Original, Out, Published, Round
from sekisho.cli.kit.options import LargeOptions, expand_options, refuse_unsuited
from sekisho.cli.shapes.attacked_cells import attack_cells, holds_cells, reads_cells
from sekisho.cli.shapes.file_options import TEXT, OwnFileOptions, SchemaPath, reads_text
from sekisho.cli.shapes.files import AttackFiles, choose_round, choose_rules, require_one_shape
from sekisho.cli.shapes.verbs import open_verbs
from sekisho.data.files.whole_files import check_paths
from sekisho.data.shape import Place, read_abilities
from sekisho.gate.rulebooks import read_terms, rules_path
from sekisho.safety.terms import RecordTerms
from sekisho.words import Said


@expand_options
def run(
    name: str,
    adversary: Adversary,
    *,
    context: typer.Context,
    original: Original,
    published: Published,
    out: Out,
    rules: GivenRules = "",
    schema: SchemaPath = "",
    own: OwnFileOptions,
    asked_round: Round = "",
    large: LargeOptions,
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Attack a published file and write the guess."""
    choice = large.choose()
    if Place.CLUSTER not in read_abilities(adversary).runs_on:
        large.refuse_engines(Said("be given for maximum-knowledge, whose candidates are looked for piece by piece"))
    named = choose_rules(context, rules, schema, adversary.shapes)
    reads = [original, published, None if named is None else rules_path(named), *list_files(adversary)]
    check_paths(reads=reads, writes={"--out": out})
    if named is None and reads_text(adversary) and not holds_cells(adversary, own.file(original), own.file(published)):
        refuse_unsuited(context, Said("{name} without rules", name=name), ("columns", "asked_round", *TEXT))
        original_file, published_file = own.file(original), replace(own, identifier="").file(published)
        from sekisho.cli.shapes.attacked_cells import (
            attack_records,  # brings pages and releases, which few attacks need
        )

        answer = attack_records(name, adversary, original_file, published_file, out, settle_seed(seed))
        answer.deliver(as_json=as_json)
    book = own.rules(require_one_shape(adversary.shapes), original) if named is None else read_terms(named)
    ADVERSARIES.find_class(name, book.shape)
    book = choose_round(book, asked_round)
    if reads_cells(adversary) and isinstance(book, RecordTerms) and not book.layout.strict:
        files = AttackFiles(original=original, published=published, out=out)
        attack_cells(name, adversary, book, files, settle_seed(seed)).deliver(as_json=as_json)
    files = AttackFiles(original=original, published=published, out=out)
    verbs = open_verbs(book, context, "attack")
    with large.spread():
        answer = verbs.attack(name, adversary, files, seed=settle_seed(seed))
    engine = {} if choice is None else {"engine": choice.engine.value}
    replace(answer, keys={**answer.keys, **engine}).deliver(as_json=as_json)


app = make_choice_app(
    Choices(
        registry=ADVERSARIES,
        run=run,
        example="sekisho attack {name} --original T.csv --published A1.csv --out F1.csv",
        further={
            "attribute": "sekisho.cli.records.against_controls:attack_attribute",
            "composition": "sekisho.cli.composition:attack_releases",
            "downcode": "sekisho.cli.records.downcode:attack_downcode",
            "membership": "sekisho.cli.records.against_controls:attack_membership",
        },
    ),
    summary="Attack a published file: `sekisho attack ADVERSARY --original T --published A1 --out F1`.\n\n"
    "Example: `sekisho attack chance --original T.csv --published A1.csv --out F1.csv --seed 1`",
)
