"""The secret that marks kept steps as this person's own: a file that only its owner reads, made once.

Whoever can write into a folder of steps, but not read the secret, can put nothing there that a run believes. The secret
therefore does not lie in that folder but beside it (of a run's own folder: beside ``confidential``). A file that others
may read, that is a link, or that belongs to somebody else is none.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from hmac import compare_digest, new
from pathlib import Path

from sekisho.data.files.whole_files import read_regular_file
from sekisho.errors import InputError
from sekisho.seeds import draw_salt

TITLE = b"sekisho secret of kept steps 1\n"
LENGTH = len(TITLE) + 64
OWNER_ONLY = 0o600
OTHERS = stat.S_IRWXG | stat.S_IRWXO
MARK_LENGTH = 64


@dataclass(frozen=True, slots=True)
class StepSecret:
    """Where the secret lies.

    Attributes:
        place: its file.
    """

    place: Path

    def sign(self, name: str, body: bytes) -> bytes | None:
        """Return the mark of a step under its name; the secret is made if there is none. None if it cannot be had."""
        secret = self._read() or self._make()
        return None if secret is None else _mark(secret, name, body)

    def check(self, name: str, body: bytes, mark: bytes) -> bool:
        """Tell whether a mark is what this secret gives to a step of this name."""
        secret = self._read()
        return secret is not None and compare_digest(_mark(secret, name, body), mark)

    def _read(self) -> bytes | None:
        try:
            secret = read_regular_file(self.place, max_bytes=LENGTH)
        except InputError:
            return None
        right = len(secret) == LENGTH and secret.startswith(TITLE) and self._is_ours_alone()
        return secret if right else None

    def _is_ours_alone(self) -> bool:
        try:
            known = self.place.lstat()
        except OSError:
            return False
        return known.st_uid == os.geteuid() and not known.st_mode & OTHERS

    def _make(self) -> bytes | None:
        """Make the secret; a file of ours that is none is replaced, whatever else stands there is left alone."""
        part = self.place.with_name(f"{self.place.name}.part-{os.getpid()}")
        try:
            if not self._may_replace():
                return None
            self.place.parent.mkdir(parents=True, exist_ok=True)
            part.unlink(missing_ok=True)
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, OWNER_ONLY)
            with os.fdopen(handle, "wb") as file:
                file.write(TITLE + draw_salt().encode())
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.place)
        except OSError:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        return self._read()

    def _may_replace(self) -> bool:
        try:
            known = self.place.lstat()
        except FileNotFoundError:
            return True
        return stat.S_ISREG(known.st_mode) and known.st_uid == os.geteuid()


def _mark(secret: bytes, name: str, body: bytes) -> bytes:
    state = new(secret, name.encode() + b"\0", "sha256")
    state.update(body)
    return state.hexdigest().encode()
