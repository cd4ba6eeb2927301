"""Which shape a file has: a history (somebody's rows repeat), a table (cells by dimensions), else records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.contributor_column import find_contributor_columns, says_owner
from sekisho.data.identity.header_words import Ground, Topic, list_words
from sekisho.data.identity.row_owner import DEVICES, OwnerColumn, OwnerRank, RowOwner, find_row_owner
from sekisho.data.shape import Shape
from sekisho.gate.profiling.column_look import ColumnLook
from sekisho.gate.profiling.hints import Hint, Sign, make_hint
from sekisho.tables.files.row_unit import RowUnit, nest_owners, settle_unit
from sekisho.tables.model.margins import names_margin

ROWS_EACH = 1.25
"""A person of a history has so many rows on average, at least."""
DENSE = 0.5
"""So much of all combinations of codes a table has at least, unless it has a margin."""
FEWEST_CELLS = 4
MANY_ROWS = 1000
"""So many rows of microdata fill a table of three dimensions."""
LARGEST = "x"
NO_PERSON = (
    *(Topic.TRANSACTION, Topic.ITEM, Topic.QUASI, Topic.PLACE, Topic.SENSITIVE, Topic.TIME, Topic.PRICE),
    *(Topic.PROPERTY, Topic.STAFF, Topic.REMARKS, Topic.LINK, Topic.ADDRESS),
)
"""A customer's age is not the customer, nor is who serves him."""
OWNERS = (Topic.PERSON, Topic.NUMBER, Topic.BELONGING, Topic.CONTACT, Topic.NAME, Topic.CALLED, Topic.NUMBERED)
"""What says whose a row is, the surest first."""
CODED = frozenset((Topic.PERSON, Topic.NUMBERED, Topic.BELONGING))
"""What the name of a column of codes speaks of, if of anything."""
ONE_OWNER = 1.02
HOUSEHOLDS = frozenset({"household", "世帯", "家庭"})
SHORTEST_WORD = 4
ALL_BUT_SOME = 0.97
FEWEST_PEOPLE, SHORTEST = 10, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumns:
    """Which columns of a table say what.

    Attributes:
        dims: the dimensions.
        value: what is counted or summed; empty for counting rows of microdata.
        counts: whether it is a count.
        contributors: their number and the largest of them, where the file has them.
        contributor: of microdata, the column that repeats and says whose a row is; None if none does.
        is_microdata: whether the file has a row for each contributor and is still to be tabulated.
    """

    dims: tuple[ColumnLook, ...]
    value: ColumnLook | None
    counts: bool
    contributors: tuple[ColumnLook, ...] = ()
    contributor: ColumnLook | None = None
    is_microdata: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeGuess:
    """The shape, why, and what decides what else there is to know.

    Attributes:
        person: of a history, the column that says whose a row is.
        table: of a table, its columns.
        owner: of records, the column that says whose rows they are; None if none does.
        tells_wares: of a history, whether its rows have a date or an item: then codes that cross people may be wares.
    """

    shape: Shape
    hints: tuple[Hint, ...]
    person: ColumnLook | None = None
    table: TableColumns | None = None
    owner: RowOwner | None = None
    tells_wares: bool = False

    @property
    def is_unsettled(self) -> bool:
        """Whether somebody has several rows of records, so that a row is no person."""
        return self.owner is not None and self.owner.repeats


def guess_shape(columns: Sequence[ColumnLook]) -> ShapeGuess:
    """Return the shape that a file seems to have; microdata of firms look like records, and are taken for them."""
    cells = find_cells(columns)
    if cells is not None:
        return ShapeGuess(shape=Shape.TABLE, hints=_tell_cells(cells), table=cells)
    owner = find_owner(columns)
    person = find_person(columns, owner)
    if person is not None and _find_events(columns, person, owner):
        wares = tell_wares(columns, person)
        return ShapeGuess(shape=Shape.HISTORY, hints=tell_person(person), person=person, tells_wares=wares)
    return ShapeGuess(shape=Shape.RECORDS, hints=tell_unit(owner, columns[0].rows), owner=owner)


