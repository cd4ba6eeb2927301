"""``sekisho attack ADVERSARY``: find people again in what was published."""

from __future__ import annotations

from time import process_time
from typing import cast

from sekisho.attack import ADVERSARIES, MICRODATA_ADVERSARIES, RECORD_ADVERSARIES, Adversary, RecordAdversary
from sekisho.cli import linkage
from sekisho.cli.kit.answer import AsJson, AskedSeed, give, settled
from sekisho.cli.kit.choices import Choices, choice_app, files_told, joined
from sekisho.cli.kit.files import GivenRules, Original, Out, Published
from sekisho.cli.worlds.own import Identifier, RecordFile, attack_records
from sekisho.contest.history.files import read_original, read_published, write_guess
from sekisho.contest.history.rules import rules_path
from sekisho.contest.records.rules import RecordRules, read_rulebook
from sekisho.data.files.places import check_places
from sekisho.data.files.whole import write_whole
from sekisho.errors import ParameterError


def run(
    name: str,
    adversary: Adversary | RecordAdversary,
    *,
    original: Original,
    published: Published,
    out: Out,
    rules: GivenRules = "",
    identifier: Identifier = "",
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Attack a published file and write the guess."""
    free = name in MICRODATA_ADVERSARIES and not rules
    book_name = rules or ("pwscup2021" if name in RECORD_ADVERSARIES else "pwscup2018")
    known_rules = None if free else rules_path(book_name)
    check_places(reads=[original, published, known_rules, *files_told(adversary)], writes={"--out": out})
    settled_seed = settled(seed)
    if free:
        known, seen = RecordFile(path=original, identifier=identifier), RecordFile(path=published)
        attack_records(name, cast("Adversary", adversary), known, seen, out, settled_seed, as_json=as_json)
    book = read_rulebook(book_name)
    if isinstance(book, RecordRules) and name in RECORD_ADVERSARIES:
        named = cast("RecordAdversary", adversary)
        linkage.attack(name, named, book, (original, published, out), settled_seed, as_json=as_json)
        return
    if isinstance(book, RecordRules) or name not in ADVERSARIES:
        raise ParameterError("adversary", f"suit the rules {book.name}", name)
    data = read_original(original, book)
    table = read_published(published, book, data)
    start = process_time()
    guess = cast("Adversary", adversary).guess(table, data, rng=settled_seed.child(name).rng())
    seconds = process_time() - start
    write_whole({out: write_guess(guess, book)})
    expected = guess.expected_hits
    keys = {"claimed": len(guess), "expected_hits": expected, "seconds": seconds, "seed": settled_seed.value}
    give(
        {**keys, **guess.detail},
        f"{len(guess)} claims, {expected:.1f} hits expected, written to {out}",
        as_json=as_json,
    )


app = choice_app(
    Choices(
        registry=joined(ADVERSARIES | MICRODATA_ADVERSARIES, RECORD_ADVERSARIES),
        run=run,
        example="sekisho attack {name} --original T.csv --published A1.csv --out F1.csv",
    ),
    summary="Attack a published file: `sekisho attack ADVERSARY --original T --published A1 --out F1`.\n\n"
    "Example: `sekisho attack chance --original T.csv --published A1.csv --out F1.csv --seed 1`",
)
