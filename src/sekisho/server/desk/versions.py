"""Every change of a case is a version on disk: whole, never overwritten, undone and redone, safe against a kill.

A change is written in three steps: the folder ``versions/NNNN``, complete before it has that name; a line of
``log.jsonl``; the number in ``head``. The line is what counts: a folder without one is removed, a line cut short is
dropped, and the head is where the last line left it. So undo and redo are lines too, and a head that is behind is known
from one that was moved back.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from sekisho.data.files.whole_files import read_regular_file, sync_folder, write_whole
from sekisho.data.shape import Shape
from sekisho.errors import BugError, InputError, ParameterError, say_failure
from sekisho.seeds import Seed
from sekisho.server.desk.edits import (
    SETTINGS,
    TREES,
    DeskEdit,
    FileLines,
    Files,
    apply_edits,
    compare_files,
    find_shape,
    look_up,
    read_keys,
)
from sekisho.words import Said

OWNER_ONLY = 0o700
FIRST = 1
TIME = "%Y-%m-%dT%H:%M:%SZ"
MADE_BY = ("methods", "find", "coarser", "keys", "sensitive", "weights", "trees", "preset", "guarantees")
"""What decides in which way data are protected: releases made in two ways must not share their chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One state of a case: files that ``sekisho gate`` runs as they stand.

    Attributes:
        number: from 1.
        parent: what it was made from; None of the first.
        time: when, in UTC.
        edits: what was changed, each with what it was.
        restored: the version whose files it has again.
        tab: which window made it.
        folder: where its files stand.
        files: by name: ``recipe.toml``, ``schema.toml``, ``trees/…``, ``cells.hst``.
    """

    number: int
    parent: int | None
    time: str
    edits: tuple[DeskEdit, ...] = ()
    restored: int | None = None
    tab: str = ""
    folder: Path
    files: Files = field(repr=False)

    @property
    def recipe(self) -> Path:
        """The recipe that the gate reads."""
        return self.folder / "recipe.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two windows changed the same: nothing was written.

    Attributes:
        mine: the edits asked for that meet another's.
        theirs: the same places as they are now.
        head: the version to put mine on, should that be chosen.
    """

    mine: tuple[DeskEdit, ...]
    theirs: tuple[DeskEdit, ...]
    head: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Log:
    """What the lines of a log say."""

    lines: tuple[Mapping[str, Any], ...]

    @property
    def head(self) -> int:
        return int(self.lines[-1]["head"]) if self.lines else 0

    @property
    def made(self) -> dict[int, Mapping[str, Any]]:
        """By number the line that made a version."""
        return {int(line["head"]): line for line in self.lines if line["did"] == "write"}

    @property
    def newest_child(self) -> dict[int, int]:
        """By version what was last made of it."""
        return {int(line["parent"]): number for number, line in self.made.items() if line["parent"] is not None}

    def find_key(self, key: str) -> int | None:
        """Return where the head was left by a form that was sent already."""
        return next((int(line["head"]) for line in self.lines if key and line["key"] == key), None)


