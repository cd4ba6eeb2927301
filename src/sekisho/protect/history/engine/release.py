"""`groups` of a history that stays where it lies: a few numbers a person come here, rows and their search do not.

The same blocks, seeds and kernels as in memory, so the same seed publishes the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.engines.blocks import map_groups
from sekisho.data.engines.names import file_column, list_plain, make_plain
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.session import Frame
from sekisho.data.engines.sink import FrameSink, put_in_place, write_scan
from sekisho.data.files.plain_files.form import OrdinaryForm
from sekisho.data.files.plain_table import is_parquet
from sekisho.data.frame.distance import cell_errors
from sekisho.data.identity.identifying import count_raw_people
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.protect.beyond_memory import EngineRelease, EngineTask
from sekisho.protect.history.block_passes import SHARES, BlockPlanner, PassPlan
from sekisho.protect.history.engine.block_kernels import (
    BLOCK,
    COST,
    GROUP,
    PSEUDONYM,
    RANK,
    Publishing,
    PublishKernel,
    SearchKernel,
    name_error,
)
from sekisho.protect.history.engine.cell_reading import OWNER, name_value
from sekisho.protect.history.engine.history import CODED, LargeHistory, open_history
from sekisho.protect.history.grouping.rows import Scales
from sekisho.protect.history.groups import Groups
from sekisho.protect.history.shared_cells import MAX_SET, draw_pseudonyms
from sekisho.provenance import Provenance, list_parameters
from sekisho.seeds import SEED_BITS, Seed
from sekisho.words import Said

GROUPED, PUBLISHED = "grouped", "published"
COUNT = "count"
ROWS = 500_000
"""So many rows are written at a time."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupedRows:
    """What is published of a history.

    Attributes:
        published: the rows that are left, under pseudonyms, in the order of their cells.
        errors: by column the mean error of its cells; their mean is U.
        rows: how many are published.
        people: of how many people.
        raw: how many of them are published as they were; in blocks nobody is, since groups are of two at least.
        detail: what the method reports.
    """

    published: Scan
    errors: Mapping[str, float]
    rows: int
    people: int
    raw: int = 0
    detail: Mapping[str, object]

    @property
    def utility(self) -> float:
        """U, the mean cell error."""
        return float(np.mean(list(self.errors.values())))


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineGroups:
    """Groups of a history where its rows are."""

    method: Groups

    def __post_init__(self) -> None:
        for name, usual in (("raw", 0), ("seconds", None), ("jobs", None)):
            if getattr(self.method, name) != usual:
                rule = Said("not be given where rows stay with an engine")
                raise ParameterError(name, rule, getattr(self.method, name))

    @contextmanager
    def release(self, task: EngineTask, seed: Seed) -> Generator[EngineRelease]:
        """Give what is published of a history.

        Raises:
            InfeasibleError: there are fewer than k people.
            ParameterError: the release is no Parquet and the engine writes nothing else.
        """
        own = task.require_own()
        task.choice.check_release(task.out)
        with open_history(task.source, own, task.choice, beside=task.out) as history:
            for notice in history.notices:
                task.say(notice)
            terms = task.terms.adopt_schema(history.settled)
            fields = {column.name: column for column in terms.layout.columns}
            publishing = Publishing(fields=fields, grammar=terms.layout.grammar)
            rng = seed.child("groups").rng()
            groups = release_groups(self.method, history, publishing, rng=rng, tell=task.tell)
            yield EngineRelease(
                published=groups.published,
                put=partial(_put, groups.published, task.out, history.settled.form),
                records=int(history.lengths.sum()),
                kept=groups.rows,
                provenance=Provenance(name="groups", parameters=list_parameters(self.method)),
                detail=groups.detail,
                terms=terms,
                holder=terms.layout.holder.name,
                raw=groups.raw,
                errors=groups.errors,
                unchanged=groups.rows == int(history.lengths.sum()) and not any(groups.errors.values()),
                told={"rows": groups.rows, "people": groups.people},
            )


