"""Files by their digests: what is handed in or handed out is kept once, whole, and on the disk before anybody is told.

::

    STORE/files/ab/abcd…                every file, under its SHA-256
    STORE/incoming/                     what is being received; of no worth after a crash
    STORE/contests/NAME/rules.toml      the rules, with the files that they name
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile

from sekisho.data.files.whole_files import sync_folder
from sekisho.errors import InputError, UnreadableError, say_failure
from sekisho.server.web.receiving import CHUNK, Received, receive_file
from sekisho.words import Said

STALE_SECONDS = 3600
SHARED = 0o640
"""Web process and workers are of different users in one group: each reads what the other keeps."""


class Store:
    """Files by their digests, in a folder.

    Args:
        folder: of the store.
        new: whether it may be made; a process that only reads what others keep must not mistake an empty folder,
            a mistyped name or a volume that is away for a store.

    Raises:
        InputError: the folder cannot be used.
    """

    def __init__(self, folder: Path, *, new: bool = True) -> None:
        self.folder = folder
        self._incoming = folder / "incoming"
        if not new:
            self.require_there()
            return
        try:
            for each in (self._incoming, folder / "files", folder / "contests"):
                each.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                folder, Said("cannot be used as a store: {reason}", reason=say_failure(error, Said("unknown reason")))
            ) from error

    def find(self, digest: str) -> Path:
        """Return where a file lies."""
        return self.folder / "files" / digest[:2] / digest

    def require_there(self) -> None:
        """Refuse a folder that is no store.

        Raises:
            InputError: it is none, or it is away.
        """
        missing = [each for each in ("incoming", "files", "contests") if not (self.folder / each).is_dir()]
        if missing:
            raise InputError(self.folder, Said("is no store of files: it lacks {missing}", missing=", ".join(missing)))

    def fetch(self, digest: str, folder: Path) -> Path:
        """Copy a file into a folder, and see that the copy is what was kept; what is read from it is then the file.

        Raises:
            UnreadableError: the store does not give the file, or gives other bytes.
        """
        place = folder / digest
        if place.is_file():
            return place
        state, source, copied = sha256(), self.find(digest), folder / f"{digest}.part"
        try:
            with source.open("rb") as stream, copied.open("wb") as copy:
                while piece := stream.read(CHUNK):
                    state.update(piece)
                    copy.write(piece)
        except OSError as error:
            raise UnreadableError(source, say_failure(error, Said("cannot be read"))) from error
        if state.hexdigest() != digest:
            raise UnreadableError(source, Said("does not hold the bytes that were kept: its digest differs"))
        copied.replace(place)
        return place

    def find_contest(self, name: str) -> Path:
        """Return the folder of a contest's rules."""
        return self.folder / "contests" / name

    def receive(self, pieces: Iterable[bytes], *, name: str, most_bytes: int) -> Received:
        """Take a file in, piece by piece, up to a limit.

        Raises:
            FaultsError: it is larger.
        """
        return receive_file(self._incoming, pieces, name=name, most_bytes=most_bytes, mode=SHARED)

    def keep(self, received: Received) -> None:
        """Keep a file that has arrived; after this it is on the disk under its digest."""
        place = self.find(received.digest)
        if not place.parent.is_dir():
            place.parent.mkdir(exist_ok=True)
            sync_folder(place.parent.parent)
        received.path.replace(place)
        sync_folder(place.parent)

    def discard(self, received: Received) -> None:
        """Forget a file that has arrived."""
        received.path.unlink(missing_ok=True)

    def keep_bytes(self, data: bytes) -> str:
        """Keep some bytes as a file, and return their digest."""
        digest = sha256(data).hexdigest()
        try:
            os.utime(self.find(digest))  # it is young again: nobody takes it for forgotten
        except FileNotFoundError:
            self.keep(self.receive([data], name=digest, most_bytes=len(data)))
        return digest

    def has_room(self, size: int) -> bool:
        """Tell whether so many bytes can be received, and the disk lets itself be written."""
        try:
            state = os.statvfs(self._incoming)
            with TemporaryFile(dir=self._incoming) as stream:
                stream.write(b"room")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError:
            return False
        return state.f_bavail * state.f_frsize >= size

    def sweep(self) -> int:
        """Remove what crashes left half received; return how many files."""
        oldest = time.time() - STALE_SECONDS
        count = 0
        for path in self._incoming.iterdir():
            with suppress(FileNotFoundError):  # other processes receive, keep and sweep files meanwhile
                if path.stat().st_mtime < oldest:
                    path.unlink()
                    count += 1
        return count

    def list_digests(self) -> Iterator[str]:
        """Yield every file's digest in order."""
        for folder in sorted((self.folder / "files").iterdir()):
            yield from sorted(path.name for path in folder.iterdir())
