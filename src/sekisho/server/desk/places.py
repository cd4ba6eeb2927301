"""Numbers in the place of names: browsers keep addresses, and these tell no column, group, table or cell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock
from urllib.parse import urlencode

from fastapi import Request

MARK = "~"
NAMED = ("column", "step", "group", "known", "table", "cell", "find")
"""What of a query names something of the data, or is a text that somebody looks for in them."""


@dataclass(frozen=True, slots=True)
class HiddenNames:
    """The names that pages led to, each with a number as long as the program runs; so long an address holds anyway."""

    _numbers: dict[str, int] = field(default_factory=dict)
    _names: list[str] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def hide(self, name: str) -> str:
        """Return what stands in an address for a name; nothing for none."""
        if not name:
            return ""
        with self._lock:
            number = self._numbers.setdefault(name, len(self._names))
            if number == len(self._names):
                self._names.append(name)
        return f"{MARK}{number}"

    def read(self, value: str) -> str:
        """Return the name that an address means; one that was typed is itself."""
        number = value.removeprefix(MARK)
        if number == value or not (number.isascii() and number.isdecimal()) or len(number) > len(str(len(self._names))):
            return value
        return self._names[int(number)] if int(number) < len(self._names) else ""

    def write_query(self, pairs: Iterable[tuple[str, str]]) -> str:
        """Return a query in which what names something of the data is hidden."""
        return urlencode([(key, self.hide(value) if key in NAMED else value) for key, value in pairs])

    def read_all(self, request: Request, key: str) -> list[str]:
        """Return the names that a request's address has under a key."""
        return [self.read(value) for value in request.query_params.getlist(key)]

    def read_last(self, request: Request, key: str) -> str:
        """Return the last of them; nothing if there is none."""
        return next(reversed(self.read_all(request, key)), "")
