"""What somebody may do to a folder of kept steps who can write there but does not have the secret."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from hmac import digest
from io import BytesIO
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np

PLAIN = "plain data"
MARK = 64
Tamper = Callable[[Path], None]


def list_steps(cache: Path) -> list[Path]:
    """Return the kept steps."""
    return sorted(cache.glob("*.step"))


def replace_by(place: Path, data: bytes) -> None:
    """Put other bytes in a step's place, whatever stands there."""
    if place.is_dir() and not place.is_symlink():
        rmtree(place)
    place.unlink(missing_ok=True)
    place.write_bytes(data)


def flip(place: Path) -> None:
    """Change one bit in the middle."""
    data = bytearray(place.read_bytes())
    data[len(data) // 2] ^= 1
    replace_by(place, bytes(data))


def truncate(place: Path) -> None:
    """Cut the last byte off."""
    replace_by(place, place.read_bytes()[:-1])


def empty(place: Path) -> None:
    """Leave nothing."""
    replace_by(place, b"")


def make_folder(place: Path) -> None:
    """Put a folder with something in it there."""
    place.unlink()
    place.mkdir()
    (place / "inside").write_text("x")


def make_link(place: Path) -> None:
    """Put a link to what was there."""
    aside = place.with_suffix(".aside")
    place.rename(aside)
    place.symlink_to(aside)


def make_pipe(place: Path) -> None:
    """Put a pipe there, which whoever opens it waits for."""
    place.unlink()
    os.mkfifo(place)


def swap(place: Path) -> None:
    """Put the next step's bytes there."""
    places = list_steps(place.parent)
    replace_by(place, places[(places.index(place) + 1) % len(places)].read_bytes())


def read_body(body: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a step's plain data and arrays."""
    with np.load(BytesIO(body), allow_pickle=False) as held:
        arrays: dict[str, Any] = {name: held[name] for name in held.files}
    return json.loads(arrays.pop(PLAIN).tobytes()), arrays


def falsify(body: bytes) -> bytes:
    """Return a step that says something else: a guess that names nobody, a start at another time, other arrays."""
    plain, arrays = read_body(body)
    if "person" in plain:
        plain |= {"person": []}
        arrays = {name: values[:0] for name, values in arrays.items()}
    elif "made" in plain:
        plain |= {"made": "1999-01-01T00:00:00Z", "salt": "0" * 64}
    elif "proven" in plain:
        plain |= {"cost": plain["cost"] - 1, "bound": plain["bound"] - 1}
    elif arrays:
        arrays = {name: np.roll(values, 1) for name, values in arrays.items()}
    else:
        plain = {name: {**score, "value": 0.5} for name, score in plain.items()}
    stream = BytesIO()
    np.savez(stream, allow_pickle=False, **pack(plain, arrays))
    return stream.getvalue()


def pack(plain: Mapping[str, Any], arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a step's file holds."""
    return {PLAIN: np.frombuffer(json.dumps(plain).encode(), dtype=np.uint8), **arrays}


def falsify_and_digest(place: Path) -> None:
    """Say something else under a digest that fits."""
    body = falsify(place.read_bytes()[MARK:])
    replace_by(place, sha256(body).hexdigest().encode() + body)


def falsify_and_sign(place: Path) -> None:
    """Say something else under a mark of another secret."""
    body = falsify(place.read_bytes()[MARK:])
    replace_by(place, digest(b"0" * 64, place.stem.encode() + b"\0" + body, "sha256").hex().encode() + body)


def falsify_and_keep_mark(place: Path) -> None:
    """Say something else under the true step's mark."""
    data = place.read_bytes()
    replace_by(place, data[:MARK] + falsify(data[MARK:]))


TAMPERINGS: Mapping[str, Tamper] = {
    "flip": flip,
    "truncate": truncate,
    "empty": empty,
    "folder": make_folder,
    "link": make_link,
    "pipe": make_pipe,
    "swap": swap,
    "digest": falsify_and_digest,
    "foreign secret": falsify_and_sign,
    "old mark": falsify_and_keep_mark,
}
