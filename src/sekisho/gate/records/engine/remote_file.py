"""Local recoding of a file that stays on a cluster, from its rows to a folder that keeps what was promised.

The release is written to a hidden folder beside its place, counted again there by the cluster, and renamed by whoever
asked for it. A promise that the written rows do not keep is an error, and nothing is handed over.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import narwhals as nw

from sekisho.data.engines.addresses import is_address
from sekisho.data.engines.review_scan import review_scan
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.schema_files.own_scan import open_own
from sekisho.data.engines.session import ClusterSession, Frame
from sekisho.data.engines.workspace import open_workspace
from sekisho.data.files.schema_files.columns import Notice
from sekisho.errors import BugError
from sekisho.gate.records.engine.recoding_task import LargeOutcome, LargeTask, open_engine, require_own
from sekisho.gate.records.engine.recount_scan import recount_scan
from sekisho.gate.records.engine.remote_rows import COUNT, name_other, read_cluster_rows
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.recoding.key_columns import choose_keys
from sekisho.protect.records.streamed.recoding_plan import choose_columns
from sekisho.protect.records.streamed.remote_kernels import PLACE
from sekisho.protect.records.streamed.remote_recoding import ClusterRecoding, recode_rows
from sekisho.seeds import Seed, choose_words
from sekisho.words import Said

RELEASE = "release"


@contextmanager
def recode_on_cluster(
    method: Partition,
    task: LargeTask,
    *,
    seed: Seed,
    say: Callable[[Notice], None],
    tell: Callable[[str], None],
) -> Generator[LargeOutcome]:
    """Recode a file on a cluster; the arguments and errors are those of recoding on one machine."""
    own, beside = require_own(task), None if is_address(task.out) else task.out
    with (
        open_workspace(beside) as folder,
        open_engine(task.choice, folder) as opened,
        require_cluster(opened).open_stage(task.out) as stage,
    ):
        session = require_cluster(opened)
        tell(Said("reading"))
        file = open_own(session, task.source, own)
        for notice in file.notices:
            say(notice)
        schema, fields = file.reader.data_schema, {each.name: each for each in file.reader.schema.fields()}
        keys = choose_keys(schema, method.keys)
        others = [each for each in schema.attributes if each.name not in keys]
        rows = read_cluster_rows(session, file, choose_columns(method, schema), others, say)
        recoding = recode_rows(
            method, rows, schema, fields, stage=stage, limit=task.limit, seed=seed.child("partition"), tell=tell
        )
        detail = method.describe_figures(recoding.figures, schema, recoding.keys)
        tell(Said("writing"))
        words = None if task.ordered else choose_words(seed.child("publish").rng())
        names = {each.name: name_other(place) for place, each in enumerate(others)}
        release = stage.write(recoding.publish(schema, names, words), RELEASE)
        tell(Said("counting again"))
        _refuse_lost_rows(session, release, recoding.figures.kept)
        yield LargeOutcome(
            place=stage.find(RELEASE),
            put=partial(stage.put, RELEASE),
            deleted=_write_deleted(session, recoding, folder / "deleted") if task.ordered else None,
            detail={**detail, "parts": recoding.parts},
            recounts=recount_scan(Scan(session, release), detail, fields),
            review=review_scan(
                Scan(session, release), detail, kinds={each.name: each.kind for each in schema}, allowed=task.allowed
            ),
        )


def require_cluster(session: object) -> ClusterSession:
    """Return an engine of many machines.

    Raises:
        BugError: it is none.
    """
    if not isinstance(session, ClusterSession):
        raise BugError("an engine of one machine was asked to keep rows on a cluster")
    return session


def _refuse_lost_rows(session: ClusterSession, release: Frame, kept: int) -> None:
    written = int(session.collect(release.select(nw.len().alias(COUNT)))[COUNT][0])
    if written != kept:
        raise BugError(f"the folder to be handed over has {written:,} rows, {kept:,} are in classes")


def _write_deleted(session: ClusterSession, recoding: ClusterRecoding, path: Path) -> Path:
    """Write the places of the rows that are left out; they pass here block by block."""
    places = recoding.list_deleted()
    with path.open("w") as stream:
        for block in () if places is None else session.stream(places):
            stream.writelines(f"{place}\n" for place in block.column(PLACE).to_pylist())
    return path
