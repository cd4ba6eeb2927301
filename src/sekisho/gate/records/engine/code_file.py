"""Coding of a file beyond memory: values are counted, then rows are written in an order that tells nothing.

Everything that is done to rows is a kernel on a block of them, so an engine of many machines does it where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import narwhals as nw
import polars as pl

from sekisho.data.engines.addresses import is_address
from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.frame_sink import FrameSink
from sekisho.data.engines.review_scan import review_scan
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.schema_files.own_scan import OwnScan, open_own
from sekisho.data.engines.schema_files.survey import Survey, survey_file
from sekisho.data.engines.session import ClusterSession, Stage
from sekisho.data.engines.sink import put_in_place
from sekisho.data.engines.workspace import open_workspace
from sekisho.data.files.frames import is_parquet
from sekisho.data.files.schema_files.columns import Notice
from sekisho.gate.records.counted_comparison import CountedColumn
from sekisho.gate.records.engine.recode_file import open_release
from sekisho.gate.records.engine.recoding_task import LargeOutcome, LargeTask, open_engine, require_own
from sekisho.gate.records.engine.release_figures import WrittenFile, examine_release
from sekisho.protect.records.coding import block_coding
from sekisho.protect.records.coding.block_coding import (
    CHANGED,
    ORDER,
    CodeKernel,
    LargeCoding,
    code_values,
    prepare_writing,
)
from sekisho.protect.records.coding.code import Code, describe_coding
from sekisho.seeds import Seed, choose_words
from sekisho.words import Said

MOST_SENT = 1_000_000
"""So many distinct values a column may have, and ten times as many rows be left out, where both are sent to others."""
CODED, RELEASE = "coded", "release"


@contextmanager
def code_file(
    method: Code,
    task: LargeTask,
    *,
    seed: Seed,
    say: Callable[[Notice], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> Generator[LargeOutcome]:
    """Code a file.

    Args:
        method: what is asked of which columns.
        task: the file, and where its release goes.
        seed: of the order of the rows.
        say: is told what was found out, left out or dropped in reading.
        tell: is told how far the work is.

    Raises:
        FaultsError: cells break the rules, or what is asked cannot be done; all at once.
        ParameterError: a column has too many values, or the rules are a contest's.
    """
    schema = require_own(task)
    task.choice.check_release(task.out)
    with ExitStack() as stack:
        folder = stack.enter_context(open_workspace(None if is_address(task.out) else task.out))
        session = stack.enter_context(open_engine(task.choice, folder))
        # what is in the way of the release is found before the work
        stage = stack.enter_context(session.open_stage(task.out)) if isinstance(session, ClusterSession) else None
        own = open_own(session, task.source, schema)
        for notice in own.notices:
            say(notice)
        method.check_columns(own.reader.data_schema)
        tell(Said("counting values"))
        survey = _survey_values(method, own, say)
        coding = code_values(method, survey, own.reader, as_values=is_parquet(task.out))
        kernel = _prepare_kernel(task, own, survey, coding, seed)
        tell(Said("writing"))
        coded = map_blocks(own.scan, kernel, kernel.schema)
        rows = coded if stage is None else coded.ask(session.keep(coded.frame, CODED))
        changed = rows.collect(rows.frame.select(nw.col(CHANGED).cast(nw.Int64).sum()))[CHANGED][0]
        place, put = _write(rows, kernel, task.out, folder, stage)
        deleted = folder / "deleted" if task.ordered else None
        if deleted is not None:
            deleted.write_bytes(b"")
        detail = describe_coding(coding.coded, records=survey.records, changed=int(changed))
        released = open_release(session, place, own.reader.schema)
        kinds = {each.name: each.kind for each in own.reader.data_schema}
        review = review_scan(released, detail, kinds=kinds, allowed=task.allowed)
        figures = None
        if task.examined:
            tell(Said("counting for the page"))
            written = WrittenFile(released=released, recounts=(), detail=detail, coded=_count_columns(survey, coding))
            examined = examine_release(session, task.source, task.rules.adopt_schema(own.reader.schema), written)
            figures = replace(examined, review=review)
        yield LargeOutcome(
            place=place,
            put=put,
            deleted=deleted,
            detail=detail,
            recounts=(),
            review=review,
            figures=figures,
        )


def _count_columns(survey: Survey, coding: LargeCoding) -> dict[str, CountedColumn]:
    """Return the coded columns before and after."""
    return {
        name: CountedColumn(
            name=name, data=values.data, cells=coding.coded[name].cells, before=values.counts, after=values.counts
        )
        for name, values in survey.values.items()
    }


def _survey_values(method: Code, own: OwnScan, say: Callable[[Notice], None]) -> Survey:
    sent = isinstance(own.scan.session, ClusterSession)
    most = min(block_coding.MOST_VALUES, MOST_SENT) if sent else block_coding.MOST_VALUES
    return survey_file(own, method.columns, say, most=most, most_gone=10 * MOST_SENT if sent else None)


def _prepare_kernel(task: LargeTask, own: OwnScan, survey: Survey, coding: LargeCoding, seed: Seed) -> CodeKernel:
    return CodeKernel(
        reader=own.reader,
        names=own.names,
        kinds=own.kinds,
        codes=coding.codes,
        gone=survey.gone,
        words=None if task.ordered else choose_words(seed.child("publish").rng()),
        as_values=is_parquet(task.out),
    )


def _write(
    rows: Scan, kernel: CodeKernel, out: Path, folder: Path, stage: Stage | None
) -> tuple[Path, Callable[[], None]]:
    """Write the rows in their order; return where they stand, and what gives them their place."""
    ordered = rows.frame.sort(ORDER).select(nw.exclude(ORDER, CHANGED))
    writing = prepare_writing(kernel)
    published = map_blocks(rows.ask(ordered), writing, writing.schema)
    if stage is not None:
        stage.write(published.frame, RELEASE)
        return stage.find(RELEASE), partial(stage.put, RELEASE)
    place = folder / f"{RELEASE}{out.suffix}"
    with FrameSink(place, kernel.reader.schema.form) as sink:
        for block in published.batches():
            sink.write(pl.DataFrame(pl.from_arrow(block)))
    return place, partial(put_in_place, place, out)
