"""Tables of populations of which some are parts of others, and the differences that whoever reads them can form.

All people and the adults among them: whoever sees both tables subtracts them and has the children. Each difference is a
cell that nobody publishes, with a rule of its own. Which differences are formed is declared, not guessed:

- every population but the first is declared to be a part of one other; with A ⊃ B ⊃ C it follows that C is a part of A.
  Of every such pair, declared or following, the difference is formed: A - B, B - C, A - C.
- several parts of one population may be declared to have nobody in common (a split). Then what is left of the whole
  beside all of them is formed as well: A - P - Q. If nothing is left in any cell, the attacker is taken to know that:
  A = P + Q; and of a split in two neither A - P nor A - Q is formed, for they are Q and P.

One population at two times stands in one of four relations. It *grows* if nobody left: the earlier is a part of the
later. It is the *same* if nobody left and nobody came: every cell is equal. It *overlaps* if it is known how many left
and came (:mod:`sekisho.tables.model.linked.turnover`). If nothing is known, there is no equation, and nothing is
claimed: such tables are no system.

Since each population is a part of one other at most, an attacker who thinks of all the people behind the tables knows
no more than these differences tell him (docs/proofs/linked-tables.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array, vstack

from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.tables.model.exact_sums import subtract_exactly
from sekisho.tables.model.linked.join import merge_tables
from sekisho.tables.model.linked.turnover import Turnover
from sekisho.tables.model.table import Floats, Mask, Status, Table
from sekisho.words import Said

POPULATION = "population"
REST = "difference"
"""What the difference of two populations is called if there are no others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What is left of a population beside some of its parts.

    Attributes:
        name: the code of its cells in the dimension ``population``.
        whole: the population.
        parts: the parts, which have nobody in common.
    """

    name: str
    whole: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Populations:
    """Tables of the same cells for several populations.

    Attributes:
        tables: by name; the first is the population that all others are parts of.
        within: the population that each other one is declared to be a part of.
        splits: populations, each with those of its parts that have nobody in common.
        same: populations, each with the other one whose people are the very same.
        turnovers: of which it is known how many left and came.
        rest: the name of the only difference of two populations.
    """

    tables: Mapping[str, Table]
    within: Mapping[str, str]
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    same: Mapping[str, str] = field(default_factory=dict[str, str])
    turnovers: tuple[Turnover, ...] = ()
    rest: str = REST

    def __post_init__(self) -> None:
        names = list(self.tables)
        if len(names) < 2:
            raise ParameterError("populations", Said("be at least two"), len(names))
        _refuse_declaration(names, self._list_relations(), self.within, self.splits)
        _refuse_other_cells(self.tables)
        for name, other in self.same.items():
            _refuse_unequal(name, other, self.tables)
        for whole, parts in (*((above, (part,)) for part, above in self.within.items()), *self.splits.items()):
            _refuse_excess(whole, parts, self)
        doubled = [each.name for each in self.differences if each.name in self.tables]
        if doubled:
            raise ParameterError("names", Said("be different from those of the differences"), doubled[0])

    def _list_relations(self) -> list[tuple[str, str]]:
        """Return every population with the one that it is related to."""
        moved = [(each.later, each.earlier) for each in self.turnovers]
        return [*self.within.items(), *self.same.items(), *moved]

    @property
    def signed(self) -> bool:
        """Whether values may be below 0; then a part's may exceed its whole's."""
        return any(bool(np.any(table.lower < 0)) for table in self.tables.values())

    @property
    def made_up(self) -> tuple[str, ...]:
        """The populations that their split makes up wholly: nothing is left in any cell."""
        return tuple(
            whole
            for whole, parts in self.splits.items()
            if not self.subtract_values(whole, parts).any() and not _subtract_frequencies(self, whole, parts).any()
        )

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The differences that are formed: of each pair of which one is a part of the other, and what splits leave."""
        made_up = self.made_up
        halves = {part for whole in made_up if len(self.splits[whole]) == 2 for part in self.splits[whole]}
        pairs = [
            (above, (part,))
            for part in self.within
            for above in _list_above(part, self.within)
            if not (part in halves and above == self.within[part])
        ]
        rests = [(whole, parts) for whole, parts in self.splits.items() if whole not in made_up]
        only = len(self.tables) == 2
        return tuple(
            Difference(name=self.rest if only else " - ".join((whole, *parts)), whole=whole, parts=parts)
            for whole, parts in (*pairs, *rests)
        )

    def subtract_values(self, whole: str, parts: Sequence[str]) -> Floats:
        """Return what is left of a population's values, with no more decimals than they have."""
        values = [self.tables[name].value for name in (whole, *parts)]
        return subtract_exactly(values[0], np.array(values[1:]))

    def subtract(self, difference: Difference) -> Table:
        """Return a difference as a table of its own: nobody publishes its cells, which are free of cost.

        Its numbers of contributors are differences too, which is right if each contributor stands in one of the parts
        or in none; its largest contributions are not known.
        """
        whole = self.tables[difference.whole]
        size = len(whole)
        nothing = np.zeros(size)
        return Table(
            dims=whole.dims,
            keys=whole.keys,
            value=self.subtract_values(difference.whole, difference.parts),
            matrix=whole.matrix,
            equations=whole.equations,
            weight=nothing,
            frequency=np.maximum(_subtract_frequencies(self, difference.whole, difference.parts), 0).astype(np.int64),
            status=np.full(size, np.int8(Status.SECONDARY)),
            lower=np.full(size, -np.inf if self.signed else 0.0),
            upper=np.full(size, np.inf),
            lower_level=nothing,
            upper_level=nothing,
            sliding_level=nothing,
            largest=np.zeros((size, 0)),
            margins=whole.margins,
        )

    def with_tables(self, tables: Sequence[Table]) -> Populations:
        """Return the same populations with their tables marked otherwise, in order."""
        return replace(self, tables=dict(zip(self.tables, tables, strict=True)))

    def join(self, differences: Sequence[Table]) -> Table:
        """Return one system of all populations and their differences.

        Args:
            differences: the table of each of ``differences``, in order, with what rules say of it.
        """
        formed = self.differences
        first = next(iter(self.tables))
        named = [*self.tables.items(), *((each.name, table) for each, table in zip(formed, differences, strict=True))]
        for each in self.turnovers:
            moved = each.split(self.tables[each.earlier], self.tables[each.later])
            named += zip(each.names, moved, strict=True)
        system = merge_tables([_of_population(table, name, whole=first) for name, table in named])
        links = [(each.whole, (*each.parts, each.name)) for each in formed]
        links += [(whole, self.splits[whole]) for whole in self.made_up]
        links += [(name, (other,)) for name, other in self.same.items()]
        for each in self.turnovers:
            stay, left, came = each.names
            links += [(each.earlier, (stay, left)), (each.later, (stay, came))]
        place = {name: at for at, (name, _) in enumerate(named)}
        size = len(self.tables[first])
        blocks = [_link(place[whole], [place[part] for part in parts], len(named), size) for whole, parts in links]
        cells = [self.tables[first].named(cell) for cell in range(size)]
        told = [f"{POPULATION}={whole}" + ("" if len(links) == 1 else f" with {parts[-1]}") for whole, parts in links]
        return replace(
            system,
            matrix=csr_array(vstack([system.matrix, *blocks])),
            equations=(*system.equations, *(f"{name} at {cell}" for name in told for cell in cells)),
        )


