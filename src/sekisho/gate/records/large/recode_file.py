"""Local recoding of a file beyond memory, from its rows to a file that keeps what was promised.

All that is written on the way lies in one folder beside the output, and is removed whatever ends the work; the release
itself is handed over there, and moved to its place by whoever asked for it. A promise that the written rows do not keep
is an error, and nothing is handed over.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sekisho.contest.records.rules import RecordRules
from sekisho.data.files.own.blocks import OwnBlocks
from sekisho.data.files.own.columns import Notice
from sekisho.data.files.own.schema_file import FileRules, SchemaFile
from sekisho.data.large.engine import Engine, EngineChoice
from sekisho.data.large.own.blocks import open_own_blocks
from sekisho.data.large.scan import Scan, open_within
from sekisho.data.large.session import Session, open_session
from sekisho.data.large.tasks import use_cluster
from sekisho.data.large.workspace import open_workspace
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.gate.records.large.recount_scan import recount_scan
from sekisho.gate.records.large.streamed_release import LargeRelease
from sekisho.gate.records.recount import Recount
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.parts.large_recoding import PartLimit, recode_blocks
from sekisho.protect.records.recoding.key_columns import list_warnings
from sekisho.seeds import Seed, choose_words


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeTask:
    """What is to be recoded, and where to.

    Attributes:
        source: the file.
        rules: of one's own.
        out: the release.
        ordered: whether its rows stand in the original's order, and those that are left out are listed.
        choice: the engine.
        size: the most distinct records of a part; None: as many as fit the memory.
    """

    source: Path
    rules: RecordRules
    out: Path
    ordered: bool
    choice: EngineChoice
    size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeOutcome:
    """A release that is complete, but for its place.

    Attributes:
        place: where its file lies, as long as the work is open.
        deleted: a file that lists the rows that are left out, if it was asked for.
        detail: what there is to tell of it.
        recounts: what was promised, counted from the file.
        warnings: what is odd about the keys.
    """

    place: Path
    deleted: Path | None
    detail: dict[str, object]
    recounts: tuple[Recount, ...]
    warnings: tuple[str, ...] = ()


@contextmanager
def recode_file(
    method: Partition,
    task: LargeTask,
    *,
    seed: Seed,
    say: Callable[[Notice], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> Generator[LargeOutcome]:
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
    if task.rules.own is None:
        raise ParameterError("engine", "be given for a file of one's own", task.rules.name)
    with open_workspace(task.out) as folder:
        with open_engine(_share_memory(task.choice), folder) as session:
            blocks = open_own_blocks(session, task.source, task.rules.own)
            for notice in blocks.notices:
                say(notice)
            with use_cluster(session):
                outcome = _recode(method, task, blocks, folder, seed, say, tell)
        tell("counting again")
        # what was written lies on this machine, whichever searched
        counter = EngineChoice() if task.choice.engine is Engine.SPARK else task.choice
        with open_engine(counter, folder) as session:
            fields = {each.name: each for each in blocks.schema.fields()}
            recounts = recount_scan(_open_release(session, outcome.place, blocks.schema), outcome.detail, fields)
        yield replace(outcome, recounts=recounts)


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
        limit=PartLimit(memory=task.choice.memory) if task.size is None else PartLimit(records=task.size),
        seed=seed.child("partition"),
        tell=tell,
    )
    tell("writing")
    detail = method.describe_figures(recoding.figures, recoding.schema, recoding.keys)
    release = LargeRelease(recoding=recoding, blocks=blocks, out=task.out, folder=folder)
    place = release.write(None if task.ordered else choose_words(seed.child("publish").rng()))
    deleted = folder / "deleted" if task.ordered else None
    if deleted is not None:
        with deleted.open("w") as stream:
            stream.writelines(f"{row}\n" for rows in release.list_deleted() for row in rows.tolist())
    return LargeOutcome(
        place=place,
        deleted=deleted,
        detail={**detail, "parts": recoding.parts},
        recounts=(),
        warnings=tuple(list_warnings(recoding.figures.records, recoding.keys)),
    )


@contextmanager
def open_engine(choice: EngineChoice, folder: Path) -> Generator[Session]:
    """Give an engine at work, its temporary files in a folder."""
    session = open_session(choice, folder)
    try:
        yield session
    finally:
        session.close()


def _share_memory(choice: EngineChoice) -> EngineChoice:
    """Return the engine for reading alone: what is not needed for that is left to the search."""
    return choice if choice.memory is None else replace(choice, memory=max(choice.memory // 4, 512 * 1000**2))


def _open_release(session: Session, place: Path, schema: SchemaFile) -> Scan:
    """Return the release as whoever gets it reads it; no text in it means missing."""
    file = FileRules(separator=schema.file.separator, encoding=schema.file.encoding, header=True, missing=())
    return open_within(session, place, SchemaFile(shape=Shape.RECORDS, file=file))
