"""A folder of finished steps: each a file of arrays and plain data under the digest of all that it depends on.

A file begins with a mark (HMAC-SHA-256, under a secret that lies elsewhere) of its name and of the rest, which is
checked before anything of it is read: a damaged, foreign, exchanged or forged one is dropped, named, and made again.
The rest is numpy's ``.npz`` without pickled objects, its plain data as JSON. A file is written beside its place and
moved there, so a killed run leaves whole entries only, and parts that the next run removes. A file's time says when its
step was used last.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from time import time
from typing import Any, cast
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from sekisho.data.files.whole_files import read_regular_file
from sekisho.errors import InputError
from sekisho.gate.cache.secret import MARK_LENGTH, StepSecret
from sekisho.gate.certificate.canonical import write_canonical
from sekisho.words import Said

MAX_BYTES = 1 << 31
SUFFIX, PART = ".step", ".part-"
KEY = re.compile(r"[0-9a-f]{64}")
PLAIN = "plain data"
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredStep:
    """A step as it is kept."""

    plain: Mapping[str, Any]
    arrays: Arrays = field(default_factory=dict[str, "NDArray[Any]"])


@dataclass(frozen=True, slots=True)
class StepStore:
    """Where finished steps are kept.

    Attributes:
        folder: it.
        secret: marks the steps as ours.
        dropped: the entries that were not ours or not whole, each as a sentence.
        used: the keys of the entries that were found or made.
    """

    folder: Path
    secret: StepSecret
    dropped: list[str] = field(default_factory=list[str])
    used: set[str] = field(default_factory=set[str])

    def find(self, key: str) -> StoredStep | None:
        """Return a step that is there, ours and whole; None if it must be made."""
        place = self._place(key)
        if not os.path.lexists(place):
            return None
        try:
            data = read_regular_file(place, max_bytes=MAX_BYTES)
        except InputError:
            data = b""
        mark, body = data[:MARK_LENGTH], data[MARK_LENGTH:]
        if not self.secret.check(key, body, mark):
            self.drop(key, Said("it is damaged, or was not made here"))
            return None
        try:
            step = _read_step(body)
        except (ValueError, KeyError, TypeError, OSError, BadZipFile, EOFError, RecursionError):
            self.drop(key, Said("it is damaged"))
            return None
        self._mark_used(key)
        return step

    def drop(self, key: str, reason: str) -> None:
        """Forget a step, and say why."""
        self.dropped.append(Said("the kept step {key}… is made again: {reason}", key=key[:12], reason=reason))
        _remove(self._place(key))

    def keep(self, key: str, step: StoredStep) -> None:
        """Keep a step; where there is no room for it, it is not kept."""
        stream = BytesIO()
        text = json.dumps(step.plain, ensure_ascii=False, allow_nan=False)  # keys in their order: pages show it
        plain = np.frombuffer(text.encode(), dtype=np.uint8)
        np.savez(stream, allow_pickle=False, **{PLAIN: plain, **step.arrays})
        body = stream.getvalue()
        part = self.folder / f"{PART}{os.getpid()}-{key[:16]}"
        mark = self.secret.sign(key, body)
        if mark is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with part.open("xb") as file:
                file.write(mark)
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            if self._place(key).is_dir():
                _remove(self._place(key))
            part.replace(self._place(key))
            self.used.add(key)
        except OSError:
            _remove(part)

    def remove_parts(self) -> None:
        """Remove what a killed run left unfinished."""
        for part in self.folder.glob(f"{PART}*"):
            _remove(part)

    def remove_unused(self) -> None:
        """Remove the steps that were neither found nor made since the store was opened."""
        for place in self._list_steps():
            if place.stem not in self.used:
                _remove(place)

    def remove_older(self, seconds: float) -> None:
        """Remove the steps that nobody used for so long."""
        for place in self._list_steps():
            with suppress(OSError):
                if place.stem not in self.used and time() - place.stat().st_mtime > seconds:
                    _remove(place)

    def _list_steps(self) -> Iterator[Path]:
        """Give the files that are steps by their name; whatever else is in the folder is somebody else's."""
        return (place for place in self.folder.glob(f"*{SUFFIX}") if KEY.fullmatch(place.stem))

    def _mark_used(self, key: str) -> None:
        self.used.add(key)
        with suppress(OSError):  # a folder that may only be read
            os.utime(self._place(key))

    def _place(self, key: str) -> Path:
        return self.folder / f"{key}{SUFFIX}"


def make_key(*parts: object) -> str:
    """Return the digest of all that a step depends on, as plain data."""
    return sha256(write_canonical(parts)).hexdigest()


def _remove(place: Path) -> None:
    """Remove whatever stands in a step's place, a folder too; a link, not what it leads to. What cannot go stays."""
    with suppress(OSError):
        if stat.S_ISDIR(place.lstat().st_mode):
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink()


def _read_step(body: bytes) -> StoredStep:
    with np.load(BytesIO(body), allow_pickle=False) as held:
        arrays: dict[str, NDArray[Any]] = {name: held[name] for name in held.files}
    plain = json.loads(arrays.pop(PLAIN).tobytes())
    if not isinstance(plain, dict):
        raise TypeError(plain)
    return StoredStep(plain=cast("dict[str, Any]", plain), arrays=arrays)