def declare_populations(
    tables: Mapping[str, Table],
    *,
    within: Mapping[str, str] | None = None,
    splits: Mapping[str, Sequence[str]] | None = None,
    same: Mapping[str, str] | None = None,
    turnovers: Sequence[Turnover] = (),
) -> Populations:
    """Return populations as they are declared; if nothing is, each is a part of the one before it.

    Raises:
        ParameterError: a name that is none, a population that is a part of none or of two others or of itself, tables
            of different cells.
        FaultsError: a part exceeds its whole in some cells; all of them at once.
    """
    parts = {whole: tuple(each) for whole, each in (splits or {}).items()}
    above: dict[str, str] = dict(within or {})
    for whole, each in parts.items():
        for part in each:
            if above.get(part, whole) != whole:
                raise ParameterError(
                    "split", Said("agree with {part} being a part of {above}", part=part, above=above[part]), whole
                )
            above[part] = whole
    if not above and not same and not turnovers:
        above = {part: whole for whole, part in pairwise(tables)}
    return Populations(tables=tables, within=above, splits=parts, same=dict(same or {}), turnovers=tuple(turnovers))


def difference_tables(larger: Table, smaller: Table, *, names: tuple[str, str, str]) -> Table:
    """Return one table of a population, a part of it, and their differences cell by cell.

    Each difference is entered as suppressed, free of cost, and a rule may flag it primary like any other. Cells are
    told apart by the new dimension ``population``, whose codes are ``names``: the larger, the smaller, the difference.

    Raises:
        ParameterError: the tables have not the same cells, or two populations one name.
        FaultsError: a cell of the smaller population exceeds the larger's; all of them at once.
    """
    if len(set(names)) < len(names):
        raise ParameterError("names", Said("be three different ones"), ", ".join(names))
    pair = Populations(tables={names[0]: larger, names[1]: smaller}, within={names[1]: names[0]}, rest=names[2])
    return pair.join([pair.subtract(each) for each in pair.differences])


def _list_above(part: str, within: Mapping[str, str]) -> Iterator[str]:
    """Yield the populations that one is a part of, the nearest first."""
    while part in within:
        part = within[part]
        yield part