def _put(published: Scan, out: Path, form: OrdinaryForm) -> None:
    """Write what is published; a CSV has the bytes that memory would write."""
    if is_parquet(out):
        write_scan(published, out)
        return
    place, names = published.session.folder / f"out{out.suffix}", published.names
    texts = published.frame.select(file_column(name).cast(nw.String) for name in names).sort(*list_plain(names))
    with FrameSink(place, form) as sink:
        sink.write(pl.DataFrame(schema=dict.fromkeys(names, pl.String)))
        for piece in published.give_pieces(texts, ROWS):
            sink.write(piece)
    put_in_place(place, out)


def release_groups(
    method: Groups,
    history: LargeHistory,
    publishing: Publishing,
    *,
    rng: np.random.Generator,
    tell: Callable[[str], None] = lambda _: None,
) -> GroupedRows:
    """Return the release of a history; few people, whom no block holds, are searched here.

    Args:
        method: with its limits as the rules say them.
        history: the rows.
        publishing: how cells are written.
        rng: the randomness, used as in memory.
        tell: is told how far the work is.

    Raises:
        InfeasibleError: there are fewer than k people.
    """
    size = method.choose_size(history.people)
    if size is None:
        return _release_at_once(method, history, publishing, rng)
    if history.people < method.k:
        raise InfeasibleError(Said("{people} customers cannot form a group of {k}", people=history.people, k=method.k))
    names, seed = (Seed(int(rng.integers(2**SEED_BITS))) for _ in range(2))
    tell(Said("describing customers"))
    planner = BlockPlanner(
        people=history.describe_people(),
        k=method.k,
        size=size,
        effort=method.choose_effort(int(history.lengths.sum())),
        seed=seed,
    )
    passes = len(SHARES)
    rows, groups, plan = history.scan, None, planner.plan_pass(0, None)
    for number in range(1, passes):
        tell(
            Said("pass {number} of {passes}, {blocks:,} blocks", number=number, passes=passes, blocks=len(plan.blocks))
        )
        rows, groups = _search_pass(rows, plan, groups, _make_search(method, history, plan))
        rows.session.drop(CODED if number == 1 else f"{GROUPED}{number - 2}")
        plan = planner.plan_pass(number, groups.group)
    tell(Said("pass {passes} of {passes}, {blocks:,} blocks", passes=passes, blocks=len(plan.blocks)))
    kernel = _make_publishing(_make_search(method, history, plan), history, publishing)
    pseudonym = draw_pseudonyms(history.people, rng=names.rng())
    joined = _join_plan(rows, plan, groups, {PSEUDONYM: pseudonym})
    return _publish(method, history, map_groups(joined, BLOCK, kernel, kernel.schema), len(plan.blocks))


class PeopleGroups(NamedTuple):
    """Each person's group, from 0, and what it costs."""

    group: NDArray[np.int64]
    cost: NDArray[np.float64]


def _make_search(method: Groups, history: LargeHistory, plan: PassPlan) -> SearchKernel:
    return SearchKernel(
        terms=plan.terms,
        numeric=tuple(each.column.kind.numeric for each in history.columns),
        scales=Scales.of(list(history.spreads.values())),
        max_set=method.max_set or MAX_SET,
    )


def _make_publishing(search: SearchKernel, history: LargeHistory, publishing: Publishing) -> PublishKernel:
    return PublishKernel(
        search=search,
        schema_of_data=history.schema,
        columns=tuple(each.forget_cells() for each in history.columns),
        spreads=history.spreads,
        publishing=publishing,
    )


