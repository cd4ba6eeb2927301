"""How a valid file is spoilt: its bytes, its lines, its cells, the words of a TOML or JSON text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

NUMBERS = (
    "0",
    "-1",
    "1",
    "2",
    "7",
    "-0",
    "0.5",
    "-0.5",
    "1e308",
    "-1e308",
    "1e309",
    "1e-320",
    "1e999999999",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "9007199254740992",
    "9223372036854775808",
    "99999999999999999999",
    "-99999999999999999999",
    "1" * 5000,
    "0." + "0" * 400 + "1",
    "1/0",
    "0/-1",
    "1/3",
    "-1/3",
    "1_000",
    "+1",
    "0x10",
    "１",
    "٣",
    "1,5",
    "1.5.5",
    "1e",
    "--1",
    "2010/2/30",
    "0000/1/1",
)
TEXTS = (
    "",
    " ",
    "  x",
    "x ",
    "Total",
    "total",
    "*",
    "[1;2]",
    "[2;1]",
    "[;]",
    "{a;b}",
    "{}",
    "{a;a}",
    "x" * 300,
    "あ",
    "ｱ",
    "é",
    "e\u0301",
    '"',
    '"open',
    'a"b',
    "'",
    ",",
    ";",
    "\t",
    "|",
    "a,b",
    "a;b",
    "//",
    "@",
    "@@x",
    "<",
    "<SAFE>",
    "#",
    "=",
    "\\",
    "\0",
    "\ufeff",
    "\u2028",
    "\u200b",
    "\U0001f600",
    "null",
    "true",
    "../../x",
    "..",
    ".",
    "/",
    "p",
    "x",
    "U",
    "S",
    "-",
    "status",
    "primary",
    "secondary",
)
JSONS = (
    "null",
    "true",
    "[]",
    "{}",
    '""',
    "-1",
    "0",
    "1.5",
    "1e999",
    "NaN",
    "Infinity",
    "-0.0",
    '"x"',
    '"1/0"',
    '"0/-1"',
    '"1e999999"',
    "[[]]",
    '{"a": 1}',
    "1" * 5000,
    "99999999999999999999",
    "[" * 2000,
    '"' + "x" * 5000 + '"',
    "1/3",
    '"nan"',
    "[1, 2",
    "\\",
)
SMALL = ("0", "1", "2", "3", "5", "10", "100", "1000000", "-1", "0.5", "1/2", "1e-9", "1e9", "0.999999")
HUGE = "x" * 200_000


def spoil_file(path: Path, others: tuple[Path, ...], chance: Random) -> str:
    """Spoil a file in one of many ways; return how, in words."""
    ways: list[Callable[[Path, tuple[Path, ...], Random], str]] = [_gone, _folder, _other, _bytes]
    ways += [_bytes] * 2 + [_lines] * 6
    ways += [_words] * 14 if path.suffix in (".toml", ".json") else [_cells] * 6 + [_borrowed] * 8 + [_thinned] * 10
    return f"{path.name}: {chance.choice(ways)(path, others, chance)}"


def _gone(path: Path, others: tuple[Path, ...], chance: Random) -> str:
    del others, chance
    path.unlink()
    return "missing"


def _folder(path: Path, others: tuple[Path, ...], chance: Random) -> str:
    del others, chance
    path.unlink()
    path.mkdir()
    return "a folder"


def _other(path: Path, others: tuple[Path, ...], chance: Random) -> str:
    source = chance.choice(others)
    path.write_bytes(source.read_bytes())
    return f"is {source.name}"


def _bytes(path: Path, others: tuple[Path, ...], chance: Random) -> str:
    del others
    data = path.read_bytes()
    at = chance.randrange(len(data) + 1)
    flipped = bytes([chance.randrange(256)])
    kinds = {
        "empty": b"",
        "cut": data[:at],
        "flip": data[:at] + flipped + data[at + 1 :],
        "insert": data[:at] + flipped + data[at:],
        "twice": data + data,
        "NUL": data[:at] + b"\0" + data[at:],
        "BOM": b"\xef\xbb\xbf" + data,
        "UTF-16": _recoded(data, "utf-16"),
        "CP932": _recoded(data.replace(b"x", "東".encode()), "cp932"),
        "Latin-1": data.replace(b"x", b"\xe9"),
        "CR": data.replace(b"\n", b"\r"),
        "CRLF": data.replace(b"\n", b"\r\n"),
        "LFCR": data.replace(b"\n", b"\n\r"),
        "no line end": data.rstrip(b"\n"),
        "blank lines": data.replace(b"\n", b"\n\n"),
        "spaces": b"   \n",
        "line end": b"\n",
        "noise": bytes(chance.randrange(256) for _ in range(200)),
        "quote": data[:at] + b'"' + data[at:],
    }
    how = chance.choice(list(kinds))
    path.write_bytes(kinds[how])
    return how


def _recoded(data: bytes, encoding: str) -> bytes:
    return data.decode("utf-8", "replace").encode(encoding, "replace")


def _lines(path: Path, others: tuple[Path, ...], chance: Random) -> str:
    lines = _text(path, others).split("\n")
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    separator = _separator(lines[0])
    column = chance.randrange(1 + lines[0].count(separator))
    rows = [line.split(separator) for line in lines]
    kinds = {
        "line deleted": lines[:at] + lines[at + 1 :],
        "line doubled": [*lines[: at + 1], *lines[at:]],
        "lines swapped": [lines[to] if i == at else lines[at] if i == to else line for i, line in enumerate(lines)],
        "first line only": lines[:1],
        "without first line": lines[1:],
        "two lines": lines[:2],
        "column deleted": [separator.join(row[:column] + row[column + 1 :]) for row in rows],
        "column doubled": [separator.join([*row[: column + 1], *row[column:]]) for row in rows],
        "separator changed": [line.replace(separator, chance.choice(",;\t| ")) for line in lines],
        "column of one value": [separator.join([*row[:column], "1", *row[column + 1 :]]) for row in rows],
        "repeated": lines * 20,
    }
    how = chance.choice(list(kinds))
    path.write_text("\n".join(kinds[how]), newline="")
    return how


def _cells(path: Path, others: tuple[Path, ...], chance: Random) -> str:
    lines = _text(path, others).split("\n")
    separator = _separator(lines[0])
    changes: list[str] = []
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        at = chance.choice((0, chance.randrange(len(lines)), chance.randrange(len(lines))))
        row = lines[at].split(separator)
        place, cell = chance.randrange(len(row)), _cell(chance)
        row[place] = cell
        lines[at] = separator.join(row)
        changes.append(f"cell {place + 1} of line {at + 1} is {cell[:20]!r}")
    path.write_text("\n".join(lines), newline="", errors="replace")
    return ", ".join(changes)


def _borrowed(path: Path, others: tuple[Path, ...], chance: Random) -> str:
    """Give cells the values of other rows, or other numbers: each is fine where it stands, but not together."""
    lines = _text(path, others).split("\n")
    separator = _separator(lines[0])
    changes: list[str] = []
    for _ in range(chance.choice((1, 1, 2, 4, 20))):
        at, row = chance.randrange(len(lines)), chance.choice(lines).split(separator)
        place = chance.randrange(len(row))
        mine = lines[at].split(separator)
        if place < len(mine):
            mine[place] = row[place] if chance.randrange(2) else chance.choice(SMALL)
            lines[at] = separator.join(mine)
            changes.append(f"cell {place + 1} of line {at + 1} is {mine[place][:20]!r}")
    path.write_text("\n".join(lines), newline="", errors="replace")
    return ", ".join(changes)


def _thinned(path: Path, others: tuple[Path, ...], chance: Random) -> str:
    """Leave a well-formed file of little: few rows, columns of one value, rows in another order."""
    head, *body = _text(path, others).rstrip("\n").split("\n")
    if head[:1].isdigit() or path.name[:1].isupper():  # files of contests have no header
        body, head = [head, *body], ""
    body = body or [""]
    separator, changes = _separator(head or body[0]), list[str]()
    if chance.randrange(3):
        body = chance.sample(body, min(len(body), chance.choice((1, 2, 3, 4, 5, 8, 1 + len(body) // 2, len(body)))))
        changes.append(f"{len(body)} rows")
    if chance.randrange(2):
        column, rows = chance.randrange(1 + body[0].count(separator)), [line.split(separator) for line in body]
        only = (chance.choice(rows) + [""] * column)[column]
        body = [separator.join([*row[:column], only, *row[column + 1 :]]) for row in rows]
        changes.append(f"column {column + 1} is {only[:20]!r}")
    path.write_text("\n".join([*([head] if head else []), *body, ""]), newline="", errors="replace")
    return ", ".join(changes)


def _cell(chance: Random) -> str:
    if not chance.randrange(30):
        return HUGE
    return chance.choice(NUMBERS) if chance.randrange(2) else chance.choice(TEXTS)


def _words(path: Path, others: tuple[Path, ...], chance: Random) -> str:
    text = _text(path, others)
    places = [found.span() for found in re.finditer(r'"[^"\n]*"|-?[0-9][0-9.eE+-]*|true|false|null|[a-z_]+ =', text)]
    changes: list[str] = []
    for _ in range(chance.choice((1, 1, 1, 2))):
        if not places:
            return "unchanged"
        low, high = places.pop(chance.randrange(len(places)))
        places = [span for span in places if span[1] <= low]
        word = (
            chance.choice(SMALL)
            if chance.randrange(2)
            else chance.choice((*JSONS, *NUMBERS, *(f'"{_escaped(one)}"' for one in (*TEXTS, *NUMBERS))))
        )
        changes.append(f"{text[low:high][:20]!r} is {word[:20]!r}")
        text = (
            text[:low]
            + (word if not text[low:high].endswith("=") else chance.choice(("x =", "", "name =")))
            + text[high:]
        )
    path.write_text(text, newline="", errors="replace")
    return ", ".join(changes)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "\\u0000")


def _separator(line: str) -> str:
    return next((mark for mark in ";,\t |" if mark in line), ",")


def _text(path: Path, others: tuple[Path, ...]) -> str:
    del others
    return path.read_bytes().decode("utf-8", "replace")