def _subtract_frequencies(populations: Populations, whole: str, parts: Sequence[str]) -> Floats:
    counts = [populations.tables[name].frequency.astype(np.float64) for name in (whole, *parts)]
    return counts[0] - np.sum(counts[1:], axis=0)


def _refuse_declaration(
    names: Sequence[str],
    relations: Sequence[tuple[str, str]],
    within: Mapping[str, str],
    splits: Mapping[str, Sequence[str]],
) -> None:
    known = Said("be one of {choices}", choices=", ".join(names))
    related = [name for pair in relations for name in pair]
    for name in (*related, *splits, *(part for parts in splits.values() for part in parts)):
        if name not in names:
            raise ParameterError("population", known, name)
    if names[0] in within:
        raise ParameterError(
            "within", Said("leave {names}, the first, whole", names=names[0]), f"{names[0]}={within[names[0]]}"
        )
    _refuse_relations(names, relations)
    for whole, parts in splits.items():
        if len(set(parts)) < 2 or len(set(parts)) != len(parts) or any(within[part] != whole for part in parts):
            raise ParameterError(
                "split", Said("name two parts of {whole} or more, each once", whole=whole), ", ".join(parts)
            )


def _refuse_relations(names: Sequence[str], relations: Sequence[tuple[str, str]]) -> None:
    """Refuse populations that are related to none, to several, or in a circle."""
    other = dict(relations)
    twice = [name for name, _ in relations if sum(name == each for each, _ in relations) > 1]
    if twice:
        raise ParameterError("within", Said("relate {name} to one other only", name=twice[0]), twice[0])
    loose = [name for name in names[1:] if name not in other]
    if loose:
        raise ParameterError("within", Said("say of every population but the first how it stands to another"), loose[0])
    for name in names[1:]:
        above, seen = name, {name}
        while above in other:
            above = other[above]
            if above in seen:
                raise ParameterError("within", Said("go in no circle"), f"{name}={other[name]}")
            seen.add(above)


def _refuse_unequal(name: str, other: str, tables: Mapping[str, Table]) -> None:
    """Refuse two tables of the same people that differ."""
    first, second = tables[name], tables[other]
    cells = np.flatnonzero(first.value != second.value)
    if not len(cells):
        return
    raise FaultsError(
        name,
        [
            Fault(
                row=int(cell) + 1,
                column="",
                rule="same",
                value=f"{first.value[cell]:g}",
                message=Said(
                    "cell {cell} is {value:g}, and {other_value:g} in {other}, whose people are the same",
                    cell=first.named(cell),
                    value=first.value[cell],
                    other_value=second.value[cell],
                    other=other,
                ),
            )
            for cell in cells
        ],
    )


def _refuse_other_cells(tables: Mapping[str, Table]) -> None:
    (first, larger), *others = tables.items()
    for name, smaller in others:
        if larger.dims != smaller.dims or list(larger.keys) != smaller.keys_under(larger.margins):
            raise ParameterError(name, Said("have the same cells as {first}", first=first), f"{len(smaller)} cells")


def _refuse_excess(whole: str, parts: Sequence[str], populations: Populations) -> None:
    """Refuse parts whose values, together, exceed the whole's."""
    if populations.signed:
        return
    apart = populations.subtract_values(whole, parts)
    cells: Mask = apart < 0
    if not cells.any():
        return
    larger = populations.tables[whole]
    raise FaultsError(
        ", ".join(parts),
        [
            Fault(
                row=int(cell) + 1,
                column="",
                rule="part",
                value=f"{larger.value[cell] - apart[cell]:g}",
                message=(
                    Said(
                        "cell {cell} is {larger_value:g} and exceeds the larger population's, {value:g} in {whole}",
                        cell=larger.named(cell),
                        larger_value=larger.value[cell] - apart[cell],
                        value=larger.value[cell],
                        whole=whole,
                    )
                ),
            )
            for cell in np.flatnonzero(cells)
        ],
    )


def _of_population(table: Table, name: str, *, whole: str) -> Table:
    """Return a population's table with a dimension for it, in which the first population is the margin."""
    return replace(
        table,
        dims=(POPULATION, *table.dims),
        keys=tuple((name, *key) for key in table.keys),
        margins=(whole, *table.margins),
        equations=tuple(f"{POPULATION}={name}: {equation}" for equation in table.equations),
    )


def _link(whole: int, parts: Sequence[int], populations: int, cells: int) -> csr_array:
    """Return the equations that a population is the sum of some parts, cell by cell."""
    some = np.array([whole, *parts])
    columns = (some[:, None] * cells + np.arange(cells)).ravel()
    signs = np.repeat([-1.0, *(1.0 for _ in parts)], cells)
    rows = np.tile(np.arange(cells), len(some))
    return csr_array((signs, (rows, columns)), shape=(cells, populations * cells))
