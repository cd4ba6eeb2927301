"""The verbs on contests over records: what check, utility, judge, publish, protect and attack do when the rules are of that kind."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Annotated

import numpy as np
import typer

from sekisho.attack import RecordAdversary
from sekisho.cli.kit.answer import AsJson, AskedSeed, give, settled
from sekisho.cli.kit.files import Original, Rules
from sekisho.cli.recordfiles import needed, read_both
from sekisho.contest.history.rules import rules_path
from sekisho.contest.records.conditions import Condition, conditions
from sekisho.contest.records.files import (
    read_answers,
    read_deleted,
    read_order,
    read_record_guess,
    read_record_original,
    read_record_published,
    write_numbers,
    write_records,
)
from sekisho.contest.records.referee import judge_records, pick
from sekisho.contest.records.rules import RecordRules, read_record_rules
from sekisho.data.files.places import check_places
from sekisho.data.files.whole import write_whole
from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.space import kept
from sekisho.protect import Method
from sekisho.safety.interval import Rate
from sekisho.seeds import Seed

Round = Annotated[
    str, typer.Option("--round", help="Of records: the round whose conditions hold; the final if not given.")
]
Answers = Annotated[Path | None, typer.Option("--answers", help="Of records: Ea, the referee's answers.")]


def verdict_keys(found: tuple[Condition, ...]) -> dict[str, object]:
    """Return each condition's value, and all conditions with limits and verdicts, for JSON."""
    values = {condition.name: condition.value for condition in found}
    return {**values, "conditions": {condition.name: condition.as_dict() for condition in found}}


def measure(
    book: RecordRules, original: Path, released: Path, deleted: Path | None, asked: str, *, as_json: bool
) -> None:
    """Answer what a release of records keeps, and whether each condition is met."""
    data, release = read_both(book, original, released, deleted)
    found = conditions(book, data, release, round_name=asked)
    words = "\n".join(map(str, found))
    give(verdict_keys(found), words, as_json=as_json, good=all(condition.met for condition in found))


def sentence(book: RecordRules, answers: Path | None, guess: Path, asked: str, *, as_json: bool) -> None:
    """Answer what an attack on records came to."""
    truth = read_answers(needed("answers", answers), book)
    delta = book.chosen(asked).delta
    judged = judge_records(truth, read_record_guess(guess, book, records=len(truth)), delta=delta)
    keys = {
        "recall": judged.recall,
        "precision": judged.precision,
        "topk": judged.topk,
        "risk": judged.risk,
        "risk_without_delta": judged.risk_with(0.0),
        "delta": delta,
        "counts": {"members": judged.members, "called": judged.called, "rightly": judged.rightly, "hits": judged.hits},
        "intervals": {
            "recall": Rate(hits=judged.rightly, trials=judged.members).as_dict(),
            "precision": Rate(hits=judged.rightly, trials=judged.called).as_dict(),
            "topk": Rate(hits=judged.hits, trials=judged.members).as_dict(),
        },
    }
    words = (
        f"recall {judged.rightly}/{judged.members} = {judged.recall:.4f}, precision {judged.rightly}/{judged.called} = "
        f"{judged.precision:.4f}, top-k {judged.hits}/{judged.members} = {judged.topk:.4f}: "
        f"risk {judged.risk:.6f} (without delta {judged.risk_with(0.0):.6f})"
    )
    give(keys, words, as_json=as_json)


