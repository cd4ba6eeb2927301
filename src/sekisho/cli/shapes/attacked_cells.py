"""Attacks at the door on releases of one's own whose cells may be ranges, sets and labels.

Records as texts at the door, as they stand: how a method's release of them is written, and an attack on one.

Pages and attacks of the release are loaded with this, so a verb loads it only where it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import Protocol, TypeAlias, TypeGuard

import numpy as np
import polars as pl

from sekisho.attack import Adversary, KnowsMore
from sekisho.attack.guess import Guess
from sekisho.cli.kit.answer import Answer, say
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.kit.review import tell_review
from sekisho.cli.shapes.file_options import RecordFile, open_and_say
from sekisho.cli.shapes.files import AttackFiles
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, exact_table
from sekisho.data.records.written_release import read_written_table
from sekisho.data.review import review_release
from sekisho.data.shape import read_abilities
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.words import Said

CELL = r"^(\[.*;.*\]|\{.*;.*\}|\*|(>=|<=|<).+)$"
"""How a range, a set, a withheld cell or a tail is written."""


class ReadsCells(Adversary, Protocol):
    """An adversary to whom ranges, sets and labels mean something."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that he knows; all that are published if none."""
        ...

    @property
    def tree(self) -> Mapping[str, Path | Tree] | None:
        """What labels mean."""
        ...


def reads_cells(adversary: Adversary) -> TypeGuard[ReadsCells]:
    """Tell whether ranges, sets and labels mean something to an adversary."""
    return read_abilities(adversary).reads_cells


def holds_cells(adversary: Adversary, original: RecordFile, published: RecordFile) -> bool:
    """Tell whether a file of texts holds cells that an adversary reads: ranges, sets, tails or withheld cells.

    A text is such a cell where it is written like one and the original has no such value; a tree says so by itself.
    """
    if not reads_cells(adversary):
        return False
    if adversary.tree:
        return True
    known, seen = (replace(each, columns=(), identifier="").read_quietly().data.frame for each in (original, published))
    names = [name for name in adversary.keys or seen.columns if name in seen.columns and name in known.columns]
    return any(bool((seen[name].str.contains(CELL) & ~seen[name].is_in(known[name].implode())).any()) for name in names)


def attack_cells(name: str, adversary: ReadsCells, book: RecordTerms, files: AttackFiles, seed: Seed) -> Answer:
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
        say(Said("{source}: {reason}", source=files.published, reason=notice))
    call = _AttackCall(name=name, adversary=adversary, source=files.published, out=files.out, seed=seed)
    return call.write_claims(table, knowledge, tell=partial(_tell_named, rows=len(table)))


def _tell_named(guess: Guess, expected: float | None, out: Path, *, rows: int) -> Told:
    """Return whom the attacker named, and how many he or blind chance would be right about."""
    named, known, blind = len(guess), guess.detail["known"], len(guess) / rows
    if expected is None:
        return {"by_chance": blind}, Said(
            "{named:,} of {known:,} people named, written to {out}; he does not say how many are right, {blind:.2f} by "
            "chance",
            named=named,
            known=known,
            out=out,
            blind=blind,
        )
    return {"by_chance": blind}, Said(
        "{named:,} of {known:,} people named, written to {out}; if their rows are among those he names from, "
        "{expected:.2f} hits are to be expected, {blind:.2f} by chance",
        named=named,
        known=known,
        out=out,
        expected=expected,
        blind=blind,
    )


def attack_records(
    name: str, adversary: Adversary, known: RecordFile, seen: RecordFile, out: Path, seed: Seed
) -> Answer:
    """Attack published records.

    Write for each claim the record (a row from 1), the person named (an id, or a row from 1) and the chance.
    """
    released = seen.read().data
    needed = adversary.list_known_columns() if isinstance(adversary, KnowsMore) else ()
    more = [name for name in needed if name not in released.schema.names]
    knowledge = replace(known, columns=(*released.schema.names, *more)).read().data
    call = _AttackCall(name=name, adversary=adversary, source=seen.path, out=out, seed=seed)
    return call.write_claims(exact_table(released), knowledge, tell=_tell_claimed)


Told: TypeAlias = tuple[dict[str, object], Said]
"""Further figures of an attack, and its claims in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _AttackCall:
    """An attack as it was asked for: who attacks which file, and where his claims are written."""

    name: str
    adversary: Adversary
    source: Path
    out: Path
    seed: Seed

    def write_claims(
        self, shown: MaskedTable, knowledge: Dataset, *, tell: Callable[[Guess, float | None, Path], Told]
    ) -> Answer:
        """Attack what is shown, and return the answer that writes the claims."""
        review = review_release(shown, knowledge)
        tell_review(self.source, review)
        start = process_time()
        with show_progress(Said("attacking")):
            guess = self.adversary.guess(shown, knowledge, rng=self.seed.child(self.name).rng())
        person = guess.person if knowledge.schema.identifier else tuple(str(int(row) + 1) for row in guess.person)
        chance = pl.Series(guess.chance).fill_nan(None)
        frame = pl.DataFrame({"record": guess.published + 1, "person": person, "chance": chance})
        expected = None if np.isnan(guess.expected_hits) else guess.expected_hits
        figures, words = tell(guess, expected, self.out)
        keys = {
            "claimed": len(guess),
            "expected_hits": expected,
            **figures,
            "seconds": process_time() - start,
            "seed": self.seed.value,
            **guess.detail,
            "identifying": list(review.names),
            "warnings": review.list_warnings(),
        }
        return Answer(keys=keys, words=words, review=review.needed, files={self.out: frame.write_csv().encode()})


def _tell_claimed(guess: Guess, expected: float | None, out: Path) -> Told:
    """Return how many claims an attacker makes, and how many of them he expects to be right."""
    if expected is None:
        return {}, Said(
            "{claims:,} claims, he does not say how many are right, written to {out}", claims=len(guess), out=out
        )
    return {}, Said(
        "{claims:,} claims, {expected:.1f} hits expected, written to {out}",
        claims=len(guess),
        expected=expected,
        out=out,
    )
