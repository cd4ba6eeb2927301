"""``sekisho draw-test-set``: draw the referee's test set and answers for one attacker."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.attack.records.referee import draw_test_set as draw_rows
from sekisho.cli.kit.answer import Answer, AsJson, AskedSeed, settle_seed
from sekisho.cli.kit.files import Original, Rules
from sekisho.cli.shapes.file_options import open_and_say
from sekisho.data.files.whole_files import check_paths
from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.files import read_deleted, read_order, write_number_lines, write_records
from sekisho.gate.rulebooks import read_record_terms, rules_path
from sekisho.words import Said


def draw_test_set(
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
    """Draw the referee's test set and answers for one attacker.

    Kept and deleted records, with their original values, in the original's order.

    Example: `sekisho draw-test-set pwscup2021 --original B.csv --deleted X.csv --out CT.csv --answers Ea.csv --seed 1`
    """
    check_paths(reads=[rules_path(rules), original, deleted, order], writes={"--out": out, "--answers": answers})
    book, chosen = read_record_terms(rules), settle_seed(seed)
    data, book = open_and_say(original, book)
    gone = read_deleted(deleted, book, data)
    place = None if order is None else read_order(order, book, int((~gone).sum()))
    test = draw_rows(
        gone, rng=chosen.child("pick").rng(), members=book.test.members, others=book.test.others, order=place
    )
    knowledge = Dataset(data.frame[test.rows], data.schema)
    keys = {"records": len(test.rows), "members": int((test.answers >= 0).sum()), "seed": chosen.value}
    words = Said(
        "{records} records, {members} of them members, written to {out}; answers to {answers}",
        records=keys["records"],
        members=keys["members"],
        out=out,
        answers=answers,
    )
    files = {out: write_records(knowledge, book), answers: write_number_lines(test.answers)}
    Answer(keys=keys, words=words, files=files).deliver(as_json=as_json)
