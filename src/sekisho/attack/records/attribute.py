"""What a release gives away of a hidden value, beyond what can be guessed of anybody.

The adversary knows the keys of a person. From the rows that fit them he guesses the sensitive value: the one that most
of them have; of numbers, the middle one. He does so for people of the file (*members*) and for people of the same
population who are not in it (*controls*): what he gets right about controls is knowledge of the population, which no
release can be blamed for. What the file adds is R = 1 - (1 - p_m)/(1 - p_c), with an interval that holds
(``safety.ratio_interval``).

- Whoever no row fits is guessed to have the file's commonest value (or the middle one), or with ``nearest`` the value
  of the nearest rows. A cell of the sensitive column that is a set of s values counts 1/s for each; a range counts as
  its middle; a suppressed or missing one counts nothing.
- Ties are drawn by the keyed generator, so that hits are whole and intervals exact; ``expected_hits`` is their mean
  over all draws.
- A number is hit within a tolerance that is fixed before: absolute (``5``) or a part of the truth (``10%``).
- *Disclosed* are members of whom every fitting row says the same, and truly: one value, or numbers that all lie within
  the tolerance of each other. That is no guess where every cell admits the truth, and is counted apart.
- ``chance`` is the level without the release: members who have the value that most controls have.

Source: Giomi et al., "A unified framework for quantifying privacy risk in synthetic data", PETS 2023 (attacks against
controls); the intervals are other ones, as theirs do not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.cell_linkage import ANY, FITS, CellLinkage
from sekisho.attack.records.control_group import ControlGroup
from sekisho.attack.records.sensitive_votes import SensitiveVotes, choose_middle
from sekisho.data.frame.cells import MISSING_TEXT, find_gaps
from sekisho.data.frame.dataset import Column, Dataset, Role
from sekisho.data.frame.release import MaskedTable
from sekisho.data.shape import Abilities, Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.safety.ratio_interval import AddedSuccess, RatioMethod
from sekisho.words import Said

HIGH = 0.9
"""Where controls are hit more often than this, R hangs on few failures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How near a number must be: so far, or such a part of the truth."""

    distance: Fraction = Fraction(0)
    part: Fraction = Fraction(0)

    @classmethod
    def parse(cls, text: str) -> Tolerance:
        """Return the tolerance that a text says: ``5`` or ``10%``.

        Raises:
            ParameterError: it says none.
        """
        share = text.strip().endswith("%")
        try:
            value = Fraction(text.strip().removesuffix("%"))
        except (ValueError, ZeroDivisionError) as error:
            raise ParameterError("within", Said("be a number such as 5, or a part such as 10%"), text) from error
        if value < 0:
            raise ParameterError("within", Said("be at least 0"), text)
        return cls(part=value / 100) if share else cls(distance=value)

    def reach(self, truth: NDArray[np.int64], decimals: int) -> NDArray[np.float64]:
        """Return how far from each number of a grid another may lie; halves of a step count."""
        return float(self.distance * 10**decimals) + float(self.part) * np.abs(truth.astype(np.float64)) + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeAnswer:
    """What the attack came to.

    Attributes:
        added: hits among members and among controls.
        chance: the share of members that is hit without the release.
        disclosed: members of whom every fitting row says the same, and truly.
        expected_hits: among members, the mean over all draws of ties.
        expected_control_hits: the same among controls.
        fitting: members whom some row fits.
        control_fitting: controls whom some row fits.
        equal: controls whose whole record also stands in the file.
        left_out: people whose own value is missing, so that there is nothing to guess.
    """

    added: AddedSuccess
    chance: float
    disclosed: int
    expected_hits: float
    expected_control_hits: float
    fitting: int
    control_fitting: int
    equal: int
    left_out: int

    def list_warnings(self) -> tuple[Said, ...]:
        """Return what a reader must know of the figures, each a sentence."""
        controls = self.added.controls
        high = Said(
            "{share:.1%} of the controls are hit as well: R hangs on the {few:,} who are not, and its interval is wide",
            share=controls.value,
            few=controls.trials - controls.hits,
        )
        equal = Said(
            "{equal:,} controls have a record that also stands in the file, as chance explains", equal=self.equal
        )
        missing = Said("{people:,} people whose own value is missing are left out", people=self.left_out)
        told = ((controls.value > HIGH, high), (self.equal > 0, equal), (self.left_out > 0, missing))
        return tuple(words for speaks, words in told if speaks)

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        rate, interval = self.added.members, self.added.find_interval()
        return {
            "claimed": self.added.trials,
            "hits": self.added.hits,
            "chance": self.chance,
            "interval": [rate.low, rate.high],
            "controls": self.added.control_trials,
            "control_hits": self.added.control_hits,
            "R": self.added.value,
            "R_interval": interval.as_list(),
            "R_method": interval.method.value,
            "R_guaranteed": self.added.find_interval(RatioMethod.GUARANTEED).as_list(),
            "disclosed": self.disclosed,
            "expected_hits": self.expected_hits,
            "expected_control_hits": self.expected_control_hits,
            "fitting": self.fitting,
            "control_fitting": self.control_fitting,
            "left_out": self.left_out,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class AttributeAttack:
    """Guesses a hidden value of members and of controls from the rows that fit what he knows.

    Source: Giomi et al., "A unified framework for quantifying privacy risk in synthetic data", PETS 2023.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    abilities: ClassVar[Abilities] = Abilities(reads_cells=True)

    keys: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that he knows, a,b,c; all but the sensitive ones if none."}
    )
    sensitive: str = field(default="", metadata={"help": "The column that he guesses; the schema's if not named."})
    within: str = field(
        default="", metadata={"help": "How near a guessed number must be: 5, or 10% of the truth; fixed before."}
    )
    nearest: bool = field(
        default=False, metadata={"help": "Whom no row fits is guessed by the nearest rows, not by the commonest value."}
    )
    household: str = field(
        default="", metadata={"help": "The column that says who lives together; nobody's household is on both sides."}
    )
    tree: Mapping[str, Path | Tree] | None = field(
        default=None, metadata={"help": "What labels in a file mean: name=FILE, a tree as node,parent or leaf;level…"}
    )

    def __post_init__(self) -> None:
        if self.within:
            Tolerance.parse(self.within)

    def attack(
        self,
        release: MaskedTable,
        original: Dataset,
        controls: Dataset,
        *,
        rng: np.random.Generator,
        most: int | None = None,
    ) -> AttributeAnswer:
        """Attack a release.

        Args:
            release: what is published.
            original: the people it was made from.
            controls: people of the same population who are not among them.
            rng: of who is attacked, and of ties.
            most: how many of either are attacked at most.

        Raises:
            ParameterError: a column is unknown or of another kind, no tolerance is fixed, or a control is in the file.
            InfeasibleError: nothing is known of the sensitive column in the release.
        """
        column = self.settle_sensitive(original)
        keys = self.settle_keys(release, original, column.name)
        limits = {} if most is None else {"most": most}
        group = ControlGroup.draw(original, controls, rng=rng, household=self.household, **limits)
        people = group.join()
        there = ~_find_missing(people, column)
        guess = self._guess_values(release, people, keys, column, group.draw_words("ties"))
        member = np.arange(len(people)) < len(group.members)
        return AttributeAnswer(
            added=AddedSuccess(
                hits=int((guess.hit & member & there).sum()),
                trials=int((member & there).sum()),
                control_hits=int((guess.hit & ~member & there).sum()),
                control_trials=int((~member & there).sum()),
            ),
            chance=self._measure_chance(people, column, member & there, ~member & there),
            disclosed=int((guess.agreed & (guess.expected == 1) & member & there).sum()),
            expected_hits=float(guess.expected[member & there].sum()),
            expected_control_hits=float(guess.expected[~member & there].sum()),
            fitting=int((guess.fits & member & there).sum()),
            control_fitting=int((guess.fits & ~member & there).sum()),
            equal=group.equal,
            left_out=int((~there).sum()),
        )

    def settle_sensitive(self, data: Dataset) -> Column:
        """Return the column that is guessed.

        Raises:
            ParameterError: none is named, or a column of numbers has no tolerance.
        """
        named = (self.sensitive,) if self.sensitive else data.schema.with_role(Role.SENSITIVE)
        if len(named) != 1:
            raise ParameterError("sensitive", Said("be named: one column is guessed"), named)
        column = data.schema[named[0]]
        if column.kind.numeric and not self.within:
            rule = Said("be fixed before: {name} is a column of numbers", name=column.name)
            raise ParameterError("within", rule, self.within)
        if not column.kind.numeric and self.within:
            rule = Said("be left out: {name} is a column of categories", name=column.name)
            raise ParameterError("within", rule, self.within)
        return column

    def settle_keys(self, release: MaskedTable, data: Dataset, sensitive: str) -> tuple[str, ...]:
        """Return the columns that he knows."""
        if sensitive in self.keys:
            raise ParameterError("keys", Said("not hold the column that is guessed"), sensitive)
        hidden = {sensitive, self.household, *data.schema.with_role(Role.SENSITIVE)}
        return self.keys or tuple(name for name in release.columns if name not in hidden)

    def _guess_values(
        self,
        release: MaskedTable,
        people: Dataset,
        keys: tuple[str, ...],
        column: Column,
        words: NDArray[np.uint64],
    ) -> _Guesses:
        linkage = CellLinkage.of(release, people, keys)
        votes = SensitiveVotes.of(release, column.name, linkage.row)
        lists = linkage.list_nearest(reach=ANY if self.nearest else FITS)
        person, value, weight = votes.collect(lists.offsets, lists.rows)
        fits = (lists.distance == FITS)[linkage.person]
        if column.kind.numeric:
            truth = people.grid(column.name)
            chosen = choose_middle(person, value, weight, len(lists.distance))
            chosen = np.where(chosen < 0, choose_middle(*votes.whole(), 1)[0], chosen)
            guesses = votes.values[chosen][linkage.person]
            near = Tolerance.parse(self.within).reach(truth, column.decimals)
            right = np.abs(guesses / 2 - truth[:, None]) <= near[:, None]
            agreed = self._agree_numbers(votes, lists.offsets, lists.rows, column)[linkage.person]
            return _Guesses.draw(right, np.ones(right.shape, dtype=np.bool_), words, fits=fits, agreed=agreed & fits)
        truth = _find_places(people, column.name, votes.domain)
        shape = (len(lists.distance), len(votes.domain))
        table = np.zeros(shape)
        table[person, value] = weight
        whole = np.zeros((1, shape[1]))
        whole[0, votes.whole()[1]] = votes.whole()[2]
        table = np.where(table.any(axis=1, keepdims=True), table, whole)
        best = table >= table.max(axis=1, keepdims=True) - 1e-9
        single = np.bincount(person, minlength=shape[0]) == 1
        sure = ~votes.find_open(lists.offsets, lists.rows)
        right = np.arange(shape[1]) == truth[:, None]
        agreed = (single & sure)[linkage.person] & fits
        return _Guesses.draw(right, best[linkage.person], words, fits=fits, agreed=agreed)

    def _agree_numbers(
        self, votes: SensitiveVotes, offsets: NDArray[np.int64], rows: NDArray[np.int64], column: Column
    ) -> NDArray[np.bool_]:
        """Tell of which people all rows lie within the tolerance of each other, so that any of them is a hit."""
        low, high = votes.find_span(offsets, rows)
        known = ~votes.find_open(offsets, rows) & (np.diff(offsets) > 0)
        least = np.where((low <= 0) & (high >= 0), 0, np.minimum(np.abs(low), np.abs(high)))
        near = Tolerance.parse(self.within).reach(least, column.decimals)
        return known & (high.astype(np.float64) - low.astype(np.float64) <= near)

    def _measure_chance(
        self, people: Dataset, column: Column, members: NDArray[np.bool_], controls: NDArray[np.bool_]
    ) -> float:
        """Return the share of members that is hit by the value that most controls have, or by their middle one."""
        if column.kind.numeric:
            truth = people.grid(column.name)
            ordered = np.sort(truth[controls])
            middle = ordered[[(len(ordered) - 1) // 2, len(ordered) // 2]]
            near = Tolerance.parse(self.within).reach(truth[members], column.decimals)
            return float((np.abs(truth[members][:, None] - middle) <= near[:, None]).mean())
        codes = people.codes(column.name)
        counts = np.bincount(codes[controls], minlength=len(people.domain(column.name)))
        best = np.flatnonzero(counts == counts.max())
        return float(np.isin(codes[members], best).mean() / len(best))


def _find_missing(data: Dataset, column: Column) -> NDArray[np.bool_]:
    if column.kind.numeric:
        return find_gaps(data.grid(column.name))
    return (data.text(column.name) == MISSING_TEXT).to_numpy()


def _find_places(people: Dataset, name: str, domain: tuple[str, ...]) -> NDArray[np.int64]:
    at = {value: place for place, value in enumerate(domain)}
    return np.array([at.get(value, -1) for value in people.domain(name)], dtype=np.int64)[people.codes(name)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Guesses:
    """Of each person: is the drawn guess right, how likely over all draws, does a row fit, do all say the same."""

    hit: NDArray[np.bool_]
    expected: NDArray[np.float64]
    fits: NDArray[np.bool_]
    agreed: NDArray[np.bool_]

    @classmethod
    def draw(
        cls,
        right: NDArray[np.bool_],
        tied: NDArray[np.bool_],
        words: NDArray[np.uint64],
        *,
        fits: NDArray[np.bool_],
        agreed: NDArray[np.bool_],
    ) -> _Guesses:
        """Draw one of the tied guesses of each person."""
        count = tied.sum(axis=1)
        pick = (words % count.astype(np.uint64)).astype(np.int64) + 1
        at = np.argmax(np.cumsum(tied, axis=1) == pick[:, None], axis=1)
        hit = right[np.arange(len(at)), at]
        return cls(hit=hit, expected=(right & tied).sum(axis=1) / count, fits=fits, agreed=agreed)
