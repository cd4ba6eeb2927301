"""JSON that has one form only: keys sorted, no blanks, UTF-8; read strictly, for it may come from anybody."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from fractions import Fraction
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import NoReturn, cast

from sekisho.data.files.whole_files import decode_text, read_bytes
from sekisho.errors import InputError, cut_text
from sekisho.words import Said

MAX_BYTES = 1 << 22
"""A certificate is small; what is larger than this is none."""
MAX_DEPTH = 32
"""Nor is it nested more deeply."""


def list_entries(value: object) -> object:
    """Return a frozen dataclass as plain data for JSON; what is None, or a number that is none, is left out."""
    if is_dataclass(value) and not isinstance(value, type):
        entries = {item.name: list_entries(getattr(value, item.name)) for item in fields(value)}
        return {name: entry for name, entry in entries.items() if entry is not None}
    if isinstance(value, dict):
        return {str(key): list_entries(item) for key, item in cast("dict[object, object]", value).items()}
    if isinstance(value, tuple | list):
        return [list_entries(item) for item in cast("tuple[object, ...]", value)]
    if isinstance(value, float) and not isfinite(value):
        return None
    return str(value) if isinstance(value, Fraction) else value


def write_canonical(entries: object) -> bytes:
    """Return plain data in the one form that is signed."""
    text = json.dumps(entries, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode()


def write_readable(entries: object) -> bytes:
    """Return plain data as a file that people read; its canonical form is the same."""
    text = json.dumps(entries, ensure_ascii=False, sort_keys=True, indent=1, allow_nan=False)
    return f"{text}\n".encode()


def read_json(path: Path, *, max_bytes: int = MAX_BYTES) -> dict[str, object]:
    """Return the object in a JSON file.

    Raises:
        InputError: it is none, is too large or nested too deeply, names a key twice, or holds what no program writes:
            a number that is none, half a character.
    """
    text = decode_text(read_bytes(path, max_bytes=max_bytes), path)
    try:
        entries = json.loads(
            text,
            object_pairs_hook=_refuse_doubled,
            parse_constant=_refuse_constant,
            parse_float=_read_finite,
        )
        _check_entries(entries, MAX_DEPTH)
    except (ValueError, RecursionError) as error:
        raise InputError(path, Said("is not JSON: {error}", error=error)) from error
    if not isinstance(entries, dict):
        raise InputError(path, Said("is not a JSON object"))
    return cast("dict[str, object]", entries)


def digest_bytes(data: bytes) -> str:
    """Return the SHA-256 of some bytes."""
    return sha256(data).hexdigest()


def _refuse_doubled(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key is given twice")
    return table


def _read_finite(word: str) -> float:
    number = float(word)
    if not isfinite(number):
        raise ValueError(f"{cut_text(word)} is no number that a computer can hold")
    return number


def _check_entries(value: object, depth: int) -> None:
    """Refuse what is nested too deeply, and text that is no UTF-8 (half a character, written with an escape)."""
    if depth < 0:
        raise ValueError(f"it is nested more than {MAX_DEPTH} deep")
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, dict):
        for key, item in cast("dict[str, object]", value).items():
            key.encode()
            _check_entries(item, depth - 1)
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            _check_entries(item, depth - 1)


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