def find_owner(columns: Sequence[ColumnLook]) -> RowOwner | None:
    """Return the column that says whose rows they are; None if none does."""
    return find_row_owner(
        [
            OwnerColumn(
                name=look.name,
                header=look.evidence.header,
                kind=look.kind,
                cells=look.text,
                known=look.evidence,
                judged=look.naming,
            )
            for look in columns
        ]
    )


def tell_unit(owner: RowOwner | None, rows: int) -> tuple[Hint, ...]:
    """Return why records are taken to be one row a person, or that they are not."""
    if owner is None:
        return (make_hint(Sign.ONE_ROW_EACH, rows=rows),)
    if owner.repeats:
        return (make_hint(Sign.UNSETTLED, column=owner.column, people=owner.people, rows=rows),)
    return (make_hint(Sign.KNOWN_OWNER, column=owner.column, people=owner.people),)


def tell_person(person: ColumnLook) -> tuple[Hint, ...]:
    """Return why a column is taken to say whose a row is."""
    mean = person.present / max(person.distinct, 1)
    word = next((person.topics[topic] for topic in OWNERS if topic in person.topics), "")
    seen = make_hint(Sign.REPEATS, distinct=person.distinct, rows=person.present, mean=mean)
    return (make_hint(Sign.NAMED, word=word), seen) if word else (seen,)


def find_person(columns: Sequence[ColumnLook], owner: RowOwner | None) -> ColumnLook | None:
    """Return the column that says whose a row is, if one repeats: by its name, or the first of a file without names."""
    numbered = owner is not None and owner.repeats and owner.rank is OwnerRank.PERSON
    repeating = _find_column(columns, owner.column) if owner is not None and numbered else None
    if repeating is None and any(_has_one_row_each(each) for each in columns):
        return None
    person = _find_repeating_person(columns)
    if person is None and repeating is not None and _repeats(repeating):
        return repeating
    return person


def _find_column(columns: Sequence[ColumnLook], name: str) -> ColumnLook:
    return next(look for look in columns if look.name == name)


def _find_repeating_person(columns: Sequence[ColumnLook]) -> ColumnLook | None:
    """Return the likeliest column that says whose a row is, of those that repeat."""
    repeating = [each for each in columns if _repeats(each)]
    owners = [each for each in repeating if _may_own(each)]
    if owners:
        best = max(owners, key=_rank_owner)
        best = best if best.is_number_of_owner else _find_code(repeating, best)
        return None if _is_only_name(best) and any(map(_may_number_people, columns)) else best
    first = columns[0]
    nameless = not any(each.topics for each in columns)
    return first if nameless and first in repeating and _is_code(first) else None


def _find_code(columns: Sequence[ColumnLook], owner: ColumnLook) -> ColumnLook:
    """Return the codes that tell owners apart at least as well as their names do; two people may share a name."""
    codes = [each for each in columns if each.naming is not None and not each.topics.keys() - CODED]
    finer = [each for each in codes if each.distinct >= owner.distinct and _determines(each, owner)]
    return max(finer, key=lambda each: each.distinct, default=owner)


def _determines(code: ColumnLook, owner: ColumnLook) -> bool:
    """Tell whether each code stands beside one owner, but for a few that moved or married."""
    return pl.DataFrame({"code": code.text, "owner": owner.text}).n_unique() <= ONE_OWNER * code.distinct


def _may_own(column: ColumnLook) -> bool:
    """Tell whether a column may say whose a row is: a kind of contract does not, nor does one of a few companies."""
    surely = column.has(Topic.PERSON, Topic.NUMBER, Topic.CONTACT, Topic.NAME) or column.naming is not None
    return surely and column.has(*OWNERS) and not column.has(*NO_PERSON)


def _rank_owner(column: ColumnLook) -> tuple[int, bool, bool, int, int]:
    """Return how surely a column says whose a row is.

    A person's number before a contract's, both before a name, a name before a telephone; of several numbers the one
    with the most values, of several telephones the first: the others are those of other people.
    """
    spoken = next(place for place, topic in enumerate(OWNERS) if column.has(topic))
    rank = 0 if column.topics.get(Topic.NUMBER, "") in DEVICES else len(OWNERS) - spoken
    numbers = column.is_number_of_owner or (column.has(Topic.PERSON) and _is_code(column))
    rank = len(OWNERS) + 1 if rank and numbers else rank
    by_count = 0 if column.has(Topic.CONTACT) else column.distinct
    return rank, _names_owner(column), not column.has(Topic.CALLED), by_count, -column.place


