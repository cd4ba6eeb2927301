"""The adversary whom Pk-anonymity is promised against: he knows everybody's values and how the release was made.

He sees the released records and knows the whole original table, the transition matrices and the sizes; only the chance
itself is hidden from him. For each released record he names the person who it most likely is:

``exact``        by the exact posterior (:mod:`sekisho.attack.records.posterior`), where released values are few enough;
``assignment``   else by the most likely way to give every released record its own person (maximum likelihood);
``likelihood``   where that is too large as well, record by record: A[u, y] / sum over all people of A[u', y].

Where the release shows its strata each is attacked on its own; where it hides them, he goes record by record and weighs
each person by the share of his stratum that was drawn.

No claim of his can be right with a chance above 1/k. Source: Kikuchi, "How much can the sampling reduce the
identification risk?", definition 2.2 and the proof of theorem 5.1 (the posterior).

The exact posterior of who is who after PRAM, sampling and a shuffle.

Every way to draw and shuffle is equally likely, so the chance that person r is the released record r' is a ratio of
sums over all injections of the m released records into the n people, products of A[value of the person, released value]
each: permanents. People with equal values and equal released records are interchangeable, so the sums are coefficients
of

    F(x) = product over people of (1 + sum over y of A[u, y] x_y),        y the distinct released values, c_y how many,

where 1 stands for being left out. With F_u the product without one person of value u, the chance that he is a certain
record of value y is A[u, y] [x^(c - e_y)] F_u / (c_y [x^c] F), and [x^c] F = [x^c] F_u + sum over y of A[u, y] [x^(c -
e_y)] F_u. The products before and after each value are kept, so that no polynomial is divided. Work: n times the number
of released values times the product of all (c_y + 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from sekisho.attack.guess import Guess, name_people
from sekisho.data.files.whole_files import decode_text, read_bytes
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Abilities, Reads, Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.safety.mechanism import Mechanism, parse_mechanism
from sekisho.safety.transition import Floats
from sekisho.words import Said


def count_exact_steps(people: NDArray[np.int64], released: NDArray[np.int64]) -> float:
    """Return how many steps the exact posterior takes, and at least how many numbers it keeps."""
    states = np.log1p(released).sum()
    each = max(float(people.sum()) * len(released), float(len(people)) * 8)
    return float(np.exp(min(states, 600.0))) * each


def compute_exact_posterior(likelihood: Floats, people: NDArray[np.int64], released: NDArray[np.int64]) -> Floats:
    """Return the chance that one person of value u is one certain released record of value y.

    Args:
        likelihood: A[u, y] for the distinct original values u and the distinct released values y.
        people: how many people have each value.
        released: how many released records have each value.
    """
    ends, _ = list_coefficients(likelihood, people, released)
    return np.stack([_normalise_chances(likelihood[u], ends[u], released) for u in range(len(people))])


def list_coefficients(
    likelihood: Floats, people: NDArray[np.int64], released: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return the coefficients of F_u at c and at c - e_y for each y, a line for each value u, and those of F itself.

    The scale of a line means nothing.
    """
    shape = tuple(int(count) + 1 for count in released)
    empty = np.zeros(shape)
    empty[(0,) * len(shape)] = 1.0
    after = [empty]
    for u in range(len(people) - 1, 0, -1):
        after.append(_multiply_factors(after[-1], likelihood[u], int(people[u])))
    ends = np.zeros((len(people), len(released) + 1))
    before = empty
    for u, rest in enumerate(reversed(after)):
        without = _multiply_factors(before, likelihood[u], int(people[u]) - 1)
        ends[u] = list(_pick_coefficients(without, rest))
        before = _multiply_factors(without, likelihood[u], 1)
    return ends, np.array(list(_pick_coefficients(before, empty)))


def _multiply_factors(table: Floats, chances: Floats, often: int) -> Floats:
    for _ in range(often):
        out = table.copy()
        for axis, chance in enumerate(chances):
            ahead, behind = [slice(None)] * table.ndim, [slice(None)] * table.ndim
            ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
            out[tuple(ahead)] += chance * table[tuple(behind)]
        table = out / out.max()  # only ratios count, so the size may be reined in
    return table


def _pick_coefficients(one: Floats, other: Floats) -> Iterator[float]:
    """Yield the coefficients of a product at c and at c - e_y for each y."""
    turned = np.flip(other)
    yield float((one * turned).sum())
    for axis in range(one.ndim):
        ahead, behind = [slice(None)] * one.ndim, [slice(None)] * one.ndim
        ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
        yield float((one[tuple(behind)] * turned[tuple(ahead)]).sum())


def _normalise_chances(chances: Floats, ends: Floats, released: NDArray[np.int64]) -> Floats:
    joint = chances * ends[1:]
    total = ends[0] + joint.sum()
    return joint / (total * released) if total else joint


IMPOSSIBLE = 1e6
BLOCK = 1 << 22


