"""The attack on attributes by plain loops: small random releases, fitting rows listed, every draw of a tie counted.

Shares nothing with the attack but the data: cells are Python values here, chances exact fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

from sekisho.attack.records.attribute import AttributeAnswer
from sekisho.data.frame.cells import MISSING_NUMBER, RangeCells, SetCells, gather_sets
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import MaskedTable

TOWNS, ILLS = ("a", "b", "c"), ("f", "g", "h")
NUMERIC, TEXTUAL = "pay", "ill"
Person = tuple[int | None, str, str, int | None]
"""Age, town, illness, pay; None and the empty text are missing."""
Span = tuple[int, int] | None
"""A range; None is suppressed; of a missing cell both ends are ``MISSING_NUMBER``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRow:
    """One row of a release: what each cell admits; None is suppressed."""

    age: Span
    town: frozenset[str] | None
    ill: frozenset[str] | None
    pay: Span

    def fits(self, person: Person) -> bool:
        """Tell whether the cells of the keys admit a person."""
        age = MISSING_NUMBER if person[0] is None else person[0]
        return (self.age is None or self.age[0] <= age <= self.age[1]) and (self.town is None or person[1] in self.town)


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallCase:
    """A release of few rows, people in it, and others."""

    rows: tuple[PublishedRow, ...]
    members: tuple[Person, ...]
    controls: tuple[Person, ...]

    @classmethod
    def draw(cls, rng: np.random.Generator) -> SmallCase:
        """Draw a case: truthful cells for the most part, some blurred, some wrong, some suppressed, some missing."""
        people = [_draw_person(rng) for _ in range(int(rng.integers(2, 9)))]
        others = [_draw_person(rng) for _ in range(int(rng.integers(1, 7)))]
        kept = [person for person in people if rng.random() < 0.9] or people[:1]
        return cls(rows=tuple(_draw_row(person, rng) for person in kept), members=tuple(people), controls=tuple(others))

    @property
    def schema(self) -> Schema:
        """Of the people: keys of both kinds, sensitive columns of both kinds."""
        return Schema(
            (
                Column(name="age", kind=Kind.INTEGER),
                Column(name="town", kind=Kind.CATEGORY),
                Column(name=TEXTUAL, kind=Kind.CATEGORY, role=Role.SENSITIVE),
                Column(name=NUMERIC, kind=Kind.INTEGER, role=Role.SENSITIVE),
            )
        )

    def people(self, rows: tuple[Person, ...]) -> Dataset:
        """Return people as a data set."""
        types = {"age": pl.Int64, "town": pl.String, TEXTUAL: pl.String, NUMERIC: pl.Int64}
        return Dataset(pl.DataFrame(list(rows), schema=types, orient="row"), self.schema)

    @property
    def table(self) -> MaskedTable:
        """The release as a masked table."""
        return MaskedTable(
            schema=self.schema,
            columns={
                "age": _make_ranges([row.age for row in self.rows]),
                "town": _make_sets([row.town for row in self.rows], ("", *TOWNS)),
                TEXTUAL: _make_sets([row.ill for row in self.rows], ("", *ILLS)),
                NUMERIC: _make_ranges([row.pay for row in self.rows]),
            },
        )


def _make_sets(cells: list[frozenset[str] | None], domain: tuple[str, ...]) -> SetCells:
    pairs = [(row, domain.index(text)) for row, cell in enumerate(cells) for text in sorted(cell or ())]
    rows, codes = (np.array([pair[place] for pair in pairs], dtype=np.int64) for place in (0, 1))
    return gather_sets(rows, codes.astype(np.int32), len(cells), domain)


def _make_ranges(cells: list[Span]) -> RangeCells:
    ends = np.array([(0, 0) if cell is None else cell for cell in cells], dtype=np.int64)
    gone = np.array([cell is None for cell in cells], dtype=np.bool_)
    return RangeCells(lower=ends[:, 0].copy(), upper=ends[:, 1].copy(), suppressed=gone)


def _draw_person(rng: np.random.Generator) -> Person:
    age = None if rng.random() < 0.05 else int(rng.integers(0, 5))
    ill = "" if rng.random() < 0.05 else ILLS[int(rng.integers(0, 3))]
    pay = None if rng.random() < 0.05 else int(rng.integers(-2, 9))
    return age, TOWNS[int(rng.integers(0, 3))], ill, pay


def _draw_row(person: Person, rng: np.random.Generator) -> PublishedRow:
    age, town, ill, pay = person
    return PublishedRow(
        age=_blur_number(age, rng),
        town=_blur_text(town, TOWNS, rng),
        ill=_blur_text(ill, ILLS, rng),
        pay=_blur_number(pay, rng),
    )


