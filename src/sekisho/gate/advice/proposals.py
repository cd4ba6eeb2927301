"""Which changes of a recipe are worth a try, the most promising first, for data of every shape.

Nothing here is promised: the journey tries each change out. Columns come by how much they give away of people, or by
how much of them is lost. Nothing asks for less than before: a smaller k, fewer keys or a lower threshold would open
what the account covers, and a verdict that is better for it would be no better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from sekisho.data.frame.cells import MISSING_TEXT, drop_gaps
from sekisho.data.frame.dataset import Column, Dataset, Kind
from sekisho.data.trees.tree_files import read_tree
from sekisho.gate.account.answers import AccountAnswer
from sekisho.gate.advice.changes import Change, Edit
from sekisho.gate.advice.closings import RECODERS, list_closings
from sekisho.gate.counted.stage import CountedStage
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.records.keys_judge import KeysJudge
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.tables.coarser_dims import rank_branches
from sekisho.gate.tables.stage import TableStage
from sekisho.protect.coarser_columns import OUT
from sekisho.protect.history.left_out import find_hardest
from sekisho.utility.kept import Kept
from sekisho.words import Said

PERIODS = {
    "week": Said("week"),
    "month": Said("month"),
    "quarter": Said("quarter of a year"),
    "year": Said("year"),
}
ENOUGH_DAYS = {"week": 14, "month": 45, "quarter": 200, "year": 800}
"""From so many days on it makes sense to tell a date by a period."""
AGES = 150
"""Whole numbers that lie within so many are told in steps of five and ten, as ages are."""
MANY_TEXTS = 20
"""A column with more texts is long enough to tell only how they begin."""
PROVEN_K = 7
"""From groups of seven on the claim of a history is proven."""
FEW_PEOPLE, FEWEST_PEOPLE = (100, 20), 10
"""One person in so many is left out of a history of so many people or more."""
OF_DIMENSIONS = ("trees", "groupings", "totals", "categories", "coarser")
"""Keys of a table that say something of its dimensions."""
FINER_FILES = ("frozen", "apriori", "release", "releases")
"""Keys of a table that name files of its finer cells."""
FEW_BRANCHES = 2
BLOCK = 200
"""Groups of a history are found soon within blocks of so many customers."""
FEWEST_COUNT = 3
"""A threshold below this protects nobody."""


def list_changes(
    stage: HistoryStage | RecordsStage | TableStage | CountedStage,
    settings: Mapping[str, object],
    folder: Path = Path(),
    answers: Mapping[str, Sequence[AccountAnswer]] | None = None,
) -> tuple[Change, ...]:
    """Return the changes that are worth a try, the most promising first: what accounts for open columns before all.

    Args:
        stage: the data, and what the recipe asks of them.
        settings: the recipe's own keys.
        folder: where the recipe lies, and the files that it names.
        answers: by column that leaves and nobody accounts for what would close it.
    """
    match stage:
        case TableStage():
            kinds = [
                list(_join_codes(stage, settings, folder)),
                list(_change_dims(settings)),
                list(_change_thresholds(stage, settings)),
            ]
        case HistoryStage():
            kinds = _change_people(stage.original, stage.original.schema.attributes, settings)
            kinds += [list(_change_sizes(settings)), list(_leave_people_out(stage, settings))]
        case RecordsStage():
            kinds = _change_records(stage, settings)
        case CountedStage():
            kinds = [list(_change_sizes(settings))]
    mixed = [change for change in chain.from_iterable(zip_longest(*kinds)) if change is not None]
    if answers and isinstance(stage, HistoryStage | RecordsStage):
        closings = list(list_closings(_find_keys(stage), settings, answers, _find_telling(stage.original)))
        listed = [change.edits for change in closings]
        mixed = [*closings, *(change for change in mixed if change.edits not in listed)]
    if isinstance(stage, HistoryStage | RecordsStage):
        mixed = [change for change in mixed if not _takes_away(change, stage.recipe.keep)]
    return tuple(mixed)


def _find_keys(stage: HistoryStage | RecordsStage) -> tuple[str, ...] | None:
    """Return what may be known of a person; None where the recipe has no such key."""
    judge = stage.judge if isinstance(stage, RecordsStage) else None
    return judge.question.keys if isinstance(judge, KeysJudge) else None


def _find_telling(data: Dataset) -> tuple[str, ...]:
    """Return the columns that have a value of their own for more than half of all rows."""
    return tuple(name for name in data.frame.columns if 2 * data.frame[name].n_unique() > len(data))


def _takes_away(change: Change, keep: Sequence[Kept]) -> bool:
    """Tell whether a change leaves out a column that must be kept."""
    kept = {("coarser", name) for one in keep for name in one.columns}
    return any(edit.value == OUT and edit.place in kept for edit in change.edits)


def find_quicker(
    stage: HistoryStage | RecordsStage | TableStage | CountedStage, settings: Mapping[str, object]
) -> Change | None:
    """Return the change that makes a slow recipe quick: groups within blocks; None where there is none."""
    if not isinstance(stage, HistoryStage):
        return None
    slow = [n for n, method in _list_methods(settings) if method.get("name") == "groups" and "block" not in method]
    holder = stage.original.schema.identifier
    if not slow or holder is None or stage.original.frame[holder.name].n_unique() <= 2 * BLOCK:
        return None
    words = Said("form groups within blocks of {block} customers", block=BLOCK)
    return Change(words=words, edits=tuple(Edit(place=("methods", n, "block"), value=BLOCK) for n in slow))


def _change_records(stage: RecordsStage, settings: Mapping[str, object]) -> list[list[Change]]:
    if not isinstance(stage.judge, KeysJudge):
        return [list(_change_strengths(settings))]
    keys = stage.judge.question.keys
    columns = [column for column in stage.original.schema.attributes if column.name in keys]
    return [
        *_change_people(stage.original, columns, settings),
        list(_change_sizes(settings)),
        [*_change_methods(settings), *_leave_few_out(stage.original, settings)],
    ]


def _change_people(data: Dataset, columns: Sequence[Column], settings: Mapping[str, object]) -> list[list[Change]]:
    """Return changes of columns: told more coarsely, and left out."""
    if not len(data):
        return []
    said = settings.get("coarser")
    told = set(cast("Mapping[str, object]", said)) if isinstance(said, Mapping) else set[str]()
    ranked = [column for column in _rank_columns(data, columns) if column.name not in told]
    steps = zip_longest(*(list(_list_steps(data, column)) for column in ranked))
    coarser = [change for change in chain.from_iterable(steps) if change is not None]
    out = [
        Change(words=Said("leave out {column}", column=column.name), edits=_tell(column.name, OUT))
        for column in (ranked if len(ranked) > 1 else ())
    ]
    return [coarser, out]


def _rank_columns(data: Dataset, columns: Sequence[Column]) -> list[Column]:
    """Return columns by how many different values they have, the most telling first."""
    return sorted(columns, key=lambda column: -data.frame[column.name].n_unique())


def _tell(name: str, how: object) -> tuple[Edit, ...]:
    return (Edit(place=("coarser", name), value=how),)


def _list_steps(data: Dataset, column: Column) -> Iterator[Change]:
    name = column.name
    if column.kind is Kind.CATEGORY:
        texts = data.frame[name].unique()
        length = _find_length(texts.filter(texts != MISSING_TEXT))
        if length:
            words = Said(
                "tell only the first {length} {length:character|characters} of {column}", length=length, column=name
            )
            yield Change(words=words, edits=_tell(name, length))
        return
    values = drop_gaps(data.grid(name))
    span = int(np.ptp(values)) if len(values) else 0
    if column.kind is Kind.DATE:
        for period in ("month", "quarter", "week", "year"):
            if span >= ENOUGH_DAYS[period]:
                words = Said("tell {column} by the {period}", column=name, period=PERIODS[period])
                yield Change(words=words, edits=_tell(name, period))
        return
    for width in _find_widths(span / 10**column.decimals, whole=column.kind is Kind.INTEGER):
        words = Said("tell {column} in steps of {width:g}", column=name, width=width)
        yield Change(words=words, edits=_tell(name, width))


def _find_widths(span: float, *, whole: bool) -> list[int | float]:
    """Return widths of steps: of ages five and ten, else round numbers of which some twenty, or eight, cover all."""
    if whole and span <= AGES:
        return [width for width in (5, 10) if width * 3 <= span]
    rounded = [_round_down(span / parts) for parts in (20, 8)]
    return [int(width) if whole else width for width in dict.fromkeys(rounded) if width > 0]


def _round_down(number: float) -> float:
    """Return the largest of 1, 2 and 5 times a power of ten that is not above a number."""
    if number <= 0:
        return 0.0
    power = 10.0 ** np.floor(np.log10(number))
    return float(max(digit for digit in (1, 2, 5) if digit * power <= number * (1 + 1e-9)) * power)


def _find_length(texts: pl.Series) -> int:
    """Return how many first characters of codes leave a third of them apart, or fewer; 0 where they are no codes."""
    if len(texts) <= MANY_TEXTS or not bool(texts.str.contains(r"^[0-9A-Za-z-]*[0-9][0-9A-Za-z-]*$").all()):
        return 0
    longest = texts.str.len_chars().max()
    lengths = range(int(cast("int", longest)) - 1, 0, -1)
    return next((length for length in lengths if 3 <= texts.str.head(length).n_unique() <= len(texts) / 3), 0)


def _list_methods(settings: Mapping[str, object]) -> list[tuple[int, Mapping[str, Any]]]:
    tables = settings.get("methods")
    return list(enumerate(cast("list[Mapping[str, Any]]", tables))) if isinstance(tables, list) else []


def _change_sizes(settings: Mapping[str, object]) -> Iterator[Change]:
    """Give larger groups or classes."""
    for number, method in _list_methods(settings):
        k = method.get("k")
        if not isinstance(k, int):
            continue
        for size in dict.fromkeys((3, PROVEN_K, 5, 2 * k)):
            if size > k:
                words = Said("k = {size} instead of {k}", size=size, k=k)
                yield Change(words=words, edits=(Edit(place=("methods", number, "k"), value=size),))


def _change_methods(settings: Mapping[str, object]) -> Iterator[Change]:
    """Give local recoding instead of global, and the other way round: both have the same parameters."""
    for number, method in _list_methods(settings):
        name = method.get("name")
        if name in RECODERS:
            other = next(each for each in RECODERS if each != name)
            words = Said("the method {other} instead of {name}", other=other, name=name)
            yield Change(words=words, edits=(Edit(place=("methods", number, "name"), value=other),))


def _leave_few_out(data: Dataset, settings: Mapping[str, object]) -> Iterator[Change]:
    for number, method in _list_methods(settings):
        if method.get("name") in RECODERS and not method.get("suppress"):
            for share in (100, 20):
                few = max(1, len(data) // share)
                words = Said("leave out up to {few:,} records that stand apart", few=few)
                yield Change(words=words, edits=(Edit(place=("methods", number, "suppress"), value=few),))


def _leave_people_out(stage: HistoryStage, settings: Mapping[str, object]) -> Iterator[Change]:
    """Give a history without the people hardest to hide, one in a hundred or one in twenty of them."""
    people = stage.original.frame[holder.name].n_unique() if (holder := stage.original.schema.identifier) else 0
    if people < FEWEST_PEOPLE or settings.get("leave_out") or not stage.recipe.methods:
        return
    for few in dict.fromkeys(max(1, people // share) for share in FEW_PEOPLE):
        yield Change(
            words=Said("leave out the {few:,} {few:person|people} hardest to hide", few=few),
            edits=(Edit(place=("leave_out",), value=few),),
            people=find_hardest(stage.original, few),
        )


def _change_strengths(settings: Mapping[str, object]) -> Iterator[Change]:
    """Give methods of a contest stronger and weaker: each number of theirs half and twice as large."""
    for number, method in _list_methods(settings):
        for name, value in method.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not value:
                continue
            for other in (value / 2, value * 2):
                chosen = max(1, round(other)) if isinstance(value, int) else other
                words = Said(
                    "{name} = {chosen:g} instead of {value:g} of {method}",
                    name=name,
                    chosen=chosen,
                    value=value,
                    method=str(method.get("name", "")),
                )
                yield Change(words=words, edits=(Edit(place=("methods", number, name), value=chosen),))


def _change_dims(settings: Mapping[str, object]) -> Iterator[Change]:
    """Give fewer dimensions; of cells that are brought finished none can be taken away."""
    if settings.get("tables"):
        yield from _change_tables(settings)
        return
    dims = [str(each) for each in cast("list[object]", settings.get("dims", []))]
    for dim in dims if settings.get("microdata") and len(dims) > 1 else ():
        left = [each for each in dims if each != dim]
        told = [(name, settings.get(name)) for name in OF_DIMENSIONS]
        gone = [
            Edit(place=(name, dim), value=None) for name, table in told if isinstance(table, Mapping) and dim in table
        ]
        yield Change(
            words=Said("leave out the dimension {dim}", dim=dim), edits=(Edit(place=("dims",), value=left), *gone)
        )


def _change_tables(settings: Mapping[str, object]) -> Iterator[Change]:
    """Give one of several tables less: what it would have told helps to work out the others."""
    tables = cast("list[Mapping[str, object]]", settings["tables"])
    for number, table in enumerate(tables):
        left = {str(dim) for one in tables if one is not table for dim in cast("list[object]", one.get("dims", []))}
        gone = [
            Edit(place=(name, dim), value=None)
            for name in OF_DIMENSIONS
            if isinstance(said := settings.get(name), Mapping)
            for dim in cast("Mapping[str, object]", said)
            if dim not in left
        ]
        words = Said("leave out the table {table}", table=table.get("name"))
        if len(tables) > 1:
            yield Change(words=words, edits=(*gone, Edit(place=("tables", number), value=None)))


def _join_codes(stage: TableStage, settings: Mapping[str, object], folder: Path) -> Iterator[Change]:
    """Give dimensions a level of their trees higher, and the codes with the most unsafe parts without these parts."""
    trees, settled = settings.get("trees"), ("groupings", "coarser")
    parts = [settings, *cast("list[Mapping[str, object]]", settings.get("tables", []))]
    if not isinstance(trees, Mapping) or any(part.get(name) for part in parts for name in FINER_FILES):
        return
    taken = {dim for name in settled for dim in cast("Mapping[str, object]", settings.get(name, {}))}
    flagged = stage.table if stage.flagged is None else stage.flagged
    for dim, file in cast("Mapping[str, object]", trees).items():
        tree = read_tree(folder / str(file))
        if dim in taken or max(tree.depths) < 2:
            continue
        words = Said("tell {dim} one level of its tree higher", dim=dim)
        yield Change(words=words, edits=_tell(dim, 1))
        branches = list(rank_branches(tree, flagged, dim))
        for code, _ in branches[:FEW_BRANCHES] if len(branches) > 1 else ():
            words = Said("tell {code} of {dim} without its parts", code=code, dim=dim)
            yield Change(words=words, edits=_tell(dim, [code]))


def _change_thresholds(stage: TableStage, settings: Mapping[str, object]) -> Iterator[Change]:
    if settings.get("cost", "1") != "value":
        yield Change(words=Said("hide small cells rather than few"), edits=(Edit(place=("cost",), value="value"),))
    fewest = stage.rules.min_count
    if fewest is None and bool(stage.counts):
        fewest = 5
    for other in (FEWEST_COUNT, 10) if fewest else ():
        if other > (fewest or 0):
            yield Change(
                words=Said("cells of fewer than {other} are unsafe instead of {fewest}", other=other, fewest=fewest),
                edits=(Edit(place=("min_count",), value=other),),
            )
    if stage.insiders == 0:
        yield Change(
            words=Said("protect against one contributor of a cell as well"),
            edits=(Edit(place=("insiders",), value=1),),
        )
