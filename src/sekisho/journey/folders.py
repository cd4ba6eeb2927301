"""Two folders: ``public`` for what may leave, ``confidential`` for what stays.

``public`` is empty unless the verdict is *release*, or two persons approved what the gate left to them: whoever takes
what lies there needs to read nothing to be safe. What a person must look at first lies in ``confidential/proposed``.

A file is written whole or not at all: it is completed in ``confidential/.partial`` and then moved to its place. What is
public is completed there as a folder, which takes the place of the former one as a whole: whenever a run is killed,
``public`` holds all that a run lets out or nothing. Elsewhere the certificate goes first and comes last: while the rest
is exchanged there is none, so that no certificate ever stands beside files of another run. What an earlier run left is
removed: a release that is refused now may not stay where an older one was allowed. Files of somebody else stay.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sekisho.data.files.whole_files import check_paths, sync_folder
from sekisho.errors import InputError, ParameterError, SekishoError, say_failure
from sekisho.gate.output_files import (
    ADVICE,
    BY_ROW,
    CERTIFICATE,
    CONFIDENTIAL,
    DELETED,
    OPENING,
    PATTERN,
    PROPOSED,
    PUBLIC,
    RELEASES,
    REPORT,
    SHEET,
    TABLE_PROOF,
    TEXT_REPORT,
    TRUTH,
    PlacedFiles,
    name_table_file,
)
from sekisho.words import Said

OWN_OFFERED = (CERTIFICATE, *RELEASES.values(), *(name_table_file(name, "*") for name in RELEASES.values()), REPORT)
OWN_CONFIDENTIAL = (
    CERTIFICATE,
    OPENING,
    REPORT,
    SHEET,
    TEXT_REPORT,
    ADVICE,
    BY_ROW,
    TRUTH,
    DELETED,
    PATTERN,
    name_table_file(PATTERN, "*"),
    TABLE_PROOF,
    "original.*",
    "guess-*.csv",
    "to-register.*",
)
"""What a run may have written, as patterns of names; everything else in the folders is somebody else's."""
LOCK = ".lock"
OWNER_ONLY = 0o700