def _names_owner(column: ColumnLook) -> bool:
    """Tell whether a number is called that of a person, not that of a contract, an account or a household."""
    word = column.topics.get(Topic.NUMBER) or column.topics.get(Topic.PERSON, "")
    shortest = SHORTEST_WORD if word.isascii() else 2
    people = (each for each in list_words()[Topic.PERSON] - HOUSEHOLDS if len(each) >= shortest)
    return any(each in word for each in people)


def _is_only_name(column: ColumnLook) -> bool:
    return column.has(Topic.NAME, Topic.CALLED) and not column.is_number_of_owner


def _may_number_people(column: ColumnLook) -> bool:
    """Tell whether each row has a code or a mail address of its own that is no number of a transaction."""
    own = column.present > FEWEST_PEOPLE and column.distinct >= ALL_BUT_SOME * column.rows
    coded = column.naming is not None and column.naming.ground is Ground.DISTINCT and column.kind is not Kind.DATE
    return own and (coded or column.has(Topic.CONTACT)) and not column.has(Topic.TRANSACTION, Topic.REMARKS)


def _has_one_row_each(column: ColumnLook) -> bool:
    """Tell whether a column is a person's number and hardly ever repeats: then a row is a person."""
    return (
        column.is_number_of_owner
        and not column.has(*NO_PERSON)
        and column.present > FEWEST_PEOPLE
        and column.distinct >= ALL_BUT_SOME * column.present
    )


def _is_code(column: ColumnLook) -> bool:
    """Tell whether a column without a name can be numbers of people: many, longer than an age, with digits."""
    values = column.text.unique()
    return column.distinct >= FEWEST_PEOPLE and column.length >= SHORTEST and bool(values.str.contains("[0-9]").all())


def _repeats(column: ColumnLook) -> bool:
    """Tell whether a column can say whose a row is: a code that repeats, present in half of the rows."""
    is_code = column.kind in {Kind.CATEGORY, Kind.INTEGER} and column.distinct >= 2
    return is_code and column.present >= max(ROWS_EACH * column.distinct, 0.5 * column.rows)


def _find_events(columns: Sequence[ColumnLook], person: ColumnLook, owner: RowOwner | None) -> bool:
    """Tell whether rows are events: they have a date or an item, or somebody's rows tell different things of them."""
    if tell_wares(columns, person):
        return True
    others = [look for look in columns if look is not person]
    if owner is None or owner.column != person.name or owner.rank is not OwnerRank.PERSON:
        return False
    told = [each for each in others if each.kind is Kind.CATEGORY and each.has(Topic.SENSITIVE) and each.naming is None]
    return any(_does_vary(each, person) for each in told)


def tell_wares(columns: Sequence[ColumnLook], person: ColumnLook) -> bool:
    """Tell whether rows have a date or an item, as whoever buys or uses something leaves them."""
    others = [look for look in columns if look is not person]
    dated = any(look.kind is Kind.DATE and not look.has(Topic.QUASI) for look in others)
    return dated or any(look.has(Topic.ITEM) for look in others)


def _does_vary(look: ColumnLook, person: ColumnLook) -> bool:
    pairs = pl.DataFrame({"person": person.text, "value": look.text}).n_unique()
    return look.distinct > 1 and pairs > ROWS_EACH * person.distinct


def find_cells(columns: Sequence[ColumnLook]) -> TableColumns | None:
    """Return the columns of a table of cells, if each combination of codes is there once, and most of them are."""
    rows = columns[0].rows
    value = _find_value(columns)
    if value is None or value.missing or rows < FEWEST_CELLS:
        return None
    further = _find_contributors(columns, value)
    dims = tuple(each for each in columns if each is not value and each not in further)
    margins = any(_has_margin(each) for each in dims)
    if not dims or any(_is_no_dimension(each, alone=len(dims) == 1 and margins) for each in dims):
        return None
    keys = pl.DataFrame([each.text for each in dims])
    combinations = 1
    for each in dims:
        combinations *= each.distinct
    if keys.n_unique() < rows or not (margins or (len(dims) > 1 and rows >= DENSE * combinations)):
        return None
    counts = value.kind is Kind.INTEGER and not further and not value.has(Topic.PRICE) and not _is_sum(value)
    return TableColumns(dims=dims, value=value, counts=counts, contributors=further)


