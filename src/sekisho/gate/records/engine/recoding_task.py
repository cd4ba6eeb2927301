"""A file beyond memory that is to be recoded or coded, and a release of it that is complete but for its place."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.session import Session, open_session
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.review import ReleaseReview
from sekisho.errors import ParameterError
from sekisho.gate.records.engine.release_figures import LargeFigures
from sekisho.gate.records.recount import Recount
from sekisho.protect.records.streamed.recoding_plan import PartLimit
from sekisho.safety.terms import RecordTerms
from sekisho.words import Said

ROWS = 1 << 18
"""So many rows are read at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeTask:
    """What is to be recoded, and where to.

    Attributes:
        source: the file.
        rules: of one's own; a contest's are refused.
        out: the release.
        ordered: whether its rows stand in the original's order, and those that are left out are listed.
        examined: whether what a page shows is found out.
        choice: the engine.
        size: the most distinct records of a part; None: as many as fit the memory.
        allowed: by column that names people why it may leave all the same.
    """

    source: Path
    rules: RecordTerms
    out: Path
    ordered: bool
    examined: bool = False
    choice: EngineChoice
    size: int | None = None
    allowed: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def limit(self) -> PartLimit:
        """How large a part may be."""
        return PartLimit(memory=self.choice.memory) if self.size is None else PartLimit(records=self.size)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeOutcome:
    """A release that is complete, but for its place.

    Attributes:
        place: where its file lies, as long as the work is open.
        put: gives it its own place.
        deleted: a file that lists the rows that are left out, if it was asked for.
        detail: what there is to tell of it.
        recounts: what was promised, counted from the file.
        review: what a person must look at before it leaves.
        figures: what a page shows, if it was asked for.
    """

    place: Path
    put: Callable[[], None]
    deleted: Path | None
    detail: dict[str, object]
    recounts: tuple[Recount, ...]
    review: ReleaseReview = field(default_factory=ReleaseReview)
    figures: LargeFigures | None = None


@contextmanager
def open_engine(choice: EngineChoice, folder: Path) -> Generator[Session]:
    """Give an engine at work, its temporary files in a folder."""
    session = open_session(choice, folder)
    try:
        yield session
    finally:
        session.close()


def require_own(task: LargeTask) -> SchemaFile:
    """Return the schema of a file of one's own.

    Raises:
        ParameterError: the rules are a contest's.
    """
    if task.rules.layout.strict:
        raise ParameterError("engine", Said("be given for a file of one's own"), task.rules.name)
    return task.rules.layout.described
