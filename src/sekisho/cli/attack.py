"""``sekisho attack ADVERSARY``: find people again in what was published."""

from __future__ import annotations

import typer

from sekisho.attack import ADVERSARIES, Adversary
from sekisho.cli.kit.answer import AsJson, AskedSeed, settled
from sekisho.cli.kit.choices import Choices, choice_app, files_told
from sekisho.cli.kit.files import GivenRules, Original, Out, Published
from sekisho.cli.kit.suits import refuse_unsuited
from sekisho.cli.worlds.files import AttackFiles
from sekisho.cli.worlds.own import OWN, Identifier, RecordFile, attack_records
from sekisho.cli.worlds.world import world_of
from sekisho.contest.rulebook import rules_path
from sekisho.data.files.places import check_places
from sekisho.data.shape import Shape

USUAL_RULES = "pwscup2018"
"""Under which rules a history is read if none are named."""


def run(
    name: str,
    adversary: Adversary,
    *,
    context: typer.Context,
    original: Original,
    published: Published,
    out: Out,
    rules: GivenRules = "",
    identifier: Identifier = "",
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Attack a published file and write the guess."""
    free = not rules and Shape.RECORDS in adversary.shapes
    book = rules or USUAL_RULES
    reads = [original, published, None if free else rules_path(book), *files_told(adversary)]
    check_places(reads=reads, writes={"--out": out})
    if free:
        known, seen = RecordFile(path=original, identifier=identifier), RecordFile(path=published)
        attack_records(name, adversary, known, seen, out, settled(seed)).deliver(as_json=as_json)
    world = world_of(book, context, "attack")
    refuse_unsuited(context, f"rules ({world.book.name}), which say how the files are written", OWN)
    ADVERSARIES.suited(name, world.book.shape)
    files = AttackFiles(original=original, published=published, out=out)
    world.attack(name, adversary, files, seed=settled(seed)).deliver(as_json=as_json)


app = choice_app(
    Choices(
        registry=ADVERSARIES,
        run=run,
        example="sekisho attack {name} --original T.csv --published A1.csv --out F1.csv",
    ),
    summary="Attack a published file: `sekisho attack ADVERSARY --original T --published A1 --out F1`.\n\n"
    "Example: `sekisho attack chance --original T.csv --published A1.csv --out F1.csv --seed 1`",
)
