"""A folder of finished steps: each a file of arrays and plain data under the digest of all that it depends on.

A file begins with the SHA-256 of the rest, which is checked when it is read; a damaged one is dropped, named, and made
again. The rest is numpy's ``.npz`` without pickled objects, its plain data as JSON. A file is written beside its place
and moved there, so a killed run leaves whole entries only, and parts that the next run removes. A file's time says when
its step was used last.
"""

from __future__ import annotations

import json
import os
import re
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

from sekisho.gate.certificate.canonical import write_canonical

MAX_BYTES = 1 << 31
DIGEST = 64
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
        dropped: the entries that were damaged, each as a sentence.
        used: the keys of the entries that were found or made.
    """

    folder: Path
    dropped: list[str] = field(default_factory=list[str])
    used: set[str] = field(default_factory=set[str])

    def find(self, key: str) -> StoredStep | None:
        """Return a step that is there and whole; None if it must be made."""
        place = self._place(key)
        try:
            data = place.read_bytes() if place.stat().st_size <= MAX_BYTES else b""
        except OSError:
            return None
        try:
            step = _read_step(data)
        except (ValueError, KeyError, TypeError, OSError, BadZipFile, EOFError, RecursionError):
            self.drop(key, "it is damaged")
            return None
        self._mark_used(key)
        return step

    def drop(self, key: str, reason: str) -> None:
        """Forget a step, and say why."""
        self.dropped.append(f"the kept step {key[:12]}… is made again: {reason}")
        self._place(key).unlink(missing_ok=True)

    def keep(self, key: str, step: StoredStep) -> None:
        """Keep a step; where there is no room for it, it is not kept."""
        stream = BytesIO()
        text = json.dumps(step.plain, ensure_ascii=False, allow_nan=False)  # keys in their order: pages show it
        plain = np.frombuffer(text.encode(), dtype=np.uint8)
        np.savez(stream, allow_pickle=False, **{PLAIN: plain, **step.arrays})
        body = stream.getvalue()
        part = self.folder / f"{PART}{os.getpid()}-{key[:16]}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with part.open("wb") as file:
                file.write(sha256(body).hexdigest().encode() + body)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._place(key))
            self.used.add(key)
        except OSError:
            part.unlink(missing_ok=True)

    def remove_parts(self) -> None:
        """Remove what a killed run left unfinished."""
        for part in self.folder.glob(f"{PART}*"):
            part.unlink(missing_ok=True)

    def remove_unused(self) -> None:
        """Remove the steps that were neither found nor made since the store was opened."""
        for place in self._list_steps():
            if place.stem not in self.used:
                place.unlink(missing_ok=True)

    def remove_older(self, seconds: float) -> None:
        """Remove the steps that nobody used for so long."""
        for place in self._list_steps():
            with suppress(OSError):
                if place.stem not in self.used and time() - place.stat().st_mtime > seconds:
                    place.unlink(missing_ok=True)

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


def _read_step(data: bytes) -> StoredStep:
    digest, body = data[:DIGEST], data[DIGEST:]
    if sha256(body).hexdigest().encode() != digest:
        raise ValueError("not what was written")
    with np.load(BytesIO(body), allow_pickle=False) as held:
        arrays: dict[str, NDArray[Any]] = {name: held[name] for name in held.files}
    plain = json.loads(arrays.pop(PLAIN).tobytes())
    if not isinstance(plain, dict):
        raise TypeError(plain)
    return StoredStep(plain=cast("dict[str, Any]", plain), arrays=arrays)