class Versions:
    """The versions of a case; what it knows stands on disk and is read at each question."""

    def __init__(self, folder: Path, *, seed: int, data: str) -> None:
        """Look at a case's folder.

        Args:
            folder: of the case.
            seed: the case's own, of which each way to protect has a child.
            data: what recipes call the file of data, which stands in ``incoming`` of the case.
        """
        self._folder, self._seed, self._data = folder, seed, data

    @property
    def head(self) -> int:
        """The number of the current version; 0 where there is none."""
        return self._read_log().head

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        log = self._read_log()
        return log.head > 0 and log.made[log.head]["parent"] is not None

    @property
    def can_redo(self) -> bool:
        """Whether something was undone that can come back."""
        log = self._read_log()
        return log.head in log.newest_child

    def list(self) -> tuple[Version, ...]:
        """Return all versions, the oldest first."""
        return tuple(self._read_version(number, line) for number, line in sorted(self._read_log().made.items()))

    def read(self, number: int | None = None) -> Version:
        """Return a version, or the current one.

        Raises:
            ParameterError: there is none of this number.
        """
        log = self._read_log()
        return self._find(log, log.head if number is None else number)

    def compare(self, old: int, new: int) -> tuple[FileLines, ...]:
        """Return in which lines two versions differ, file by file."""
        return compare_files(self.read(old).files, self.read(new).files)

    def begin(self, files: Files, *, tab: str = "") -> Version:
        """Write the first version.

        Raises:
            BugError: there are versions already.
        """
        with self._hold():
            log = self._read_log()
            if log.head:
                raise BugError("a case has its first version already")
            return self._add(log, files, (), {"tab": tab})

    def write(self, edits: Sequence[DeskEdit], *, based_on: int, key: str = "", tab: str = "") -> Version | Conflict:
        """Put edits on the current version.

        Args:
            edits: what is to be changed.
            based_on: the version that the person saw.
            key: of the form: sent a second time, the first answer is given again.
            tab: which window asks.

        Returns:
            The new version; the current one where nothing changes; what stands against each other where what is to be
            changed was changed by another since, and otherwise.

        Raises:
            ParameterError: there is no version as the one it is based on, or an edit names what is not there.
        """
        with self._hold():
            log = self._read_log()
            answered = log.find_key(key)
            if answered is not None:
                return self._find(log, answered)
            current, seen = self._find(log, log.head), self._find(log, based_on)
            conflict = _find_conflict(edits, seen.files, current)
            if conflict is not None:
                return conflict
            files = self._settle_seed(apply_edits(current.files, edits))
            if files == current.files:
                return current
            marked = tuple(replace(edit, old=look_up(current.files, edit)) for edit in edits)
            return self._add(log, files, marked, {"tab": tab, "key": key})

    def restore(self, number: int, *, key: str = "", tab: str = "") -> Version:
        """Make a new version with the files of an earlier one.

        Raises:
            ParameterError: there is none of this number.
        """
        with self._hold():
            log = self._read_log()
            answered = log.find_key(key)
            if answered is not None:
                return self._find(log, answered)
            return self._add(log, self._find(log, number).files, (), {"tab": tab, "key": key, "restored": number})

    def undo(self, *, key: str = "", tab: str = "") -> Version:
        """Go back to what the current version was made from; the first stays."""
        return self._move("undo", key, tab)

    def redo(self, *, key: str = "", tab: str = "") -> Version:
        """Go on to what was last made of the current version; where there is none, it stays."""
        return self._move("redo", key, tab)

    def recover(self) -> None:
        """Bring in order what a kill left: remove versions that no line tells of, move the head on."""
        with self._hold():
            log = self._read_log()
            self._cut_log()
            for folder in self._versions.glob("*") if self._versions.is_dir() else ():
                if not folder.name.isdecimal() or int(folder.name) not in log.made:
                    shutil.rmtree(folder)
            if log.head:
                self._write_head(log.head)

    def _move(self, way: str, key: str, tab: str) -> Version:
        with self._hold():
            log = self._read_log()
            answered = log.find_key(key)
            if answered is not None:
                return self._find(log, answered)
            current = self._find(log, log.head)
            target = current.parent if way == "undo" else log.newest_child.get(current.number)
            if target is None:
                return current
            self._append({"did": way, "head": target, "time": _tell_time(), "tab": tab, "key": key})
            self._write_head(target)
            return self._find(log, target)

    def _add(self, log: _Log, files: Files, edits: tuple[DeskEdit, ...], said: Mapping[str, object]) -> Version:
        number = max(log.made, default=0) + 1
        if number == FIRST:
            files = self._settle_seed(files)
        told = [_tell_edit(edit) for edit in edits]
        line = {"did": "write", "head": number, "parent": log.head or None, "time": _tell_time(), "edits": told}
        line = {**line, "restored": None, "key": "", **said}
        self._write_folder(number, files)
        self._append(line)
        self._write_head(number)
        return self._read_version(number, line)

    def _settle_seed(self, files: Files) -> dict[str, bytes]:
        """Return files whose recipe has the seed of its way to protect; tables have none."""
        if find_shape(files) is Shape.TABLE:
            edit = DeskEdit(file="recipe", place=("seed",))
        else:
            recipe = read_keys(files, "recipe")
            way = {name: recipe.get(name) for name in MADE_BY}
            others = {name: sha256(data).hexdigest() for name, data in sorted(files.items()) if name != "recipe.toml"}
            told = json.dumps([way, others], sort_keys=True, default=str)
            seed = Seed(self._seed).child(sha256(told.encode()).hexdigest())
            edit = DeskEdit(file="recipe", place=("seed",), value=seed.value)
        return dict(files) if look_up(files, edit) == edit.value else apply_edits(files, (edit,))

    @property
    def _versions(self) -> Path:
        return self._folder / "versions"

    @property
    def _log(self) -> Path:
        return self._folder / "log.jsonl"

    @contextmanager
    def _hold(self) -> Generator[None]:
        handle = os.open(self._folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)  # a killed program's lock is gone with it
            yield
        except OSError as error:
            raise InputError(
                self._folder, Said("cannot be written: {reason}", reason=say_failure(error, Said("unknown reason")))
            ) from error
        finally:
            os.close(handle)

    def _read_log(self) -> _Log:
        text = read_regular_file(self._log).decode() if self._log.exists() else ""
        whole = text[: text.rfind("\n") + 1]  # a line that was cut short does not count
        return _Log(lines=tuple(json.loads(line) for line in whole.splitlines()))

    def _cut_log(self) -> None:
        if self._log.exists():
            data = read_regular_file(self._log)
            os.truncate(self._log, data.rfind(b"\n") + 1)

    def _append(self, line: Mapping[str, object]) -> None:
        self._cut_log()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(self._log, flags, 0o600), "wb") as stream:
            stream.write(json.dumps(line, ensure_ascii=True, sort_keys=True).encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())

    def _write_head(self, number: int) -> None:
        place = self._folder / "head"
        write_whole({place: f"{number}\n".encode()}, private={place})
        sync_folder(self._folder)

    def _write_folder(self, number: int, files: Files) -> None:
        place, partial = self._versions / f"{number:04}", self._versions / f".{number:04}.partial"
        self._versions.mkdir(mode=OWNER_ONLY, exist_ok=True)
        for left in (place, partial):
            shutil.rmtree(left, ignore_errors=True)
        for folder in (partial, *((partial / TREES,) if any(name.startswith(TREES) for name in files) else ())):
            folder.mkdir(mode=OWNER_ONLY)
        paths = {partial / name: data for name, data in files.items()}
        write_whole(paths, private=set(paths))
        (partial / self._data).symlink_to(Path("../../incoming") / self._data)
        for folder in {path.parent for path in paths} | {partial}:
            sync_folder(folder)
        partial.rename(place)
        sync_folder(self._versions)

    def _find(self, log: _Log, number: int) -> Version:
        line = log.made.get(number)
        if line is None:
            raise ParameterError("version", Said("be one of 1 to {last}", last=max(log.made, default=0)), number)
        return self._read_version(number, line)

    def _read_version(self, number: int, line: Mapping[str, Any]) -> Version:
        folder = self._versions / f"{number:04}"
        places = [path for path in (*folder.glob("*"), *folder.glob(f"{TREES}*")) if not path.is_symlink()]
        files = {
            path.relative_to(folder).as_posix(): read_regular_file(path) for path in sorted(places) if path.is_file()
        }
        edits = tuple(_read_edit(edit, files) for edit in line["edits"])
        told = {name: line[name] for name in ("parent", "time", "restored", "tab")}
        return Version(number=number, edits=edits, folder=folder, files=files, **told)


