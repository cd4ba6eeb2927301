"""Every leaf of a certificate changed, removed, or made another kind of thing; signed by whoever holds a key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

from sekisho.errors import SekishoError
from sekisho.gate.certificate.canonical import list_entries
from sekisho.gate.certificate.document import Certificate
from sekisho.gate.certificate.signing import PrivateKey

Place = tuple[str | int, ...]
REMOVE: Any = object()
STRANGE: tuple[Any, ...] = (
    REMOVE,
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    7,
    10**30,
    0.5,
    -0.25,
    1e300,
    "",
    "x",
    "1/2",
    "release",
    "review",
    "refuse",
    "proven",
    "holds",
    "/dev/zero",
    "../people.csv",
    "report.html",
    "\0",
    [],
    [0],
    ["x"],
    {},
    {"x": 1},
)
FREE = re.compile(
    r"title(\..*)?|made|versions(\..*)?"  # nothing to compare them with
    r"|candidates\.\d+\.utility|candidates\.[1-9].*"  # those that were not chosen
    r"|recipe|recipe\.(?!keys|sensitive|guarantees\.[klt]$|target|bound).*"  # what no claim speaks of: only the opening
    r"|claims\.rejections\.\d+\.normative"  # of rules that are not at hand
    r"|claims\.conditions\.[023].*"  # those without a limit
    r"|claims\..*\.published\.encoding"  # of a file in ASCII
    r"|files\.report\.html"  # fewer files are certified
    r"|statements\.3(\.detail)?"  # what attacks on cells came to is the gate's word
    r"|account\.unit(\.(who|origin|people|rows))?"  # whose rows they are is the gate's word
    r"|account\.rows\.\d+\.reason"  # a person's own words
)
"""Where something else may stand in the runs that are tried, and the certificate stays valid without the opening."""


def list_places(value: object, place: Place = ()) -> Iterator[Place]:
    """Give the places of all that a certificate holds, inner ones too."""
    if place:
        yield place
    if isinstance(value, dict):
        for key, item in value.items():
            yield from list_places(item, (*place, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from list_places(item, (*place, number))


def change(entries: dict[str, Any], place: Place, value: object) -> dict[str, Any]:
    """Return a certificate with something else at a place."""
    copy: Any = deepcopy(entries)
    holder = copy
    for step in place[:-1]:
        holder = holder[step]
    if value is REMOVE:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    return copy


def write_signed(path: Path, entries: dict[str, Any], key: PrivateKey) -> None:
    """Write a certificate with a good signature, whatever it says; what is none is written as it is."""
    rest = {name: item for name, item in entries.items() if name != "signature"}
    path.write_text(json.dumps(rest))
    with suppress(SekishoError):
        signature = Certificate.read(path).sign(key).signature
        path.write_text(json.dumps({**rest, "signature": list_entries(signature)}))


def name_place(place: Place) -> str:
    """Return a place in words."""
    return ".".join(map(str, place))


def says_the_same(path: Path, entries: dict[str, Any], certificate: Certificate) -> bool:
    """Tell whether a changed certificate still says what it did: what was left out is the usual."""
    path.with_name("before.json").write_text(json.dumps(entries))
    before = Certificate.read(path.with_name("before.json"))
    path.with_name("before.json").unlink()
    return replace(before, signature=None) == replace(certificate, signature=None)


def list_mutations(entries: dict[str, Any], place: Place) -> Iterator[object]:
    """Give the things that are put at a place instead of what stands there."""
    held: Any = entries
    for step in place:
        held = held[step]
    yield from (value for value in STRANGE if type(value) is not type(held) or value != held)


def write_mutation(path: Path, entries: dict[str, Any], place: Place, value: object, key: PrivateKey) -> None:
    """Write a certificate with something else at a place, signed anew unless the signature itself is changed."""
    changed = change(entries, place, value)
    if place[0] == "signature":
        path.write_text(json.dumps(changed))
    else:
        write_signed(path, changed, key)