@dataclass(frozen=True, slots=True)
class OutputFolders:
    """Where a run writes."""

    out: Path

    @property
    def public(self) -> Path:
        """The folder of what may leave."""
        return self.out / PUBLIC

    @property
    def confidential(self) -> Path:
        """The folder of what stays; only its owner enters it."""
        return self.out / CONFIDENTIAL

    @property
    def proposed(self) -> Path:
        """The folder of what awaits a person's look, inside the one of what stays."""
        return self.out / PROPOSED

    @property
    def cache(self) -> Path:
        """The folder of finished steps."""
        return self.confidential / "cache"

    @property
    def cache_secret(self) -> Path:
        """The file that marks finished steps as ours: beside what stays, so that who writes there does not have it."""
        return self.out / ".cache.key"

    @property
    def spool(self) -> Path:
        """The folder where files that are not held in memory wait for their place; it is gone when the run ends."""
        return self.confidential / ".spool"

    @property
    def _partial(self) -> Path:
        return self.confidential / ".partial"

    def check(self, *, reads: Iterable[Path | None], names: Iterable[str], secrets: Iterable[Path] = ()) -> None:
        """Refuse to write over an input, or where nothing can be written, before any work.

        Args:
            reads: the files that are read.
            names: what is going to be written, such as ``public/release.csv``.
            secrets: files that nobody else may read: they must not lie where a run writes.

        Raises:
            FaultsError: everything that is wrong.
        """
        writes: dict[str, Path | None] = {f"--out {name}": self.out / name for name in names}
        inside = [path for path in secrets if path.resolve().is_relative_to(self.out.resolve())]
        if inside:
            rule = Said("not lie below the folder that a run writes: keys are kept apart from what leaves")
            raise ParameterError("key_file", rule, str(inside[0]))
        check_paths(
            reads=[*reads, *secrets],
            writes=writes,
            folders=[self.out, self.public, self.confidential, self.proposed],
        )

    @contextmanager
    def hold(self) -> Generator[None]:
        """Keep other runs from the same place while this one works; what a killed run left unfinished is removed.

        Where the work ends in an error, folders that were made for it are gone again; an interruption keeps those that
        hold finished steps.

        Raises:
            InputError: another run works there, or the folders cannot be made.
        """
        missing = [each for each in (self.cache, self.confidential, self.public, self.out) if not each.exists()]
        if self.public.is_symlink():
            raise InputError(self.public, Said("is a link: what may leave is put there as a folder of its own"))
        try:
            self.public.mkdir(parents=True, exist_ok=True)
            self.confidential.mkdir(mode=OWNER_ONLY, exist_ok=True)
            handle = os.open(self.confidential / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            reason = say_failure(error, Said("unknown reason"))
            raise InputError(self.out, Said("cannot be made a folder: {strerror}", strerror=reason)) from error
        try:
            _lock(handle, self.confidential / LOCK, self.out)
        except _BusyError:
            os.close(handle)
            raise
        try:
            self._remove_unfinished()
            yield
        except SekishoError:
            self._remove_unfinished()
            for each in missing:
                shutil.rmtree(each, ignore_errors=True)
            raise
        except KeyboardInterrupt:
            self._remove_unfinished()
            (self.confidential / LOCK).unlink(missing_ok=True)
            for each in missing:
                with suppress(OSError):  # something is in it
                    each.rmdir()
            raise
        finally:
            try:
                shutil.rmtree(self.spool, ignore_errors=True)
                (self.confidential / LOCK).unlink(missing_ok=True)
            finally:
                os.close(handle)

    def _remove_unfinished(self) -> None:
        self._remove_partial()
        shutil.rmtree(self.spool, ignore_errors=True)

    def _remove_partial(self) -> None:
        """Remove what is not in its place; what is somebody else's goes back to ``public``, where it was."""
        for folder in (self._former, self._partial / PUBLIC):
            for place in _list_strangers(folder):
                if not os.path.lexists(self.public / place.name):
                    place.rename(self.public / place.name)
        shutil.rmtree(self._partial, ignore_errors=True)

    @property
    def _former(self) -> Path:
        """What was public and made room."""
        return self._partial / "former"

    def deliver(self, files: PlacedFiles) -> None:
        """Exchange what an earlier run wrote for these files; what is public changes as a whole.

        Raises:
            InputError: a file cannot be written; then nothing of a run is public.
        """
        staged = self.stage(files.public)
        stays = {self.confidential: files.confidential, self.proposed: files.proposed}
        with _say_unwritable(self.out):
            moved = {
                self.out / place: self._move_partial(self.out / place, one.path) for place, one in files.moved.items()
            }
            ready = {
                folder / name: self._write_partial(folder / name, data)
                for folder, named in stays.items()
                for name, data in named.items()
            } | {place: part for place, part in moved.items() if place.parent != self.public}
            sync_folder(staged)
        self.make_room()
        with _say_unwritable(self.out):
            for folder in stays:
                (folder / CERTIFICATE).unlink(missing_ok=True)
            self._remove_earlier(ready)
            for place in sorted(ready, key=lambda each: each.name == CERTIFICATE):  # the certificate last
                place.parent.mkdir(mode=OWNER_ONLY, exist_ok=True)
                ready[place].replace(place)
            self._take_place(staged)
            with suppress(OSError):  # something is in it
                self.proposed.rmdir()
            self._remove_partial()

    def _take_place(self, staged: Path) -> None:
        """Put a completed folder, and what is somebody else's, into the place of the public one, which is empty."""
        for place in _list_strangers(self._former):
            if (staged / place.name).exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(self.public / place.name))
            place.rename(staged / place.name)
        staged.rename(self.public)
        sync_folder(self.out)

    def keep(self, name: str, data: bytes) -> None:
        """Write one file of what stays, in the place of what it was before.

        Raises:
            InputError: it cannot be written.
        """
        place = self.confidential / name
        with _say_unwritable(self.out):
            self._write_partial(place, data).replace(place)
            sync_folder(place.parent)

    def stage(self, files: Mapping[str, bytes]) -> Path:
        """Return a folder with what is to be public, completed where nobody takes it from.

        Raises:
            InputError: it cannot be written.
        """
        with _say_unwritable(self.out):
            self._remove_partial()
            staged = self._partial / PUBLIC
            staged.mkdir(parents=True)
            for name, data in files.items():
                self._write_partial(self.public / name, data)
            shutil.copymode(self.public, staged)
            sync_folder(staged)
        return staged

    def make_room(self) -> None:
        """Take away what is public in one step: whoever looks finds all of it or nothing.

        Raises:
            InputError: it cannot be moved.
        """
        with _say_unwritable(self.out):
            self._former.parent.mkdir(parents=True, exist_ok=True)
            self.public.rename(self._former)
            self.public.mkdir()
            shutil.copymode(self._former, self.public)
            sync_folder(self.out)

    def publish(self, staged: Path, *, kept: Mapping[str, bytes]) -> None:
        """Put a completed folder into the place of the public one, which is empty, in one step.

        Killed before it, ``public`` is empty; killed after it, complete: what awaited review is removed only then, and
        whoever looks for the run finds what is public first.

        Args:
            staged: the folder (:meth:`stage`).
            kept: files of what stays that go with it, by name.

        Raises:
            InputError: it cannot be written, or something lies in public.
        """
        with _say_unwritable(self.out):
            ready = {
                self.confidential / name: self._write_partial(self.confidential / name, kept[name]) for name in kept
            }
            self._take_place(staged)
            for place, part in ready.items():
                part.replace(place)
        with suppress(OSError):  # it has left; the rest is tidying
            for pattern in OWN_OFFERED:  # the certificate first
                for place in self.proposed.glob(pattern):
                    place.unlink()
            self.proposed.rmdir()
        self._remove_partial()

    def _write_partial(self, final: Path, data: bytes) -> Path:
        place = self._partial / final.relative_to(self.out)
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        return place

    def _move_partial(self, final: Path, waiting: Path) -> Path:
        """Put a complete file that waits on the same disk beside those that are written."""
        place = self._partial / final.relative_to(self.out)
        place.parent.mkdir(parents=True, exist_ok=True)
        with waiting.open("rb") as stream:
            os.fsync(stream.fileno())
        waiting.replace(place)
        return place

    def _remove_earlier(self, kept: Mapping[Path, Path]) -> None:
        owned = {self.proposed: OWN_OFFERED, self.confidential: OWN_CONFIDENTIAL}
        for folder, patterns in owned.items():
            for pattern in patterns:
                for place in folder.glob(pattern):
                    if place not in kept:
                        place.unlink()


def _list_strangers(folder: Path) -> list[Path]:
    """Return what in a folder of what may leave is none of a run's files."""
    return [
        place
        for place in (sorted(folder.iterdir()) if folder.is_dir() else ())
        if place.is_dir() or not any(place.match(pattern) for pattern in OWN_OFFERED)
    ]


@contextmanager
def _say_unwritable(out: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        reason = say_failure(error, Said("unknown reason"))
        raise InputError(error.filename or out, Said("cannot be written: {strerror}", strerror=reason)) from error


def _lock(handle: int, place: Path, out: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a killed run's lock is gone with it
        current = place.stat().st_ino == os.fstat(handle).st_ino  # else its owner has just removed it
    except OSError:
        current = False
    if not current:
        raise _BusyError(out, Said("is being written by another run"))


class _BusyError(InputError):
    """Somebody else's run is at work: nothing of its own may be touched."""
