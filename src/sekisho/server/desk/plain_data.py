"""Values as plain data for JSON, sentences in both languages; and how such data are kept in files of their owner."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np

from sekisho.data.files.whole_files import write_whole
from sekisho.errors import FaultsError, InputError, SekishoError, list_places
from sekisho.gate.recipes.keys import write_key
from sekisho.words import Language, Said, translate, write_settings

Plain: TypeAlias = dict[str, Any]


def say_both(words: str) -> dict[str, str]:
    """Return words in each language; a text that is no sentence of ours is the same in both."""
    return {language.value: translate(words, language) for language in Language}


def as_plain(value: object) -> object:
    """Return a value as JSON has it: sentences in both languages, numbers that are none as null."""
    match value:
        case Said():
            return say_both(value)
        case Mapping():
            pairs = cast("Mapping[object, object]", value).items()
            return {str(key): as_plain(one) for key, one in pairs}
        case np.generic() | np.ndarray():
            return as_plain(cast("object", value.tolist()))
        case tuple() | list() | AbstractSet():
            return [as_plain(one) for one in cast("Iterable[object]", value)]
        case _:
            return _write_single(value)


def _write_single(value: object) -> object:
    match value:
        case Enum():
            return value.value
        case None | bool() | int() | str():
            return value
        case float() | Fraction():
            return float(value) if math.isfinite(value) else None
        case _:
            return str(value)


def describe_error(error: SekishoError) -> Plain:
    """Return what is wrong with an input: one sentence, and every fault with its place, rule and value."""
    faults = error.faults if isinstance(error, FaultsError) else ()
    words = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
    return {
        "kind": type(error).__name__,
        "words": say_both(write_settings(words, write_key)),
        "reason": say_both(write_settings(error.reason if isinstance(error, InputError) else words, write_key)),
        "count": error.count if isinstance(error, FaultsError) else 0,
        "faults": [as_plain({**one.as_dict(), "message": write_settings(one.message, write_key)}) for one in faults],
    }


def describe_fault(error: BaseException) -> list[str]:
    """Return where in the program something went wrong; what it was about may be a value, and is not told."""
    return [type(error).__name__, *list_places(error)]


def write_plain(files: Mapping[Path, object]) -> None:
    """Write plain data whole or not at all, for their owner only."""
    contents = {path: json.dumps(one, ensure_ascii=False, allow_nan=False).encode() for path, one in files.items()}
    write_whole(contents, private=list(contents))


def read_plain(path: Path) -> Plain | None:
    """Return plain data that were written; None where there are none, or they are damaged."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return cast("Plain", content) if isinstance(content, dict) else None