def _blur_number(value: int | None, rng: np.random.Generator) -> Span:
    if value is None:
        return MISSING_NUMBER, MISSING_NUMBER
    draw = rng.random()
    if draw < 0.1:
        return None
    if draw < 0.2:
        value += int(rng.integers(-2, 3))
    return (value, value) if draw < 0.6 else (value - int(rng.integers(0, 3)), value + int(rng.integers(0, 3)))


def _blur_text(value: str, domain: tuple[str, ...], rng: np.random.Generator) -> frozenset[str] | None:
    draw = rng.random()
    if draw < 0.1:
        return None
    if not value or draw < 0.6:
        return frozenset({value})
    return frozenset({value, domain[int(rng.integers(0, 3))]})


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What the listing found about one side.

    Attributes:
        trials: people whose own value is there.
        least: the fewest hits that draws of ties can give.
        most: the most.
        expected: their mean.
        disclosed: people of whom every fitting row says the same, and truly.
    """

    trials: int
    least: int
    most: int
    expected: Fraction
    disclosed: int


def list_side(case: SmallCase, people: tuple[Person, ...], *, sensitive: str, within: str) -> Listed:
    """Guess every person of one side by listing the rows that fit."""
    chances: list[Fraction] = []
    disclosed = 0
    for person in people:
        truth = person[2] if sensitive == TEXTUAL else person[3]
        if truth in ("", None):
            continue
        fitting = [row for row in case.rows if row.fits(person)]
        guesses, agreed = _guess(case, fitting, sensitive, within)
        right = [_is_hit(guess, truth, within) for guess in guesses]
        chances.append(Fraction(sum(right), len(right)))
        disclosed += agreed and all(right)
    return Listed(
        trials=len(chances),
        least=sum(chance == 1 for chance in chances),
        most=sum(chance > 0 for chance in chances),
        expected=sum(chances, Fraction(0)),
        disclosed=disclosed,
    )


def _guess(case: SmallCase, fitting: list[PublishedRow], sensitive: str, within: str) -> tuple[list[object], bool]:
    """Return the guesses among which a draw decides, and whether all fitting rows say the same."""
    if sensitive == TEXTUAL:
        votes = _count_texts(fitting) or _count_texts(list(case.rows))
        best = [text for text, weight in votes.items() if weight == max(votes.values())]
        said = [set(row.ill) - {""} if row.ill else set() for row in fitting]
        return list(best), bool(said) and all(said) and len(set().union(*said)) == 1
    spans = [row.pay for row in fitting if row.pay is not None and row.pay[0] != MISSING_NUMBER]
    every = [row.pay for row in case.rows if row.pay is not None and row.pay[0] != MISSING_NUMBER]
    middles = sorted(Fraction(low + high, 2) for low, high in spans or every)
    agreed = False
    if fitting and len(spans) == len(fitting):
        low, high = min(low for low, _ in spans), max(high for _, high in spans)
        # any number of the span is near any other: the farthest apart, and the strictest truth
        agreed = all(_is_hit(Fraction(one), other, within) for one in (low, high) for other in range(low, high + 1))
    return [middles[(len(middles) - 1) // 2], middles[len(middles) // 2]], agreed


def _count_texts(rows: list[PublishedRow]) -> dict[str, Fraction]:
    votes: dict[str, Fraction] = {}
    for row in rows:
        for text in row.ill or ():
            if text:
                votes[text] = votes.get(text, Fraction(0)) + Fraction(1, len(row.ill or ()))
    return votes


def _is_hit(guess: object, truth: object, within: str) -> bool:
    if not within:
        return guess == truth
    share = within.endswith("%")
    near = Fraction(within.removesuffix("%"))
    if not isinstance(guess, Fraction) or not isinstance(truth, int):
        return False
    return abs(guess - truth) <= (near * abs(truth) / 100 if share else near)


def list_faults(case: SmallCase, answer: AttributeAnswer, *, sensitive: str, within: str) -> list[str]:
    """Return where an answer is not what the listing found; nothing if it is."""
    members = list_side(case, case.members, sensitive=sensitive, within=within)
    controls = list_side(case, case.controls, sensitive=sensitive, within=within)
    added = answer.added
    sides = (
        ("members", members, added.trials, added.hits, answer.expected_hits),
        ("controls", controls, added.control_trials, added.control_hits, answer.expected_control_hits),
    )
    faults = [] if answer.disclosed == members.disclosed else [f"disclosed {answer.disclosed}, {members.disclosed}"]
    for name, listed, trials, hits, expected in sides:
        if trials != listed.trials or abs(expected - float(listed.expected)) > 1e-9:
            faults.append(f"{name}: {trials} with {expected}, listed {listed.trials} with {listed.expected}")
        if not listed.least <= hits <= listed.most:
            faults.append(f"{name}: {hits} hits, listed {listed.least} to {listed.most}")
    return faults
