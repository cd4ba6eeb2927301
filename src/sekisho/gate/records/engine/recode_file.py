"""Local recoding of a file beyond memory, from its rows to a file that keeps what was promised.

All that is written on the way lies in one folder beside the output, and is removed whatever ends the work; the release
itself is handed over there, and moved to its place by whoever asked for it. A promise that the written rows do not keep
is an error, and nothing is handed over.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.review_scan import review_scan
from sekisho.data.engines.scan import Scan, open_within
from sekisho.data.engines.schema_files.blocks import open_own_blocks
from sekisho.data.engines.session import Session
from sekisho.data.engines.sink import put_in_place
from sekisho.data.engines.workspace import open_workspace
from sekisho.data.files.schema_files.blocks import OwnBlocks
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.gate.records.engine.recoding_task import LargeOutcome, LargeTask, open_engine, require_own
from sekisho.gate.records.engine.recount_scan import recount_scan
from sekisho.gate.records.engine.release_figures import WrittenFile, examine_release
from sekisho.gate.records.engine.remote_file import recode_on_cluster
from sekisho.gate.records.engine.streamed_release import LargeRelease
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.streamed.streamed_recoding import recode_blocks
from sekisho.seeds import Seed, choose_words
from sekisho.words import Said


def recode_file(
    method: Partition,
    task: LargeTask,
    *,
    seed: Seed,
    say: Callable[[Notice], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> AbstractContextManager[LargeOutcome]:
    """Recode a file.

    Args:
        method: with its keys, rule and effort.
        task: the file, and where its release goes.
        seed: of everything.
        say: is told what was found out, left out or dropped in reading.
        tell: is told how far the work is.

    Raises:
        InfeasibleError: there are fewer than k records, or not even all together are diverse enough.
        ParameterError: a key is unknown or is the identifier, or the rules are a contest's.
        FaultsError: cells break the rules, or trees lack values; all at once.
        BugError: what is written does not keep what was promised.
    """
    recode = recode_on_cluster if task.choice.engine is Engine.SPARK else _recode_here
    return recode(method, task, seed=seed, say=say, tell=tell)


@contextmanager
def _recode_here(
    method: Partition,
    task: LargeTask,
    *,
    seed: Seed,
    say: Callable[[Notice], None],
    tell: Callable[[str], None],
) -> Generator[LargeOutcome]:
    schema = require_own(task)
    with open_workspace(task.out) as folder:
        with open_engine(_share_memory(task.choice), folder) as session:
            blocks = open_own_blocks(session, task.source, schema)
            for notice in blocks.notices:
                say(notice)
            outcome = _recode(method, task, blocks, folder, seed, say, tell)
        tell(Said("counting again"))
        with open_engine(task.choice, folder) as session:
            fields = {each.name: each for each in blocks.schema.fields()}
            released = open_release(session, outcome.place, blocks.schema)
            recounts = recount_scan(released, outcome.detail, fields)
            kinds = {each.name: each.kind for each in blocks.data_schema}
            review = review_scan(released, outcome.detail, kinds=kinds, allowed=task.allowed)
            figures = None
            if task.examined:
                tell(Said("counting for the page"))
                trees = {
                    name: tree if isinstance(tree, Tree) else read_tree(Path(tree))
                    for name, tree in (method.tree or {}).items()
                }
                written = WrittenFile(released=released, recounts=recounts, detail=outcome.detail, trees=trees)
                examined = examine_release(session, task.source, task.rules.adopt_schema(blocks.schema), written)
                figures = replace(examined, review=review)
        yield replace(outcome, recounts=recounts, review=review, figures=figures)


def _recode(
    method: Partition,
    task: LargeTask,
    blocks: OwnBlocks,
    folder: Path,
    seed: Seed,
    say: Callable[[Notice], None],
    tell: Callable[[str], None],
) -> LargeOutcome:
    recoding = recode_blocks(
        method,
        lambda: blocks.read(say),
        blocks.data_schema,
        {each.name: each for each in blocks.schema.fields()},
        folder=folder,
        limit=task.limit,
        seed=seed.child("partition"),
        tell=tell,
    )
    tell(Said("writing"))
    detail = method.describe_figures(recoding.figures, recoding.schema, recoding.keys)
    release = LargeRelease(recoding=recoding, blocks=blocks, out=task.out, folder=folder)
    place = release.write(None if task.ordered else choose_words(seed.child("publish").rng()))
    deleted = folder / "deleted" if task.ordered else None
    if deleted is not None:
        with deleted.open("w") as stream:
            stream.writelines(f"{row}\n" for rows in release.list_deleted() for row in rows.tolist())
    return LargeOutcome(
        place=place,
        put=partial(put_in_place, place, task.out),
        deleted=deleted,
        detail={**detail, "parts": recoding.parts},
        recounts=(),
    )


def _share_memory(choice: EngineChoice) -> EngineChoice:
    """Return the engine for reading alone: what is not needed for that is left to the search."""
    return choice if choice.memory is None else replace(choice, memory=max(choice.memory // 4, 512 * 1000**2))


def open_release(session: Session, place: Path, schema: SchemaFile) -> Scan:
    """Return a release as whoever gets it reads it; no text in it means missing."""
    file = replace(schema.file, header=True, missing=())
    return open_within(session, place, SchemaFile(shape=Shape.RECORDS, file=file))