def _find_conflict(edits: Sequence[DeskEdit], seen: Files, current: Version) -> Conflict | None:
    """Return where another changed since what an edit changes, and to something else."""
    met: list[tuple[DeskEdit, DeskEdit]] = []
    for edit in edits:
        now = look_up(current.files, edit)
        if (now != look_up(seen, edit) and now != edit.value) or _is_gone(edit, seen, current.files):
            met.append((edit, replace(edit, value=now)))
    if not met:
        return None
    return Conflict(mine=tuple(mine for mine, _ in met), theirs=tuple(one for _, one in met), head=current.number)


def _is_gone(edit: DeskEdit, seen: Files, current: Files) -> bool:
    """Tell whether the column or method that an edit speaks of was taken away since."""
    whole = replace(edit, place=edit.place[:2])
    inside = edit.file in SETTINGS and len(edit.place) > len(whole.place)
    return inside and look_up(current, whole) is None and look_up(seen, whole) is not None


def _tell_edit(edit: DeskEdit) -> dict[str, object]:
    """Return an edit as the log holds it; a whole file by its digest, since its text stands in the version."""
    old, new = (_digest(value) if edit.is_whole else value for value in (edit.old, edit.value))
    return {"file": edit.file, "place": list(edit.place), "old": old, "new": new, "before": list(edit.before)}


def _digest(value: object) -> str | None:
    return None if value is None else sha256(str(value).encode()).hexdigest()


def _read_edit(told: Mapping[str, Any], files: Files) -> DeskEdit:
    edit = DeskEdit(file=told["file"], place=tuple(told["place"]), before=tuple(told["before"]), old=told["old"])
    return replace(edit, value=look_up(files, edit) if edit.is_whole else told["new"])


def _tell_time() -> str:
    return datetime.now(UTC).strftime(TIME)
