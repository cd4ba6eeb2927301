"""How many people are alone on the keys of a version, kept beside the columns, so that versions can be compared later.

A count is kept under what it was counted from: the file, how it is read, the keys and their trees. So a version finds
its own count or none, and one with the files of another has the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from sekisho.server.desk.plain_data import Plain, read_plain, write_plain


@dataclass(frozen=True, slots=True, kw_only=True)
class AloneCount:
    """People alone on the keys as they stand in the file, and how many people there are."""

    alone: int
    records: int

    @classmethod
    def of(cls, given: Mapping[str, Any], answer: Plain) -> tuple[list[Plain], AloneCount] | None:
        """Return with which keys an answer about steps counted who is alone, and what it came to.

        None where it did not, or where a key was tried more coarsely: that is nobody's version.
        """
        keys: list[Plain] = list(given.get("keys", ()))
        match given["about"]:
            case "weigh":
                counts = answer["counts"]
                found = cls(alone=counts["alone"], records=counts["records"])
            case "tree" if answer["ladder"]:
                keys.append({"name": given["column"], "tree": given.get("tree", ""), "step": 0})
                found = cls(alone=answer["ladder"]["steps"][0]["alone"], records=answer["ladder"]["records"])
            case _:
                return None
        return None if any(key.get("step") for key in keys) else (keys, found)

    @classmethod
    def read(cls, folder: Path, original: str, schema: bytes, keys: Sequence[Plain]) -> AloneCount | None:
        """Return what was counted of keys; None if nobody has asked yet."""
        told = read_plain(folder / name_count(original, schema, keys))
        return None if told is None else cls(alone=int(told["alone"]), records=int(told["records"]))

    def keep(self, folder: Path, original: str, schema: bytes, keys: Sequence[Plain]) -> None:
        """Write it down."""
        place = folder / name_count(original, schema, keys)
        if not place.exists():
            write_plain({place: {"alone": self.alone, "records": self.records}})


def name_count(original: str, schema: bytes, keys: Sequence[Plain]) -> str:
    """Return under which name a count is kept: by all that it depends on; in which order keys stand does not matter."""
    pairs = sorted((str(key["name"]), str(key.get("tree", ""))) for key in keys)
    told = json.dumps([original, sha256(schema).hexdigest(), pairs])
    return f"alone-{sha256(told.encode()).hexdigest()[:32]}.alone"
