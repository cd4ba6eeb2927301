"""Populations of which some are parts of others: suppressed, or judged, together with their differences.

Whoever reads the tables subtracts them, so each difference falls under the rules as well. A difference of counts is a
count. Who contributes to a difference of sums is told by the records, exactly; without them by bounds from the largest
contributions, on the safe side if nobody contributes to a part and beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.account.account import AccountEntry
from sekisho.gate.outcome import Reason
from sekisho.gate.policy import make_reason
from sekisho.gate.tables.system import DifferenceBasis, PatternCase, TableSystem, name_shown
from sekisho.safety.cover import Coverage
from sekisho.tables.audit.statements import Statements
from sekisho.tables.model.linked.difference_contributors import bound_contributors
from sekisho.tables.model.linked.populations import Populations
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.table_rules import MIN_COUNT, TableRules
from sekisho.words import Said, join_words

EXACT = 1e-9
LEAST_MOVED = 3
"""Fewer people who left or came are told by the tables, whatever minimum is asked for."""
DIFFERENCES = Said("attacker|who subtracts the tables")


def subtract_populations(
    populations: Populations,
    rules: TableRules,
    *,
    counts: bool = True,
    surveyed: Mapping[str, Table] | None = None,
) -> TableSystem:
    """Return populations and their differences as the system that is to be suppressed.

    Args:
        populations: their tables, and which differences are formed.
        rules: which cells of either are unsafe.
        counts: whether the tables count.
        surveyed: the differences' own tables by name, tabulated from the records that make them; None if there are no
            records.

    Raises:
        ParameterError: no rule says which differences are unsafe, or the rules ask more of contributors than is known.
        FaultsError: the contributors of a part are not among those of its whole.
    """
    asked = rules.of_differences(counts=counts)
    marked = populations.with_tables([asked.flag(table, counts=counts) for table in populations.tables.values()])
    basis = _basis(surveyed, counts=counts)
    return _place(marked, _flag_differences(marked, asked, counts=counts, surveyed=surveyed), basis)


def judge_populations(
    populations: Populations,
    rules: TableRules,
    *,
    counts: bool = True,
    surveyed: Mapping[str, Table] | None = None,
) -> PatternCase:
    """Return the patterns of populations beside the rules that their differences, too, fall under.

    Raises:
        ParameterError: no rule says which differences are unsafe, or the rules ask more of contributors than is known.
        FaultsError: the contributors of a part are not among those of its whole.
    """
    asked = rules.of_differences(counts=counts)
    judged = [asked.judge(pattern, counts=counts) for pattern in populations.tables.values()]
    marked = populations.with_tables([each.table for each in judged])
    basis = _basis(surveyed, counts=counts)
    system = _place(marked, _flag_differences(marked, asked, counts=counts, surveyed=surveyed), basis)
    return PatternCase(system=system, shown=tuple(name_shown(system, judged)))


def state_populations(
    populations: Populations, rules: TableRules, said: Mapping[str, Statements], *, counts: bool = True
) -> tuple[TableSystem, Statements]:
    """Return populations and their differences as one system, and what is said of each cell of it.

    Args:
        populations: their tables, and which differences are formed.
        rules: which cells of either are unsafe.
        said: by population what its release says of each cell; of differences nothing is said but by these.
        counts: whether the tables count.

    Raises:
        ParameterError: no rule says which differences are unsafe.
    """
    system = subtract_populations(populations, rules, counts=counts)
    table, size = system.table, sum(map(len, system.parts))
    rest = Statements.suppressed(table.lower[size:], table.upper[size:])
    return system, Statements.join([*(said[name] for name in populations.tables), rest])


def find_few_moved(populations: Populations, rules: TableRules) -> Said | None:
    """Return who left or came in fewer than the least number of people that a count may have; None if nobody did.

    Where so few people stand is told by the tables together, however well each of them is protected.
    """
    few = max(LEAST_MOVED, MIN_COUNT if rules.min_count is None else rules.min_count)
    for each in populations.turnovers:
        for name, count in zip(each.names[1:], (each.left, each.came), strict=True):
            if 0 < count < few:
                return Said(
                    "{name}: {count} {count:person|people}, fewer than a count may have: the difference of the tables "
                    "tells where they stand",
                    name=name,
                    count=count,
                )
    return None


def refuse_few(populations: Populations, rules: TableRules) -> None:
    """Refuse to protect populations between which so few people left or came that the tables tell where they stand.

    Raises:
        InfeasibleError: fewer people left or came than a count may have.
    """
    detail = find_few_moved(populations, rules)
    if detail is not None:
        raise InfeasibleError(detail)


def list_few_reasons(populations: Populations, rules: TableRules) -> Iterator[Reason]:
    """Give that so few people left or came between populations that their patterns tell where they stand."""
    detail = find_few_moved(populations, rules)
    if detail is not None:
        yield make_reason("unsafe together", detail)


def cover_turnovers(populations: Populations) -> AccountEntry | None:
    """Return that nobody judged the cells of those who left and came; None where nobody did.

    Who left and who came is known in all only.
    """
    unjudged = [name for each in populations.turnovers if each.left or each.came for name in each.names[1:]]
    if not unjudged:
        return None
    by = Said(
        "the cells of {names} are judged by no rule: only their totals are known", names=join_words(unjudged, "; ")
    )
    return AccountEntry(subject=DIFFERENCES, cover=Coverage.NOT_CONSIDERED, by=by)


def _flag_differences(
    populations: Populations, rules: TableRules, *, counts: bool, surveyed: Mapping[str, Table] | None
) -> list[Table]:
    """Return the differences with those cells unsafe that a rule flags; none costs anything or is published."""
    flagged: list[Table] = []
    for each in populations.differences:
        plain = populations.subtract(each)
        if surveyed is not None:
            table = _take_survey(plain, surveyed.get(each.name))
        elif counts:
            table = plain
        else:
            parts = [populations.tables[name] for name in each.parts]
            table = bound_contributors(plain, populations.tables[each.whole], parts)
        flagged.append(replace(rules.flag(table, counts=counts), weight=np.zeros(len(table))))
    return flagged


def _take_survey(plain: Table, survey: Table | None) -> Table:
    """Return a difference with what its records tell of its contributors; there are none where nobody is left."""
    if survey is None:
        if plain.value.any():
            raise ParameterError("records", Said("be given for every difference"), None)
        return replace(plain, frequency=np.zeros(len(plain), dtype=np.int64))
    if survey.keys != plain.keys or not np.allclose(survey.value, plain.value, rtol=EXACT, atol=EXACT):
        raise ParameterError("records", Said("make up the differences of the tables"), repr(survey))
    return replace(
        survey,
        value=plain.value,
        status=np.full(len(plain), np.int8(Status.SECONDARY)),
        lower=plain.lower,
        upper=plain.upper,
    )


def _basis(surveyed: Mapping[str, Table] | None, *, counts: bool) -> DifferenceBasis:
    if surveyed is not None:
        return DifferenceBasis.RECORDS
    return DifferenceBasis.COUNTS if counts else DifferenceBasis.BOUNDS


def _place(populations: Populations, differences: Sequence[Table], basis: DifferenceBasis) -> TableSystem:
    table, parts = populations.join(differences), tuple(populations.tables.values())
    size = len(parts[0])  # the populations' cells come first, in order, the differences last
    return TableSystem(
        table=table,
        parts=parts,
        places=tuple(np.arange(size) + size * at for at in range(len(parts))),
        derived=np.arange(len(table)) >= size * len(parts),
        basis=basis,
    )
