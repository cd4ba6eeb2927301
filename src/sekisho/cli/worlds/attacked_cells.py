"""Attacks at the door on releases of one's own whose cells may be ranges, sets and labels."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import TypeGuard

import polars as pl

from sekisho.attack import Adversary
from sekisho.attack.records.cell_adversary import CellAdversary
from sekisho.cli.kit.answer import Answer, say
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.worlds.files import AttackFiles
from sekisho.cli.worlds.originals import open_and_say
from sekisho.contest.records.rules import RecordRules
from sekisho.contest.records.written_release import read_written_table
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.seeds import Seed


def reads_cells(adversary: Adversary) -> TypeGuard[CellAdversary]:
    """Tell whether ranges, sets and labels mean something to an adversary."""
    return bool(getattr(adversary, "reads_cells", False))


def attack_cells(name: str, adversary: CellAdversary, book: RecordRules, files: AttackFiles, seed: Seed) -> Answer:
    """Attack a release.

    Write for each claim the record (a row from 1), the person named (an id, or a row from 1) and the chance.
    """
    knowledge, book = open_and_say(files.original, book)
    trees = {
        column: tree if isinstance(tree, Tree) else read_tree(Path(tree))
        for column, tree in (adversary.tree or {}).items()
    }
    table, notices = read_written_table(files.published, book, knowledge, trees)
    for notice in notices:
        say(f"{files.published}: {notice}")
    start = process_time()
    with show_progress("attacking"):
        guess = adversary.guess(table, knowledge, rng=seed.child(name).rng())
    named = guess.person if knowledge.schema.identifier else tuple(str(int(row) + 1) for row in guess.person)
    frame = pl.DataFrame({"record": guess.published + 1, "person": named, "chance": guess.chance})
    keys = {
        "claimed": len(guess),
        "expected_hits": guess.expected_hits,
        "by_chance": len(guess) / len(table),
        "seconds": process_time() - start,
        "seed": seed.value,
        **guess.detail,
    }
    words = (
        f"{len(guess):,} of {guess.detail['known']:,} people named, written to {files.out}; if their rows are among "
        "those he "
        f"names from, {guess.expected_hits:.2f} hits are to be expected, {len(guess) / len(table):.2f} by chance"
    )
    return Answer(keys=keys, words=words, files={files.out: frame.write_csv().encode()})