class Way(StrEnum):
    """How the posterior is computed."""

    EXACT = "exact"
    ASSIGNMENT = "assignment"
    LIKELIHOOD = "likelihood"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kinds:
    """Rows by their distinct values: ``values`` has one line per kind, ``kind`` says which one each row is.

    ``weight`` is how likely each person of a kind was drawn, in proportion.
    """

    values: NDArray[np.int32]
    kind: NDArray[np.intp]
    count: NDArray[np.int64]
    weight: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Posterior:
    """Names for each released record the person who it most likely is, knowing everything but the chance.

    A person is his id, or his row from 0 where there is none.

    Example: `sekisho attack posterior --mechanism R.csv.mechanism.json --original adult.csv --published R.csv --out
    G.csv`

    Source: Kikuchi, "How much can the sampling reduce the identification risk?", definition 2.2.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    abilities: ClassVar[Abilities] = Abilities(reads=Reads.TEXTS)

    mechanism: Path | Mechanism = field(metadata={"help": "The description written beside the release."})
    exact: float = field(default=2e8, metadata={"help": "Most steps that the exact posterior may take."})
    pairs: int = field(default=10_000_000, metadata={"help": "Most pairs of people and records for the assignment."})

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return one claim for each released record."""
        require_one_row(knowledge)
        mechanism = self._read_mechanism()
        if len(knowledge) < max(1, len(release)):
            raise ParameterError(
                "knowledge",
                Said("have a person for each of the {release} records", release=len(release)),
                len(knowledge),
            )
        people = _stack([_place_known(knowledge, name, values) for name, values in mechanism.domains.items()])
        records = _stack([_place_released(release, name, values) for name, values in mechanism.domains.items()])
        person, chance = np.empty(len(records), dtype=np.intp), np.zeros(len(records))
        ways: dict[str, None] = {}
        for part in _split_strata(mechanism, knowledge, release):
            crowd = _group_rows(people[part.people], part.weight)
            way = self.choose_way(crowd, (line := _group_rows(records[part.records])), even=part.weight is None)
            named, chance[part.records] = _name_part(way, mechanism, crowd, line, rng)
            person[part.records] = part.people[named]
            ways[way] = None
        return Guess(
            published=np.arange(len(release)),
            person=name_people(knowledge, person),
            chance=np.minimum(chance, 1.0),
            detail={"way": ", ".join(ways), "greatest_chance": float(chance.max(initial=0.0))},
        )

    def list_known_columns(self) -> tuple[str, ...]:
        """Return columns that he must know beside those released: the stratum's, also where the release hides it."""
        stratum = self._read_mechanism().stratum
        return (stratum,) if stratum else ()

    def choose_way(self, people: Kinds, records: Kinds, *, even: bool = True) -> Way:
        """Return how the posterior is computed for data of this size.

        Record by record where not all are drawn alike.
        """
        if not even:
            return Way.LIKELIHOOD
        if count_exact_steps(people.count, records.count) <= self.exact:
            return Way.EXACT
        return Way.ASSIGNMENT if len(people.kind) * len(records.kind) <= self.pairs else Way.LIKELIHOOD

    def _read_mechanism(self) -> Mechanism:
        if isinstance(self.mechanism, Mechanism):
            return self.mechanism
        path = Path(self.mechanism)
        return parse_mechanism(decode_text(read_bytes(path), path), path)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PosteriorPart:
    """People and released records that can only be each other: rows of both, and how likely each person was drawn.

    ``weight`` is None where all are drawn alike.
    """

    people: NDArray[np.intp]
    records: NDArray[np.intp]
    weight: Floats | None = None


def _split_strata(mechanism: Mechanism, knowledge: Dataset, release: MaskedTable) -> Iterator[PosteriorPart]:
    everybody, rows = np.arange(len(knowledge)), np.arange(len(release))
    if not mechanism.strata:
        yield PosteriorPart(people=everybody, records=rows)
        return
    names = tuple(part.name for part in mechanism.strata)
    home = _place_known(knowledge, mechanism.stratum, names)
    if not mechanism.visible:
        drawn = np.array([part.sample / part.records for part in mechanism.strata])
        yield PosteriorPart(people=everybody, records=rows, weight=drawn[home])
        return
    shown = _place_released(release, mechanism.stratum, names)
    for place, name in enumerate(names):
        part = PosteriorPart(people=np.flatnonzero(home == place), records=np.flatnonzero(shown == place))
        if len(part.people) < len(part.records):
            rule = Said(
                "have a person for each of the {records} records of stratum {name}",
                records=len(part.records),
                name=name,
            )
            raise ParameterError("knowledge", rule, len(part.people))
        if len(part.records):
            yield part


