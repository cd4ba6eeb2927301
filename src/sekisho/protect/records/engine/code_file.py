"""Coding of a file beyond memory: values are counted, then rows are written in an order that tells nothing.

Everything that is done to rows is a kernel on a block of them, so an engine of many machines does it where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import narwhals as nw
import polars as pl

from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.engine import is_address
from sekisho.data.engines.names import open_workspace
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.schema_files.survey import OwnScan, Survey, open_own, survey_file
from sekisho.data.engines.session import ClusterSession, Stage, open_engine
from sekisho.data.engines.sink import FrameSink, put_in_place
from sekisho.data.files.plain_table import is_parquet
from sekisho.protect.beyond_memory import CodedValues, EngineRelease, EngineTask
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
from sekisho.protect.records.engine.recode_file import open_release
from sekisho.provenance import Provenance, list_parameters
from sekisho.seeds import Seed, choose_words
from sekisho.words import Said

MOST_SENT = 1_000_000
"""So many distinct values a column may have, and ten times as many rows be left out, where both are sent to others."""
CODED, RELEASE = "coded", "release"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCode:
    """Coding where the rows are.

    Attributes:
        method: what is asked of which columns.
    """

    method: Code

    @contextmanager
    def release(self, task: EngineTask, seed: Seed) -> Generator[EngineRelease]:
        """Code a file; chance has its part in the order of the rows alone.

        Raises:
            FaultsError: cells break the rules, or what is asked cannot be done; all at once.
            ParameterError: a column has too many values, or the rules are a contest's.
        """
        method, schema = self.method, task.require_own()
        task.choice.check_release(task.out)
        with ExitStack() as stack:
            folder = stack.enter_context(open_workspace(None if is_address(task.out) else task.out))
            session = stack.enter_context(open_engine(task.choice, folder))
            # what is in the way of the release is found before the work
            stage = stack.enter_context(session.open_stage(task.out)) if isinstance(session, ClusterSession) else None
            own = open_own(session, task.source, schema)
            for notice in own.notices:
                task.say(notice)
            method.check_columns(own.reader.data_schema)
            task.tell(Said("counting values"))
            survey = _survey_values(method, own, task)
            coding = code_values(method, survey, own.reader, as_values=is_parquet(task.out))
            kernel = _prepare_kernel(task, own, survey, coding, seed)
            task.tell(Said("writing"))
            coded = map_blocks(own.scan, kernel, kernel.schema)
            rows = coded if stage is None else coded.ask(session.keep(coded.frame, CODED))
            changed = rows.collect(rows.frame.select(nw.col(CHANGED).cast(nw.Int64).sum()))[CHANGED][0]
            place, put = _write(rows, kernel, task.out, folder, stage)
            deleted = folder / "deleted" if task.ordered else None
            if deleted is not None:
                deleted.write_bytes(b"")
            yield EngineRelease(
                published=open_release(session, place, own.reader.schema),
                put=put,
                records=survey.records,
                kept=survey.records,
                provenance=Provenance(name="code", parameters=list_parameters(method)),
                detail=describe_coding(coding.coded, records=survey.records, changed=int(changed)),
                terms=task.terms.adopt_schema(own.reader.schema),
                kinds={each.name: each.kind for each in own.reader.data_schema},
                deleted=deleted,
                coded={
                    name: CodedValues(data=values.data, cells=coding.coded[name].cells, counts=values.counts)
                    for name, values in survey.values.items()
                },
                unchanged=not changed,
                distinct={name: len(values.data) for name, values in survey.values.items()},
            )


def _survey_values(method: Code, own: OwnScan, task: EngineTask) -> Survey:
    sent = isinstance(own.scan.session, ClusterSession)
    most = min(block_coding.MOST_VALUES, MOST_SENT) if sent else block_coding.MOST_VALUES
    return survey_file(own, method.columns, task.say, most=most, most_gone=10 * MOST_SENT if sent else None)


def _prepare_kernel(task: EngineTask, own: OwnScan, survey: Survey, coding: LargeCoding, seed: Seed) -> CodeKernel:
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
