"""Local recoding of a file beyond memory, from its rows to a file.

All that is written on the way lies in one folder beside the output, and is removed whatever ends the work; the release
itself is handed over there, and moved to its place by whoever asked for it.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.names import open_workspace
from sekisho.data.engines.scan import Scan, open_within
from sekisho.data.engines.schema_files.survey import open_own_blocks
from sekisho.data.engines.session import Session, open_engine
from sekisho.data.engines.sink import put_in_place
from sekisho.data.files.schema_files.blocks import OwnBlocks
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.protect.beyond_memory import EngineRelease, EngineTask
from sekisho.protect.records.engine.remote_file import limit_parts, list_trees, recode_on_cluster
from sekisho.protect.records.engine.streamed_release import StreamedRelease
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.streamed.streamed_recoding import LargeRecoding, recode_blocks
from sekisho.provenance import Provenance, list_parameters
from sekisho.seeds import Seed, choose_words
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class EnginePartition:
    """Local recoding where the rows are.

    Attributes:
        method: with its keys, rule and effort.
    """

    method: Partition

    def release(self, task: EngineTask, seed: Seed) -> AbstractContextManager[EngineRelease]:
        """Recode a file.

        Raises:
            InfeasibleError: there are fewer than k records, or not even all together are diverse enough.
            ParameterError: a key is unknown or is the identifier, or the rules are a contest's.
            FaultsError: cells break the rules, or trees lack values; all at once.
        """
        if self.method.guard is not None:
            rule = Said("be asked for in memory: beyond it classes are searched")
            raise ParameterError("guard", rule, self.method.guard.value)
        recode = recode_on_cluster if task.choice.engine is Engine.SPARK else _recode_here
        return recode(self.method, task, seed)


@contextmanager
def _recode_here(method: Partition, task: EngineTask, seed: Seed) -> Generator[EngineRelease]:
    schema = task.require_own()
    with open_workspace(task.out) as folder:
        with open_engine(_share_memory(task.choice), folder) as session:
            blocks = open_own_blocks(session, task.source, schema)
            for notice in blocks.notices:
                task.say(notice)
            recoding = recode_blocks(
                method,
                lambda: blocks.read(task.say),
                blocks.data_schema,
                {each.name: each for each in blocks.schema.fields()},
                folder=folder,
                limit=limit_parts(task),
                seed=seed.child("partition"),
                tell=task.tell,
            )
            place, deleted = _write(recoding, blocks, task, folder, seed)
        with open_engine(task.choice, folder) as session:
            yield EngineRelease(
                published=open_release(session, place, blocks.schema),
                put=partial(put_in_place, place, task.out),
                records=recoding.figures.records,
                kept=recoding.figures.kept,
                provenance=Provenance(name="partition", parameters=list_parameters(method)),
                detail={
                    **method.describe_figures(recoding.figures, recoding.schema, recoding.keys),
                    "parts": recoding.parts,
                },
                terms=task.terms.adopt_schema(blocks.schema),
                kinds={each.name: each.kind for each in blocks.data_schema},
                deleted=deleted,
                trees=list_trees(method),
                unchanged=not recoding.figures.ncp and recoding.figures.kept == recoding.figures.records,
                distinct={each.column.name: each.distinct for each in recoding.keys},
            )


def _write(
    recoding: LargeRecoding, blocks: OwnBlocks, task: EngineTask, folder: Path, seed: Seed
) -> tuple[Path, Path | None]:
    """Write the rows, and those that are left out if that is asked for; return where they stand."""
    task.tell(Said("writing"))
    release = StreamedRelease(recoding=recoding, blocks=blocks, out=task.out, folder=folder)
    place = release.write(None if task.ordered else choose_words(seed.child("publish").rng()))
    if not task.ordered:
        return place, None
    deleted = folder / "deleted"
    with deleted.open("w") as stream:
        stream.writelines(f"{row}\n" for rows in release.list_deleted() for row in rows.tolist())
    return place, deleted


def _share_memory(choice: EngineChoice) -> EngineChoice:
    """Return the engine for reading alone: what is not needed for that is left to the search."""
    return choice if choice.memory is None else replace(choice, memory=max(choice.memory // 4, 512 * 1000**2))


def open_release(session: Session, place: Path, schema: SchemaFile) -> Scan:
    """Return a release as whoever gets it reads it; no text in it means missing."""
    file = replace(schema.file, header=True, missing=())
    return open_within(session, place, SchemaFile(shape=Shape.RECORDS, file=file))
