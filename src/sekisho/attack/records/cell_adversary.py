"""What the adversaries share who read generalised cells: what they know of whom, and how a claim is made.

Whoever is alone in my list and alone in the sample is the same person: the adversary who knows a part.

He knows the values of some records and sees a sample. He claims every record that is single in his list and whose
values stand once in the sample; of generalised cells, whose only fitting row fits nobody else on his list. He is wrong
only where somebody he does not know has the same values: where much of a file is unique, he is hardly ever wrong,
whatever is believed about the records he does not know.

Source: Kikuchi, "How much can the sampling reduce the identification risk?", the sketch of the proof of claim 4.1 (the
situation that serves him best); the attack on a real file is ours.

The nearest row, whatever its cells: for releases that change values as well as for those that blur them.

He knows that values may have been changed, and so names a row at the least distance: 0 from a cell that admits the
value, else the gap to the range over the width of what he knows of the column, 1 from another set (``cell_linkage``).
Of c rows as near he is right with chance 1/c at most; how often the person's own row is among them only who knows the
truth can say.

Source: Pagliuca, Seri, "Some results of individual ranking method on the system of enterprise accounts annual survey",
1999 (distance-based record linkage); Gower, Biometrics 27 (1971), for mixed columns. For cells that are ranges and
sets: ours.

Whoever knows a person's keys and that he is in the release: the prosecutor.

He looks up the rows whose cells admit what he knows (all keys, or only some), and names one of them. Of c rows that fit
he is right with chance 1/c exactly, if the person's row is among them and he cannot tell them apart; where every cell
admits the truth that is so, and in classes that do not overlap c is the size of the person's class. The sum of the
chances is therefore the number of hits to expect, and a class of c rows gives 1 of them.

Source: El Emam, "Guide to the De-Identification of Personal Health Information", CRC Press 2013, chapter 16.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.guess import Guess, name_people
from sekisho.attack.records.cell_linkage import ANY, FITS, CellLinkage
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.space import find_single_rows, number_equal_rows, require_one_row
from sekisho.data.shape import Abilities, Reads, Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.safety.sampling import PartialKnowledge
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class SingleMatch:
    """Claims the records that are single both in his list and in the sample.

    His list is the file of known records, or a part of it drawn by chance.

    Example: `sekisho attack partial-knowledge --original adult.csv --known 3000 --published S.csv --out G.csv`

    Source: Kikuchi, "How much can the sampling reduce the identification risk?", claim 4.1.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    abilities: ClassVar[Abilities] = Abilities(reads=Reads.TEXTS, reads_cells=True)

    known: int | None = field(
        default=None, metadata={"help": "How many of the given records he knows, drawn by chance; all if not given."}
    )
    records: int | None = field(
        default=None,
        metadata={"help": "How many records there are in all; each claim then has the chance that he believes in."},
    )

    keys: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that he knows, a,b,c; all that are published if none."}
    )
    tree: Mapping[str, Path | Tree] | None = field(
        default=None, metadata={"help": "What labels in a file mean: name=FILE, a tree as node,parent or leaf;level…"}
    )

    def __post_init__(self) -> None:
        for name, value in (("known", self.known), ("records", self.records)):
            if value is not None and value < 1:
                raise ParameterError(name, Said("be at least 1"), value)

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return one claim for each record that is single in both."""
        require_one_row(knowledge)
        rows = draw_known_rows(len(knowledge), self.known, rng=rng)
        mine = Dataset(knowledge.frame[rows], knowledge.schema)
        names = self.keys or tuple(release.columns)
        if all(bool(release.hold_once([name])[0][name].is_exact().all()) for name in names if name in release.columns):
            published = _keep_columns(release, names).to_dataset()
            people, sample = number_equal_rows(mine, published, columns=names)
            who, where = match_single_rows(people, sample)
        else:
            linkage = CellLinkage.of(release, mine, names)
            people, sample = linkage.person, linkage.row
            who, where = linkage.match_single()
        return Guess(
            published=where.astype(np.int64),
            person=name_people(knowledge, rows[who]),
            chance=np.full(len(who), self._believe(len(rows), len(release))),
            detail={
                "known": len(rows),
                "single_known": len(find_single_rows(people)),
                "single_published": len(find_single_rows(sample)),
            },
        )

    def _believe(self, known: int, sample: int) -> float:
        if self.records is None:
            return float("nan")
        return float(PartialKnowledge(records=self.records, known=known).risk(sample).risk)


def _keep_columns(release: MaskedTable, names: Sequence[str]) -> MaskedTable:
    schema = Schema(tuple(column for column in release.schema.attributes if column.name in names))
    return MaskedTable(schema=schema, columns={name: release.columns[name] for name in schema.names})


def draw_known_rows(records: int, known: int | None, *, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the rows of a file that he knows, ascending; all of them if it is not said how many."""
    if known is None:
        return np.arange(records, dtype=np.intp)
    if known > records:
        raise ParameterError("known", Said("be at most the number of records ({records})", records=records), known)
    return np.sort(rng.choice(records, known, replace=False)).astype(np.intp)