def _join_plan(rows: Scan, plan: PassPlan, groups: PeopleGroups | None, more: Mapping[str, NDArray[np.int64]]) -> Scan:
    """Return the rows, each with its block, its person's place in it, and what is known of him."""
    owner, sizes = np.concatenate(plan.blocks), np.array([len(block) for block in plan.blocks])
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    people = {OWNER: owner, BLOCK: np.repeat(np.arange(len(sizes)), sizes), RANK: np.arange(len(owner)) - first}
    people |= {name: values[owner] for name, values in more.items()}
    values = [name for name in rows.names if name not in {GROUP, COST}]
    if groups is not None:
        people |= {GROUP: groups.group[owner], COST: groups.cost[owner]}
    joined = rows.frame.select(values).join(rows.session.take(pl.DataFrame(people)), on=OWNER, how="inner")
    return rows.ask(joined)


def _search_pass(
    rows: Scan, plan: PassPlan, groups: PeopleGroups | None, kernel: SearchKernel
) -> tuple[Scan, PeopleGroups]:
    """Return the rows with their slots, kept by the engine, and everybody's group, numbered as in memory."""
    found = map_groups(_join_plan(rows, plan, groups, {}), BLOCK, kernel, kernel.schema)
    kept = rows.ask(rows.session.keep(found.frame, f"{GROUPED}{plan.terms.number}"))
    facts = kept.collect(kept.frame.group_by(OWNER).agg(nw.col(GROUP).max(), nw.col(COST).max())).sort(OWNER)
    sizes = [len(block) for block in plan.blocks]
    block = np.empty(facts.height, dtype=np.int64)
    block[np.concatenate(plan.blocks)] = np.repeat(np.arange(len(sizes)), sizes)
    group = facts[GROUP].to_numpy()
    counts = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(counts, block, group + 1)
    return kept, PeopleGroups((np.cumsum(counts) - counts)[block] + group, facts[COST].to_numpy())


def _publish(method: Groups, history: LargeHistory, published: Scan, blocks: int) -> GroupedRows:
    """Return what was made of the last pass, and what its sums tell."""
    kept = published.ask(published.session.keep(published.frame, PUBLISHED))
    sums = kept.collect(
        kept.frame.select(
            *(nw.col(name_error(place)).sum() for place in range(len(history.columns))),
            nw.col(COST).sum(),
            nw.when(nw.col(PSEUDONYM) > 0).then(1).otherwise(0).sum().alias(COUNT),
        )
    )
    rows = float(history.lengths.sum())
    cells = rows * len(history.columns)
    detail = method.describe_blocks(history.lengths, len(history.columns), float(sums[COST][0]) / cells, blocks)
    left = kept.frame.filter(nw.col(PSEUDONYM) > 0)
    return GroupedRows(
        published=kept.ask(_name_columns(left, history)),
        errors={
            each.column.name: float(sums[name_error(place)][0]) / rows for place, each in enumerate(history.columns)
        },
        rows=int(sums[COUNT][0]),
        people=history.people,
        detail=detail,
    )


def _name_columns(frame: Frame, history: LargeHistory) -> Frame:
    """Return published rows under the names of their columns, sorted by all of them, which is the shuffle."""
    inner = {each.column.name: name_value(place) for place, each in enumerate(history.columns)}
    names = history.schema.names
    renamed = frame.select(nw.col(inner.get(name, PSEUDONYM)).alias(make_plain(name)) for name in names)
    return renamed.sort(*list_plain(names))


def _release_at_once(
    method: Groups, history: LargeHistory, publishing: Publishing, rng: np.random.Generator
) -> GroupedRows:
    """Return the release of few people, searched as in memory."""
    data = history.read_all()
    release = method.apply(data, rng=rng)
    table = release.table.take(~release.deleted)
    texts = publishing.write(table)
    columns = [pl.Series(PSEUDONYM, table.pseudonym), *(text.alias(name_value(i)) for i, text in enumerate(texts))]
    frame = pl.DataFrame(columns)
    return GroupedRows(
        published=history.scan.ask(_name_columns(history.scan.session.take(frame), history)),
        errors={name: float(values.mean()) for name, values in cell_errors(data, release.table).items()},
        rows=frame.height,
        people=frame[PSEUDONYM].n_unique(),
        raw=count_raw_people(release),
        detail=release.detail,
    )