def _name_part(
    way: Way, mechanism: Mechanism, people: Kinds, records: Kinds, rng: np.random.Generator
) -> tuple[NDArray[np.intp], Floats]:
    if way is Way.LIKELIHOOD:
        return _name_likeliest(mechanism, people, records, rng)
    likelihood = _compute_likelihood(mechanism, people, records)
    if way is Way.ASSIGNMENT:
        return _assign_people(likelihood, people, records, rng)
    return _name_people(compute_exact_posterior(likelihood, people.count, records.count), people, records, rng)


def _stack(columns: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    return np.column_stack(columns)


def _place_known(data: Dataset, name: str, values: tuple[str, ...]) -> NDArray[np.int32]:
    return _translate_codes(data.codes(name), data.domain(name), name, values)


def _place_released(release: MaskedTable, name: str, values: tuple[str, ...]) -> NDArray[np.int32]:
    cells = release.sets(name)
    if not bool(cells.is_exact().all()):
        raise ParameterError(
            Said("column {name}", name=name),
            Said("hold one value in each released record"),
            "a set or a suppressed cell",
        )
    return _translate_codes(cells.codes, cells.domain, name, values)


def _translate_codes(
    codes: NDArray[np.int32], domain: Sequence[str], name: str, values: tuple[str, ...]
) -> NDArray[np.int32]:
    places = {value: place for place, value in enumerate(values)}
    foreign = [value for value in domain if value not in places]
    if foreign:
        raise ParameterError(Said("column {name}", name=name), Said("hold values that the mechanism knows"), foreign)
    return np.array([places[value] for value in domain], dtype=np.int32)[codes]


def _group_rows(values: NDArray[np.int32], weight: Floats | None = None) -> Kinds:
    # People who are drawn with another chance are another kind.
    levels = np.ones(1) if weight is None else np.unique(weight)
    level = np.zeros(len(values), dtype=np.int32) if weight is None else np.searchsorted(levels, weight)
    lines, kind, count = np.unique(
        np.column_stack([values, level.astype(np.int32)]), axis=0, return_inverse=True, return_counts=True
    )
    return Kinds(values=lines[:, :-1], kind=kind.reshape(-1), count=count.astype(np.int64), weight=levels[lines[:, -1]])


def _compute_likelihood(mechanism: Mechanism, people: Kinds, records: Kinds, rows: slice = slice(None)) -> Floats:
    likelihood = np.ones((len(people.values[rows]), len(records.values)))
    for place, transition in enumerate(mechanism.transitions.values()):
        likelihood *= transition.matrix()[np.ix_(people.values[rows, place], records.values[:, place])]
    return likelihood


def _name_people(
    chances: Floats, people: Kinds, records: Kinds, rng: np.random.Generator
) -> tuple[NDArray[np.intp], Floats]:
    best = chances.argmax(axis=0)
    return _draw_people(best[records.kind], people, rng), chances[best, np.arange(len(best))][records.kind]


def _draw_people(kinds: NDArray[np.intp], people: Kinds, rng: np.random.Generator) -> NDArray[np.intp]:
    # Any person of the kind will do; each claim draws its own.
    order = np.argsort(people.kind, kind="stable")
    start = np.concatenate([[0], np.cumsum(people.count)])[:-1]
    return order[start[kinds] + rng.integers(0, people.count[kinds])]


def _assign_people(
    likelihood: Floats, people: Kinds, records: Kinds, rng: np.random.Generator
) -> tuple[NDArray[np.intp], Floats]:
    with np.errstate(divide="ignore"):
        cost = np.minimum(-np.log(likelihood), IMPOSSIBLE)
    # Ties go to whoever comes first, so both sides come in a random order.
    crowd, line = rng.permutation(len(people.kind)), rng.permutation(len(records.kind))
    place, who = scipy.optimize.linear_sum_assignment(cost[np.ix_(people.kind[crowd], records.kind[line])].T)
    person = np.empty(len(records.kind), dtype=np.intp)
    person[line[place]] = crowd[who]
    share = likelihood / np.maximum(people.count @ likelihood, np.finfo(float).tiny)
    return person, share[people.kind[person], records.kind]


def _name_likeliest(
    mechanism: Mechanism, people: Kinds, records: Kinds, rng: np.random.Generator
) -> tuple[NDArray[np.intp], Floats]:
    width = len(records.values)
    best, most, total = np.zeros(width, dtype=np.intp), np.zeros(width), np.zeros(width)
    step = max(1, BLOCK // width)
    for start in range(0, len(people.values), step):
        part = slice(start, start + step)
        likelihood = _compute_likelihood(mechanism, people, records, part) * people.weight[part, None]
        total += people.count[part] @ likelihood
        top = likelihood.argmax(axis=0)
        high = likelihood[top, np.arange(width)]
        best, most = np.where(high > most, start + top, best), np.maximum(most, high)
    share = most / np.maximum(total, np.finfo(float).tiny)
    return _draw_people(best[records.kind], people, rng), share[records.kind]