def match_single_rows(
    people: NDArray[np.int64], sample: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs (known record, row of the sample) of equal values that are single on both sides.

    Args:
        people: the numbers of the known records' values.
        sample: the numbers of the sample's values.
    """
    mine, theirs = find_single_rows(people), find_single_rows(sample)
    _, first, second = np.intersect1d(people[mine], sample[theirs], assume_unique=True, return_indices=True)
    return mine[first], theirs[second]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAdversary:
    """He knows some columns of some people and looks for their rows."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    abilities: ClassVar[Abilities] = Abilities(reads_cells=True)
    reach: ClassVar[float]
    """How far from a person the rows may be that he names."""

    keys: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that he knows, a,b,c; all that are published if none."}
    )
    known: int | None = field(
        default=None, metadata={"help": "How many of the given records he knows, drawn by chance; all if not given."}
    )
    tree: Mapping[str, Path | Tree] | None = field(
        default=None, metadata={"help": "What labels in a file mean: name=FILE, a tree as node,parent or leaf;level…"}
    )

    def __post_init__(self) -> None:
        if self.known is not None and self.known < 1:
            raise ParameterError("known", Said("be at least 1"), self.known)

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return one claim for each person of whom rows are within his reach, one of the nearest by chance."""
        require_one_row(knowledge)
        rows = draw_known_rows(len(knowledge), self.known, rng=rng)
        mine = Dataset(knowledge.frame[rows], knowledge.schema)
        nearest = CellLinkage.of(release, mine, self.keys).find_nearest(rng=rng, reach=self.reach)
        named = np.flatnonzero(nearest.count > 0)
        return Guess(
            published=nearest.row[named],
            person=name_people(knowledge, rows[named]),
            chance=1.0 / nearest.count[named],
            detail={
                "known": len(rows),
                "single": int((nearest.count == 1).sum()),
                "rows_each": float(nearest.count[named].mean()) if len(named) else 0.0,
            },
        )


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class NearestCell(CellAdversary):
    """Names one of the nearest rows for everybody he knows; distance 0 inside a range, set or label.

    Example: `sekisho attack nearest-cell --original people.csv --published R.csv --keys age,sex --out G.csv`

    Source: Pagliuca, Seri, 1999; Gower, Biometrics 27 (1971).
    """

    reach: ClassVar[float] = ANY


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Prosecutor(CellAdversary):
    """Names one of the rows that admit what he knows of a person; nobody where no row does.

    Example: `sekisho attack prosecutor --original people.csv --published R.csv --keys age,sex --out G.csv`

    Source: El Emam, "Guide to the De-Identification of Personal Health Information", 2013.
    """

    reach: ClassVar[float] = FITS
