"""Uploads that are bad by the contest's rules, each made by hand: what is sent, and which rule and place it breaks."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

from tests.data.files.bad_archives import BAD

from bad_uploads.desks import Desk

Files = dict[str, bytes]
Place = tuple[int, str]
FILE: Place = (0, "")
"""The file as a whole."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A bad upload.

    Attributes:
        kind: release or attack.
        rules: of which one must be told; any if there are none.
        place: row and column that one of the errors must name; row 0 is the file, no column is the whole row.
    """

    name: str
    kind: str
    files: Files
    rules: frozenset[str] = frozenset()
    place: Place | None = None


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Return files in an archive, each under its name."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(f"{name}.csv", data)
    return stream.getvalue()


def change_cell(data: bytes, row: int, column: int, text: str) -> bytes:
    """Return a file with another cell; rows from 1, columns from 0."""
    lines = data.decode().splitlines()
    cells = lines[row - 1].split(",")
    cells[column] = text
    lines[row - 1] = ",".join(cells)
    return ("\n".join(lines) + "\n").encode()


def list_history_cases(desk: Desk) -> list[Case]:
    """Return what is wrong with releases of histories, attacks on them, and requests."""
    good, guess = desk.release["released"], desk.guess["guess"]
    lines = good.decode().splitlines()
    columns = ("customer", "date", "item", "price", "quantity")
    cells: tuple[tuple[str, int, int, str], ...] = (
        ("an empty pseudonym", 3, 0, ""),
        ("a pseudonym of letters", 3, 0, "abc"),
        ("a pseudonym that begins with 0", 3, 0, "012"),
        ("a negative pseudonym", 3, 0, "-12"),
        ("a pseudonym of ten digits", 3, 0, "1234567890"),
        ("a pseudonym with an exponent", 3, 0, "1e3"),
        ("half a deleted row", 3, 0, "*"),
        ("a day that there is not", 4, 1, "2011/2/30"),
        ("a date with dashes", 4, 1, "2011-02-03"),
        ("a date beyond the rules", 4, 1, "2012/1/1"),
        ("an empty date", 4, 1, ""),
        ("a range of dates that is upside down", 4, 1, "[2011/3/1;2011/2/1]"),
        ("a range with one end", 4, 1, "[2011/3/1]"),
        ("a range that is not closed", 4, 1, "[2010/12/1;2011/12/31"),
        ("an item in small letters", 5, 2, "abc"),
        ("an item that nobody sold", 5, 2, "ZZZZZZZZZ"),
        ("an empty set", 5, 2, "{}"),
        ("a set of commas' friends", 5, 2, "{;;}"),
        ("a set of too many items", 5, 2, "{" + ";".join(f"A{n}" for n in range(101)) + "}"),
        ("a formula", 5, 2, "=1+1"),
        ("a price that is no number", 6, 3, "NaN"),
        ("an endless price", 6, 3, "inf"),
        ("a price with three decimals", 6, 3, "1.234"),
        ("a price of nothing", 6, 3, "0.00"),
        ("a negative price", 6, 3, "-1.00"),
        ("a price with an exponent", 6, 3, "1e2"),
        ("a price in another alphabet", 6, 3, "１２"),
        ("half a quantity", 7, 4, "1.5"),
        ("no quantity", 7, 4, ""),
        ("a quantity beyond the rules", 7, 4, "1000000"),
        ("a quantity of five thousand digits", 7, 4, "1" * 5000),
        ("a control character", 7, 4, "1\x07"),
        ("a quoted cell", 7, 4, '"1"'),
        ("a space before a number", 7, 4, " 1"),
    )
    cases = [
        Case(
            name=name,
            kind="release",
            files={"released": change_cell(good, row, place, text)},
            place=(row, columns[place]),
        )
        for name, row, place, text in cells
    ]
    whole: tuple[tuple[str, bytes, Place], ...] = (
        ("a header", b"customer,date,item,price,quantity\n" + good, FILE),
        ("one row too few", "".join(f"{line}\n" for line in lines[:-1]).encode(), FILE),
        ("one row too many", good + lines[0].encode() + b"\n", FILE),
        ("thousands of rows too many", good * 50, FILE),
        ("a blank line", good + b"\n", FILE),
        ("a row of four cells", "\n".join([*lines[:8], lines[8].rpartition(",")[0], *lines[9:]]).encode(), (9, "")),
        ("a row of six cells", "\n".join([*lines[:8], lines[8] + ",1", *lines[9:]]).encode(), (9, "")),
        ("semicolons", good.replace(b",", b";"), (1, "")),
        ("UTF-16", good.decode().encode("utf-16"), FILE),
        ("UTF-8 with a mark", b"\xef\xbb\xbf" + good, FILE),
        ("Shift_JIS", good.replace(b",", "，".encode("cp932"), 1), (1, "")),
        ("a NUL", good[:40] + b"\x00" + good[41:], (2, "")),
        ("bytes of no text", bytes(range(128, 256)) * 40, (1, "")),
        ("a line that never ends", b"1" * 100_000, (1, "")),
        ("a page of the web", b"<!doctype html><title>502 Bad Gateway</title>\n", FILE),
        ("every row deleted but one half", good.replace(lines[0].encode(), b"*,*,*,*,1", 1), (1, "customer")),
    )
    cases += [Case(name=name, kind="release", files={"released": data}, place=place) for name, data, place in whole]
    names = guess.decode().splitlines()
    attacks: tuple[tuple[str, bytes, Place], ...] = (
        ("an attack on a pseudonym that nobody has", b"999999999,1\n", (1, "pseudonym")),
        ("an attack that names nobody who is there", names[0].split(",")[0].encode() + b",nobody\n", (1, "customer")),
        ("an attack that names a pseudonym twice", f"{names[0]}\n{names[0]}\n".encode(), (2, "pseudonym")),
        ("an attack of three columns", f"{names[0]},1\n".encode(), (1, "")),
        ("an attack of one column", b"1\n", (1, "")),
        ("an attack with a header", b"pseudonym,customer\n" + guess, (1, "")),
        ("an attack of words", b"all of them\n", (1, "")),
    )
    cases += [Case(name=name, kind="attack", files={"guess": data}, place=place) for name, data, place in attacks]
    requests: tuple[tuple[str, Files, str], ...] = (
        ("no file", {}, "missing"),
        ("an empty release", {"released": b""}, "empty"),
        ("a file that is not asked for", {"released": good, "deleted": b"1\n"}, "kind"),
        ("an archive in the place of a file", {"released": zip_files({"released": good})}, "zip"),
        ("a file and an archive", {"released": good, "archive": zip_files({"released": good})}, "kind"),
        ("an archive of an empty file", {"archive": zip_files({"released": b""})}, "empty"),
        ("an archive in an archive", {"archive": zip_files({"archive": zip_files({"released": good})})}, "name"),
        ("an archive of a bad file", {"archive": zip_files({"released": good[:-40]})}, ""),
        ("a file beyond the limit", {"released": b"1\n" * 1_100_000}, "size"),
    )
    cases += [
        Case(name=name, kind="release", files=files, rules=frozenset({rule} - {""})) for name, files, rule in requests
    ]
    return cases


def list_record_cases(desk: Desk) -> list[Case]:
    """Return what is wrong with releases of records, attacks on them, and archives, which hold two files here."""
    good, gone = desk.release["released"], desk.release["deleted"]
    guess = desk.guess["guess"]
    lines = good.decode().splitlines()
    cells: tuple[tuple[str, int, int, str, str], ...] = (
        ("a gender that there is not", 2, 0, "male", "gen"),
        ("an age that is none", 2, 1, "old", "age"),
        ("an age beyond the rules", 2, 1, "900", "age"),
        ("no age", 2, 1, "", "age"),
        ("an endless age", 2, 1, "Infinity", "age"),
        ("an age of seven decimals", 2, 1, "40.1234567", "age"),
        ("a race with a space", 3, 2, "White ", "race"),
        ("half a depression", 4, 6, "0.5", "dep"),
        ("a depression beyond the rules", 4, 6, "2", "dep"),
        ("a range where none may be", 5, 1, "[20;30]", "age"),
        ("a star where none may be", 5, 1, "*", "age"),
    )
    cases = [
        Case(
            name=name,
            kind="release",
            files={"released": change_cell(good, row, place, text), "deleted": gone},
            place=(row, column),
        )
        for name, row, place, text, column in cells
    ]
    pairs: tuple[tuple[str, bytes, bytes, Place], ...] = (
        ("a row too few", "".join(f"{line}\n" for line in lines[1:]).encode(), gone, FILE),
        ("a row too many", good + lines[0].encode() + b"\n", gone, FILE),
        ("nothing deleted that is not there", good, b"", FILE),
        ("a row deleted twice", good, gone.replace(b"1\n", b"0\n", 1), (2, "X")),
        ("a row deleted that is not there", good, gone.replace(b"0\n", b"60\n", 1), (1, "X")),
        ("a negative row deleted", good, gone.replace(b"0\n", b"-1\n", 1), (1, "X")),
        ("half a row deleted", good, gone.replace(b"0\n", b"0.5\n", 1), (1, "X")),
        ("a row deleted by its name", good, gone.replace(b"0\n", b"first\n", 1), (1, "X")),
        ("two rows deleted in a line", good, gone.replace(b"0\n1\n", b"0,1\n", 1), (1, "")),
        ("D and X in each other's place", gone, good, (1, "")),
    )
    cases += [
        Case(name=name, kind="release", files={"released": released, "deleted": deleted}, place=place)
        for name, released, deleted, place in pairs
    ]
    attacks: tuple[tuple[str, bytes, Place], ...] = (
        ("an attack that mixes", b"-1,0,-1\n" + guess.split(b"\n", 1)[1], (1, "")),
        ("an attack on a row that is not there", b"48,48,48\n" + guess.split(b"\n", 1)[1], (1, "answer 1")),
        ("an attack of too few lines", guess.split(b"\n", 1)[1], FILE),
        ("an attack of too many lines", guess + b"-1,-1,-1\n", FILE),
        ("an attack of two columns", b"1,1\n" + guess.split(b"\n", 1)[1], (1, "")),
        ("an attack below -1", b"-2,0,0\n" + guess.split(b"\n", 1)[1], (1, "answer 1")),
        ("an attack of halves", b"0,0.5,0\n" + guess.split(b"\n", 1)[1], (1, "answer 2")),
        ("an empty attack on records", b"", FILE),
    )
    cases += [Case(name=name, kind="attack", files={"guess": data}, place=place) for name, data, place in attacks]
    missing: tuple[tuple[str, Files], ...] = (
        ("D without X", {"released": good}),
        ("X without D", {"deleted": gone}),
        ("an archive without X", {"archive": zip_files({"released": good})}),
    )
    cases += [Case(name=name, kind="release", files=files, rules=frozenset({"missing"})) for name, files in missing]
    return cases + [
        Case(name=f"archive: {name}", kind="release", files={"archive": make()}, rules=frozenset({rule}))
        for name, (make, rule) in BAD.items()
        if name != "empty"  # a form without a file is another case
    ]
