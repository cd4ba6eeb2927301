"""The desk's folder and its cases: which file each is about, and where everything of it stands.

::

    desk.lock                            one desk a folder
    uploads/NAME/{.upload.json,people.csv}  a file that comes and is no case yet; kept when the program is killed
    cases/20261116-people-7f3a/
      case.json                          name, original (path, size, time, digest), seed, columns as proposed
      incoming/people.csv                the file if it was dropped, else a link to where it stands
      versions/0012/ log.jsonl head      :mod:`sekisho.server.desk.versions`
      columns/ steps/ runs/              counts, finished steps, runs
      review/ public/                    public is empty until released
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from sekisho.data.files.whole_files import read_regular_file, sync_folder, write_whole
from sekisho.data.shape import Shape
from sekisho.errors import InputError, UnknownNameError, say_failure
from sekisho.seeds import Seed, draw_salt
from sekisho.server.desk.edits import find_shape
from sekisho.server.desk.originals import (
    UPLOAD,
    DroppedFile,
    FirstProposal,
    OriginalFile,
    OriginalState,
    name_data,
    propose_files,
)
from sekisho.server.desk.plain_data import write_plain
from sekisho.server.desk.versions import OWNER_ONLY, Versions
from sekisho.words import Language, Said

NO_CASE_NAME = re.compile(r"[^\w-]+")
LONGEST_NAME = 40
FOLDERS = ("incoming", "columns", "steps", "runs", "review", "public")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One file and what is done with it.

    Attributes:
        folder: of all that belongs to it.
        title: the file's name.
        data: what recipes call the file.
        original: the file as it was read.
        created: when the case was made.
        seed: drawn once; every way to protect has a child of it in its recipe.
        language: in which comments and pages are written.
        columns: all of the file, as they were proposed.
    """

    folder: Path
    title: str
    data: str
    original: OriginalFile
    created: str
    seed: int
    language: Language = Language.EN
    columns: tuple[Mapping[str, object], ...] = ()

    @classmethod
    def read(cls, folder: Path) -> Case:
        """Return the case in a folder.

        Raises:
            InputError: there is none, or its file is none of ours.
        """
        place = folder / "case.json"
        try:
            told: dict[str, Any] = json.loads(read_regular_file(place))
            original, language = OriginalFile(**told.pop("original")), Language(told.pop("language"))
            columns = tuple(told.pop("columns"))
            return cls(folder=folder, original=original, language=language, columns=columns, **told)
        except (ValueError, TypeError, KeyError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(place, Said("is no case of the desk")) from error

    @property
    def name(self) -> str:
        """What addresses call it."""
        return self.folder.name

    @property
    def versions(self) -> Versions:
        """Its versions."""
        return Versions(self.folder, seed=self.seed, data=self.data)

    @property
    def shape(self) -> Shape:
        """What a row is, as the current version says."""
        return find_shape(self.versions.read().files)

    @property
    def file(self) -> Path:
        """Where its data are read."""
        return self.folder / "incoming" / self.data

    @property
    def public(self) -> Path:
        """What may leave; empty until released."""
        return self.folder / "public"

    @property
    def runs(self) -> Path:
        """The folder of runs, each below its digest."""
        return self.folder / "runs"

    @property
    def steps(self) -> Path:
        """The store of finished steps of all runs."""
        return self.folder / "steps"

    @property
    def counts(self) -> Path:
        """Columns that were counted; may be deleted."""
        return self.folder / "columns"

    @property
    def review(self) -> Path:
        """Who asked for a decision, and who decided."""
        return self.folder / "review"

    def check_original(self, *, digest: bool = False) -> OriginalState:
        """Tell whether the file is as it was when it was read: by size and time, or, before a run, by every byte."""
        return self.original.compare(digest=digest)

    def learn(self, proposal: FirstProposal) -> Case:
        """Return the case with the file as it was looked at again: after it changed, or in another shape."""
        original = replace(proposal.original, path=self.original.path, dropped=self.original.dropped)
        learnt = replace(self, original=original, columns=proposal.columns or self.columns)
        learnt.save()
        return learnt

    def save(self) -> None:
        """Write what is no part of a version."""
        told = {**asdict(self), "language": self.language.value}
        del told["folder"]
        place = self.folder / "case.json"
        data = json.dumps(told, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"
        write_whole({place: data}, private={place})
        sync_folder(self.folder)


class DeskFolder:
    """Where the desk keeps its cases; only its owner enters it."""

    def __init__(self, root: Path) -> None:
        """Take a folder, which is made if it is not there.

        Raises:
            InputError: it is a link or somebody else's, or cannot be made.
        """
        self.root, self._lock = root, Lock()
        try:
            root.parent.mkdir(parents=True, exist_ok=True)
            root.mkdir(mode=OWNER_ONLY, exist_ok=True)
            if root.is_symlink() or root.stat().st_uid != os.getuid():
                raise InputError(root, Said("is a link or another user's: the desk keeps confidential files there"))
            root.chmod(OWNER_ONLY)
            for folder in (self._cases, self._uploads):
                folder.mkdir(mode=OWNER_ONLY, exist_ok=True)
        except OSError as error:
            reason = say_failure(error, Said("unknown reason"))
            raise InputError(root, Said("cannot be made a folder: {strerror}", strerror=reason)) from error

    @property
    def _cases(self) -> Path:
        return self.root / "cases"

    @property
    def _uploads(self) -> Path:
        return self.root / "uploads"

    @contextmanager
    def hold(self) -> Generator[None]:
        """Be the only desk in this folder, and bring in order what a killed one left.

        Raises:
            InputError: another desk is there.
        """
        handle = os.open(self.root / "desk.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InputError(self.root, Said("is open at another desk")) from error
            self.recover()
            yield
        finally:
            os.close(handle)

    def recover(self) -> None:
        """Bring in order what a killed desk left: cases that were not finished go, versions are put right."""
        for left in self._cases.glob(".*"):
            shutil.rmtree(left, ignore_errors=True)
        for case in self.list_cases():
            case.versions.recover()
            for former in case.runs.glob(".*"):  # a decision was being put in its place
                if (case.runs / former.name[1:]).exists():
                    shutil.rmtree(former, ignore_errors=True)
                else:
                    former.rename(case.runs / former.name[1:])
        for arrival in self.list_uploads():
            if (self._cases / arrival.id).exists():  # its case was made, and then the desk was killed
                arrival.discard()

    def list_cases(self) -> tuple[Case, ...]:
        """Return the cases, the newest first; what is no case is passed over."""
        cases: list[Case] = []
        for folder in self._cases.iterdir():
            if not folder.name.startswith(".") and folder.is_dir() and not folder.is_symlink():
                with suppress(InputError):
                    cases.append(Case.read(folder))
        return tuple(sorted(cases, key=lambda case: (case.created, case.name), reverse=True))

    def find(self, name: str) -> Case:
        """Return a case by its name, which is looked up in the listing and never made a path.

        Raises:
            UnknownNameError: there is none of this name.
        """
        cases = {case.name: case for case in self.list_cases()}
        if name not in cases:
            raise UnknownNameError("case", name, tuple(cases))
        return cases[name]

    def begin_upload(
        self,
        name: str,
        size: int | None = None,
        *,
        changed: str = "",
        path: Path | None = None,
        language: Language = Language.EN,
    ) -> DroppedFile:
        """Make a place for a file that comes; name, size and time of its last change tell a dropped one again.

        Args:
            name: of the file.
            size: of all that is to come.
            changed: when it was last written, as its sender says.
            path: where it stands, if it is not dropped.
            language: of comments.
        """
        folder = self._uploads / self._draw_name(name)
        folder.mkdir(mode=OWNER_ONLY)
        place = "" if path is None else str(path)
        dropped = DroppedFile(folder=folder, name=name, size=size, changed=changed, path=place, language=language.value)
        dropped.save()
        return dropped

    def list_uploads(self) -> tuple[DroppedFile, ...]:
        """Return the files that come and are no cases yet."""
        return tuple(DroppedFile.read(place.parent) for place in sorted(self._uploads.glob(f"*/{UPLOAD}")))

    def create(
        self,
        source: Path | DroppedFile,
        *,
        proposal: FirstProposal | None = None,
        language: Language = Language.EN,
    ) -> Case:
        """Make a case of a file: one that is read where it stands, or one that was dropped and moves here.

        Args:
            source: the file.
            proposal: what is proposed for it, where another process looked; it is looked at here if None.
            language: of comments.

        Raises:
            InputError: the file cannot be read; a dropped one is kept.
        """
        arrival = source if isinstance(source, DroppedFile) else None
        dropped, title = arrival is not None and not arrival.path, source.name
        path = source.part if isinstance(source, DroppedFile) else source.resolve()
        if proposal is None:
            proposal = propose_files(path, name=title, language=language)
        final = self._cases / (self._draw_name(title) if arrival is None else arrival.id)
        with self._lock:
            if not final.exists():  # a second click finds it there
                case = self._make_folder(final, title, proposal, language)
                if dropped:
                    case.file.hardlink_to(path)  # the dropped one goes when the case is there
                else:
                    case.file.symlink_to(path)
                kept = str(final / "incoming" / case.data) if dropped else str(path)
                case = replace(case, original=replace(proposal.original, path=kept, dropped=dropped))
                case.versions.begin(proposal.files)
                write_plain({case.counts / name: told for name, told in proposal.counts.items()})
                case.save()
                case.folder.rename(final)
                sync_folder(self._cases)
            if arrival is not None:
                arrival.discard()
        return Case.read(final)

    def move_in(self, folder: Path, name: str, *, settle: Callable[..., None]) -> Case:
        """Make a folder that was brought a case: under its own name, or another where that is taken or is none.

        Args:
            folder: with what a case has.
            name: that it had.
            settle: is told where it is going to stand, and the runs that it has.
        """
        taken = NO_CASE_NAME.search(name) or not name or (self._cases / name).exists()
        final = self._cases / (self._draw_name(Case.read(folder).title) if taken else name)
        for one in FOLDERS:
            (folder / one).mkdir(mode=OWNER_ONLY, exist_ok=True)
        settle(final, *folder.glob("runs/*"))
        folder.rename(final)
        sync_folder(self._cases)
        return Case.read(final)

    def _draw_name(self, title: str) -> str:
        """Return the name of a case that is not there yet, nor comes."""
        plain = NO_CASE_NAME.sub("-", unicodedata.normalize("NFC", Path(title).stem))[:LONGEST_NAME].strip("-")
        name = f"{datetime.now(UTC):%Y%m%d}-{plain or 'file'}-{draw_salt()[:4]}"
        taken = (self._cases / name).exists() or (self._uploads / name).exists()
        return self._draw_name(title) if taken else name

    def remove(self, case: Case) -> None:
        """Remove a case and everything of it, in one step as far as anybody sees; a file read elsewhere stays there.

        Raises:
            UnknownNameError: there is no such case any more.
        """
        gone = self._cases / f".gone-{case.name}-{draw_salt()[:8]}"
        self.find(case.name).folder.rename(gone)
        sync_folder(self._cases)
        shutil.rmtree(gone, ignore_errors=True)  # links are not followed; what is left goes at the next start

    def _make_folder(self, final: Path, title: str, proposal: FirstProposal, language: Language) -> Case:
        folder = final.with_name(f".{final.name}")
        shutil.rmtree(folder, ignore_errors=True)  # of a desk that was killed
        folder.mkdir(mode=OWNER_ONLY)
        for name in FOLDERS:
            (folder / name).mkdir(mode=OWNER_ONLY)
        return Case(
            folder=folder,
            title=title,
            data=name_data(title),
            original=proposal.original,
            created=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            seed=Seed.draw().value,
            language=language,
            columns=proposal.columns,
        )


def find_state_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """Return where the desk keeps its cases if nothing else is said."""
    home = Path(environ.get("HOME", "~")).expanduser()
    if platform == "darwin":
        state = home / "Library" / "Application Support"
    elif platform == "win32":
        state = Path(environ.get("LOCALAPPDATA", home))
    else:
        said = environ.get("XDG_STATE_HOME", "")
        state = Path(said) if Path(said).is_absolute() else home / ".local" / "state"
    return state / "sekisho" / "desk"
