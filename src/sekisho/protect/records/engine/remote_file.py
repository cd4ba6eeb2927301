"""Local recoding of a file that stays on a cluster, from its rows to a folder.

The release is written to a hidden folder beside its place, and renamed by whoever asked for it.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import narwhals as nw

from sekisho.data.engines.engine import is_address
from sekisho.data.engines.names import open_workspace
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.schema_files.survey import open_own
from sekisho.data.engines.session import ClusterSession, Frame, open_engine
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import BugError
from sekisho.protect.beyond_memory import EngineRelease, EngineTask
from sekisho.protect.records.engine.remote_rows import COUNT, name_other, read_cluster_rows
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.recoding.key_columns import choose_keys
from sekisho.protect.records.streamed.recoding_plan import PartLimit, choose_columns
from sekisho.protect.records.streamed.remote_kernels import PLACE
from sekisho.protect.records.streamed.remote_recoding import ClusterRecoding, recode_rows
from sekisho.provenance import Provenance, list_parameters
from sekisho.seeds import Seed, choose_words
from sekisho.words import Said

RELEASE = "release"


@contextmanager
def recode_on_cluster(method: Partition, task: EngineTask, seed: Seed) -> Generator[EngineRelease]:
    """Recode a file on a cluster; the arguments and errors are those of recoding on one machine."""
    own, beside = task.require_own(), None if is_address(task.out) else task.out
    with (
        open_workspace(beside) as folder,
        open_engine(task.choice, folder) as opened,
        require_cluster(opened).open_stage(task.out) as stage,
    ):
        session = require_cluster(opened)
        task.tell(Said("reading"))
        file = open_own(session, task.source, own)
        for notice in file.notices:
            task.say(notice)
        schema, fields = file.reader.data_schema, {each.name: each for each in file.reader.schema.fields()}
        keys = choose_keys(schema, method.keys)
        others = [each for each in schema.attributes if each.name not in keys]
        rows = read_cluster_rows(session, file, choose_columns(method, schema), others, task.say)
        own_seed = seed.child("partition")
        recoding = recode_rows(
            method, rows, schema, fields, stage=stage, limit=limit_parts(task), seed=own_seed, tell=task.tell
        )
        task.tell(Said("writing"))
        words = None if task.ordered else choose_words(seed.child("publish").rng())
        names = {each.name: name_other(place) for place, each in enumerate(others)}
        release = stage.write(recoding.publish(schema, names, words), RELEASE)
        _refuse_lost_rows(session, release, recoding.figures.kept)
        yield EngineRelease(
            published=Scan(session, release),
            put=partial(stage.put, RELEASE),
            records=recoding.figures.records,
            kept=recoding.figures.kept,
            provenance=Provenance(name="partition", parameters=list_parameters(method)),
            detail={**method.describe_figures(recoding.figures, schema, recoding.keys), "parts": recoding.parts},
            terms=task.terms.adopt_schema(file.reader.schema),
            kinds={each.name: each.kind for each in schema},
            deleted=_write_deleted(session, recoding, folder / "deleted") if task.ordered else None,
            trees=list_trees(method),
            distinct={each.column.name: each.distinct for each in recoding.keys},
        )


def limit_parts(task: EngineTask) -> PartLimit:
    """Return how large a part of a file may be."""
    return PartLimit(memory=task.choice.memory) if task.size is None else PartLimit(records=task.size)


def list_trees(method: Partition) -> dict[str, Tree]:
    """Return the trees of a method, read."""
    trees = (method.tree or {}).items()
    return {name: tree if isinstance(tree, Tree) else read_tree(Path(tree)) for name, tree in trees}


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