def protect(
    name: str,
    method: Method,
    book: RecordRules,
    source: Path,
    files: tuple[Path, Path | None],
    seed: int | None,
    *,
    as_json: bool,
) -> None:
    """Apply a method to records; write D and X; answer which conditions the release meets."""
    out, deleted = files[0], needed("deleted", files[1])
    chosen, data = settled(seed), read_record_original(source, book)
    start = process_time()
    release = method.apply(data, rng=chosen.child(name).rng())
    seconds = process_time() - start
    found = conditions(book, data, release)
    write_whole(
        {
            out: write_records(kept(release), book),
            deleted: write_numbers(np.flatnonzero(release.deleted).astype(np.int64)),
        }
    )
    keys = verdict_keys(found) | {"seconds": seconds, "seed": chosen.value, **release.detail}
    count = int(release.deleted.sum())
    words = "\n".join([f"{len(data) - count:,} rows kept, {count:,} deleted", *map(str, found)])
    give(keys, words, as_json=as_json, good=all(condition.met for condition in found))


def attack(
    name: str,
    adversary: RecordAdversary,
    book: RecordRules,
    files: tuple[Path, Path, Path],
    chosen: Seed,
    *,
    as_json: bool,
) -> None:
    """Attack published records of which some originals are known; write E."""
    known, published, out = files
    table, knowledge = read_record_published(published, book), read_record_original(known, book)
    start = process_time()
    guess = adversary.guess(table, knowledge, rng=chosen.child(name).rng())
    seconds = process_time() - start
    write_whole({out: write_numbers(guess.candidates)})
    claimed = int(guess.member.sum())
    chance = book.test.answers / len(table)
    share = book.test.members / (book.test.members + book.test.others)
    keys = {
        "claimed": claimed,
        "records": len(guess),
        "expected_hits": claimed * share * chance,
        "seconds": seconds,
        "seed": chosen.value,
    }
    words = f"{claimed} of {len(guess)} records called members, written to {out}; blind answers would hit {keys['expected_hits']:.2f}"
    give(keys, words, as_json=as_json)


def shuffled(
    book: RecordRules, released: Path, out: Path, truth: Path | None, seed: int | None, *, as_json: bool
) -> None:
    """Publish D in an order that tells nothing; write for each row of D its published row, if asked."""
    data, chosen = read_record_original(released, book), settled(seed)
    order = chosen.child("publish").rng().permutation(len(data)).astype(np.int64)
    files = {out: write_records(Dataset(data.frame[np.argsort(order)], data.schema), book)}
    if truth is not None:
        files[truth] = write_numbers(order)
    write_whole(files)
    keys = {"rows": len(data), "people": len(data), "seed": chosen.value}
    give(keys, f"{len(data):,} rows, shuffled, written to {out}", as_json=as_json)


def draw(
    rules: Rules,
    original: Original,
    deleted: Annotated[Path, typer.Option("--deleted", help="X, the deleted rows of the original from 0.")],
    out: Annotated[Path, typer.Option("--out", help="The test set CT to write, for the attacker.")],
    answers: Annotated[Path, typer.Option("--answers", help="The answers Ea to write, for the referee.")],
    order: Annotated[
        Path | None, typer.Option("--order", help="The published row of each row of D, from `sekisho publish --truth`.")
    ] = None,
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Draw the referee's test set and answers for one attacker: kept and deleted records, original values, in the original's order.

    Example: `sekisho pick pwscup2021 --original B.csv --deleted X.csv --out CT.csv --answers Ea.csv --seed 1`
    """
    check_places(reads=[rules_path(rules), original, deleted, order], writes={"--out": out, "--answers": answers})
    book, chosen = read_record_rules(rules), settled(seed)
    data = read_record_original(original, book)
    gone = read_deleted(deleted, book, data)
    place = None if order is None else read_order(order, book, int((~gone).sum()))
    test = pick(gone, rng=chosen.child("pick").rng(), members=book.test.members, others=book.test.others, order=place)
    known = Dataset(data.frame[test.rows], data.schema)
    write_whole({out: write_records(known, book), answers: write_numbers(test.answers)})
    keys = {"records": len(test.rows), "members": int((test.answers >= 0).sum()), "seed": chosen.value}
    words = f"{keys['records']} records, {keys['members']} of them members, written to {out}; answers to {answers}"
    give(keys, words, as_json=as_json)
