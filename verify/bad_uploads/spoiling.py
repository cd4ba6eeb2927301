"""Valid uploads spoilt by chance so that they are bad by construction, each with the place where it was spoilt."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Iterator

import numpy as np

from bad_uploads.cases import FILE, Case, Files, Place, change_cell, zip_files
from bad_uploads.desks import Desk
from sekisho.data.files.zip_guard import BROKEN

GARBAGE = (
    "",
    " ",
    "?",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "null",
    "None",
    "1e5",
    "0x1F",
    "1_000",
    "+1",
    "--1",
    "１２",
    "٣",
    "1.2.3",
    "[1",
    "1;2",
    "[3;2;1]",
    "{A;",
    "**",
    "2011/13/1",
    "2011/2/29x",
    "=cmd()",
    "'1'",
    '"1"',
    "<b>",
    "\x01",
    "\x7f",
    "é",
    "顧客",
    "9" * 400,
)
"""None of these is a cell of any column of the two contests."""
HISTORY = ("customer", "date", "item", "price", "quantity")
UNREADABLE = (*BROKEN, struct.error, OverflowError, UnicodeDecodeError)
Draw = np.random.Generator
Spoilt = tuple[Files, Place | None]


def draw_cases(history: Desk, records: Desk, rng: Draw) -> Iterator[tuple[Desk, Case]]:
    """Yield spoilt uploads without end: the contest they are sent to, and what is wrong with them."""
    ways: list[tuple[Desk, str, str, Callable[[Desk, Draw], Spoilt | None]]] = [
        (history, "release", "garbage in a cell", _spoil_cell),
        (history, "release", "another true-looking value", _tell_untruth),
        (history, "release", "rows lost or added", _change_rows),
        (history, "release", "cells lost or added", _change_width),
        (history, "release", "one pseudonym of two people", _mix_people),
        (history, "release", "bytes of no text", _break_text),
        (history, "release", "cut short", _cut_short),
        (history, "release", "a spoilt archive", _spoil_archive),
        (history, "release", "a bad file in an archive", _archive_bad_file),
        (history, "attack", "a spoilt attack", _spoil_names),
        (records, "release", "garbage in a record", _spoil_record),
        (records, "release", "a spoilt list of deleted rows", _spoil_deleted),
        (records, "attack", "a spoilt attack on records", _spoil_numbers),
    ]
    while True:
        desk, kind, name, spoil = ways[int(rng.integers(len(ways)))]
        spoilt = spoil(desk, rng)
        if spoilt is not None:
            yield desk, Case(name=name, kind=kind, files=spoilt[0], place=spoilt[1])


def _choose(options: tuple[str, ...], rng: Draw) -> str:
    return options[int(rng.integers(len(options)))]


def _draw_row(data: bytes, rng: Draw) -> int:
    return int(rng.integers(data.count(b"\n"))) + 1


def _spoil_cell(desk: Desk, rng: Draw) -> Spoilt:
    good = desk.release["released"]
    row, column = _draw_row(good, rng), int(rng.integers(5))
    text = _choose(GARBAGE, rng)
    return {"released": change_cell(good, row, column, text)}, (row, HISTORY[column])


def _tell_untruth(desk: Desk, rng: Draw) -> Spoilt | None:
    """Put what stands in another row into a cell whose value is exact: it is well-formed, and false."""
    good = desk.release["released"]
    column = int(rng.integers(1, 5))
    row, other = _draw_row(good, rng), _draw_row(good, rng)
    lines = good.decode().splitlines()
    text = lines[other - 1].split(",")[column]
    if text == lines[row - 1].split(",")[column]:
        return None
    return {"released": change_cell(good, row, column, text)}, (row, HISTORY[column])


def _change_rows(desk: Desk, rng: Draw) -> Spoilt:
    lines = desk.release["released"].decode().splitlines()
    count, place = int(rng.integers(1, 4)), int(rng.integers(len(lines)))
    if rng.random() < 0.5:
        lines[place:place] = lines[:count]
    else:
        del lines[max(0, place - count) : max(count, place)]
    return {"released": ("\n".join(lines) + "\n").encode()}, FILE


def _change_width(desk: Desk, rng: Draw) -> Spoilt:
    lines = desk.release["released"].decode().splitlines()
    row = int(rng.integers(len(lines)))
    cells = lines[row].split(",")
    if rng.random() < 0.5:
        cells.insert(int(rng.integers(6)), "1")
    else:
        del cells[int(rng.integers(5))]
    lines[row] = ",".join(cells)
    return {"released": ("\n".join(lines) + "\n").encode()}, (row + 1, "")


def _mix_people(desk: Desk, rng: Draw) -> Spoilt | None:
    """Give a row of somebody who has several the pseudonym of somebody else: one has two, and one stands for two."""
    good = desk.release["released"]
    names = [line.partition(",")[0] for line in good.decode().splitlines()]
    row, other = _draw_row(good, rng), _draw_row(good, rng)
    if names[row - 1] == names[other - 1]:
        return None
    return {"released": change_cell(good, row, 0, names[other - 1])}, None


def _break_text(desk: Desk, rng: Draw) -> Spoilt:
    good = bytearray(desk.release["released"])
    place = int(rng.integers(len(good) - 1))
    while good[place] == ord("\n"):
        place -= 1
    good[place] = int(rng.integers(128, 256))
    return {"released": bytes(good)}, (bytes(good[:place]).count(b"\n") + 1, "")


def _cut_short(desk: Desk, rng: Draw) -> Spoilt:
    good = desk.release["released"]
    return {"released": good[: int(rng.integers(1, len(good) // 2))]}, None


def _spoil_archive(desk: Desk, rng: Draw) -> Spoilt | None:
    """Spoil some bytes of an archive; what Python still reads as the same file under the same name is not bad."""
    good = desk.release["released"]
    data = bytearray(zip_files({"released": good}))
    edge = 64 if rng.random() < 0.7 else len(data) // 2  # mostly the headers at both ends
    for _ in range(int(rng.integers(1, 6))):
        place = int(rng.integers(edge))
        data[place if rng.random() < 0.5 else len(data) - 1 - place] = int(rng.integers(256))
    if rng.random() < 0.2:
        del data[int(rng.integers(len(data))) :]
    return None if _still_reads(bytes(data), good) else ({"archive": bytes(data)}, None)


def _still_reads(data: bytes, good: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.namelist() == ["released.csv"] and archive.read("released.csv") == good
    except UNREADABLE:
        return False


def _archive_bad_file(desk: Desk, rng: Draw) -> Spoilt:
    files, place = _spoil_cell(desk, rng)
    return {"archive": zip_files(files)}, place


def _spoil_names(desk: Desk, rng: Draw) -> Spoilt:
    good = desk.guess["guess"]
    row, column = _draw_row(good, rng), int(rng.integers(2))
    text = _choose((*GARBAGE, "999999999", "0"), rng)
    return {"guess": change_cell(good, row, column, text)}, (row, ("pseudonym", "customer")[column])


def _spoil_record(desk: Desk, rng: Draw) -> Spoilt:
    good = desk.release["released"]
    columns = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "gh", "mets", "qm", "dia")
    row, column = _draw_row(good, rng), int(rng.integers(len(columns)))
    text = _choose((*GARBAGE, "-1", "1000000", "*"), rng)
    return desk.release | {"released": change_cell(good, row, column, text)}, (row, columns[column])


def _spoil_deleted(desk: Desk, rng: Draw) -> Spoilt:
    lines = desk.release["deleted"].decode().splitlines()
    row = int(rng.integers(1, len(lines)))
    lines[row] = _choose((*GARBAGE, "-1", "60", "1.0", lines[row - 1]), rng)
    return desk.release | {"deleted": ("\n".join(lines) + "\n").encode()}, (row + 1, "X")


def _spoil_numbers(desk: Desk, rng: Draw) -> Spoilt:
    good = desk.guess["guess"]
    row, column = _draw_row(good, rng), int(rng.integers(3))
    text = _choose((*GARBAGE, "-2", "48", "1.5"), rng)
    return {"guess": change_cell(good, row, column, text)}, (row, f"answer {column + 1}")
