"""TOML with comments, line by line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

CONTROLS = {chr(code): f"\\u{code:04X}" for code in (*range(0x20), 0x7F, 0x85, 0x2028, 0x2029)}


def write_value(value: object) -> str:
    """Return a value as TOML writes it: a string, a number, a truth value, a list or an inline table."""
    if isinstance(value, str):
        return write_string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{write_key(str(key))} = {write_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(write_value, value)) + "]"
    return str(value)


def write_string(text: str) -> str:
    """Return a text as a string of TOML."""
    escaped = json.dumps(text, ensure_ascii=False)
    return "".join(CONTROLS.get(character, character) for character in escaped)


def write_key(name: str) -> str:
    """Return a name as a key of TOML: bare where it can be."""
    bare = name and name.isascii() and all(each.isalnum() or each in "-_" for each in name)
    return name if bare else write_string(name)


@dataclass(slots=True)
class TomlText:
    """A text of TOML that grows."""

    lines: list[str] = field(default_factory=list[str])
    places: dict[str, int] = field(default_factory=dict[str, int])
    """By what is said there, the number of a line from 1."""

    def mark(self, what: str) -> None:
        """Note that something is said in the next line."""
        self.places.setdefault(what, len(self.lines) + 1)

    def say(self, *comments: str) -> None:
        """Add comments, each a line."""
        self.lines += [f"# {_plain(comment)}" for comment in comments if comment]

    def set(self, name: str, value: object, comment: str = "") -> None:
        """Add a key, with a comment behind it."""
        line = f"{write_key(name)} = {write_value(value)}"
        self.lines.append(f"{line}  # {_plain(comment)}" if comment else line)

    def offer(self, name: str, value: object, comment: str = "") -> None:
        """Add a key that does not count until its mark is removed."""
        self.set(name, value, comment)
        self.lines[-1] = f"# {self.lines[-1]}"

    def open(self, table: str) -> None:
        """Begin a table, such as ``[file]`` or ``[[columns]]``."""
        self.lines += ["", table]

    def render(self) -> bytes:
        """Return the whole."""
        return ("\n".join(self.lines).strip("\n") + "\n").encode()


def _plain(comment: str) -> str:
    """Return a comment of one line: names of columns may have control characters."""
    return "".join(" " if each in CONTROLS or not each.isprintable() else each for each in comment)