def _is_sum(column: ColumnLook) -> bool:
    return column.topics.get(Topic.COUNT, "") in {
        *("value", "turnover", "sales", "revenue", "production", "umsatz"),
        *("売上", "売上高", "出荷額", "値"),
    }


def _is_no_dimension(column: ColumnLook, *, alone: bool) -> bool:
    many = column.distinct == column.rows and not alone
    owns = says_owner(column.evidence) and not _has_margin(column)
    return column.missing > 0 or many or column.kind is Kind.DECIMAL or column.names_cells or owns


def _find_value(columns: Sequence[ColumnLook]) -> ColumnLook | None:
    numbers = [each for each in columns if each.kind in {Kind.INTEGER, Kind.DECIMAL}]
    named = [each for each in numbers if each.has(Topic.COUNT, Topic.QUANTITY, Topic.PRICE)]
    plain = [each for each in named if each.topics.get(Topic.COUNT) not in {"frequency", "freq"}] or named
    if plain:
        return plain[0]
    return numbers[-1] if numbers and numbers[-1] is columns[-1] else None


def _find_contributors(columns: Sequence[ColumnLook], value: ColumnLook) -> tuple[ColumnLook, ...]:
    """Return the number of contributors and the largest of them, as ``sekisho table tabulate`` calls them."""
    number = [each for each in columns if each.name.casefold() in {"frequency", "freq"} and each is not value]
    largest = [each for each in columns if each.name[:1].casefold() == LARGEST and each.name[1:].isdecimal()]
    return (number[0], *largest) if number else ()


def _has_margin(column: ColumnLook) -> bool:
    return column.distinct <= 10_000 and any(names_margin(code) for code in column.text.unique().to_list() if code)


def _tell_cells(cells: TableColumns) -> tuple[Hint, ...]:
    names = ", ".join(each.name for each in cells.dims)
    hints = [make_hint(Sign.DISTINCT_CELLS, dims=names, rows=cells.dims[0].rows)]
    margins = ", ".join(each.name for each in cells.dims if _has_margin(each))
    return (*hints, make_hint(Sign.MARGIN, dims=margins)) if margins else tuple(hints)


def _settle_contributor(columns: Sequence[ColumnLook], value: ColumnLook | None) -> RowUnit:
    """Return whose the rows of microdata are, by the column that says so."""
    frame = pl.DataFrame([each.text for each in columns])
    owners = find_contributor_columns({each.name: each.evidence for each in columns if each is not value})
    return settle_unit(owners, rows=frame.height, nests=partial(nest_owners, frame))


def choose_tabulation(columns: Sequence[ColumnLook]) -> TableColumns | None:
    """Return how microdata would be tabulated: by up to three columns of few values, the sum of a number or the count.

    Dimensions are those whose names speak of a region, an industry or the like, before others; the value is a number
    whose name speaks of an amount.
    """
    rows = columns[0].rows
    numbers = [each for each in columns if each.kind in {Kind.INTEGER, Kind.DECIMAL} and not each.missing]
    amounts = [each for each in numbers if each.has(Topic.COUNT, Topic.PRICE, Topic.SENSITIVE)]
    continuous = [each for each in numbers if each.distinct > max(20, rows // 4) and each.naming is None]
    value = next(iter(amounts or continuous), None)
    few = [each for each in columns if each is not value and 2 <= each.distinct <= min(100, rows // 2)]
    unit = _settle_contributor(columns, value)
    dims = [each for each in few if each.kind is not Kind.DECIMAL and not each.missing and not each.names_cells]
    dims = [each for each in dims if each.name not in (unit.column, unit.known_by, *unit.doubted)]
    named = [each for each in dims if each.has(Topic.QUASI, Topic.PLACE)]
    others = [each for each in dims if each not in named and not each.has(Topic.PERSON)]
    most = 3 if rows >= MANY_ROWS else 2
    chosen = [*named, *others[: max(0, 2 - len(named))]][:most]
    if not chosen:
        return None
    person = next((each for each in columns if each.name == unit.column), None)
    return TableColumns(dims=tuple(chosen), value=value, counts=value is None, contributor=person, is_microdata=True)
