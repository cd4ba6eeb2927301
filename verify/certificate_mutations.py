"""Certificates of every shape with every leaf changed, removed or made another kind of thing, signed by two keys.

Signed by the right key: valid only where nothing binds the leaf to the files, the recipe or the words (the list is
``FREE``). Signed by an attacker's key: never valid. Each within some seconds, and no error is a fault of ours.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from tests.gate.certificate.mutations import (
    FREE,
    list_mutations,
    list_places,
    name_place,
    says_the_same,
    write_mutation,
)
from tests.gate.certificate.test_mutations import MOST_SECONDS, SHAPES, copy_public, run_signed

from sekisho.errors import SekishoError
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.certificate.signing import PrivateKey


def check_one(path: Path, entries: dict[str, Any], key: PrivateKey) -> str:
    """Return what becomes of a certificate, within its time."""
    start = monotonic()
    try:
        verification = verify_certificate(path, key=key.public)
        word = "valid" if verification.valid else "refuted"
        if verification.valid and says_the_same(path, entries, verification.certificate):
            word = "the same"
    except SekishoError:
        word = "refused"
    assert monotonic() - start < MOST_SECONDS
    return word


def try_shape(path: Path, key: PrivateKey) -> Counter[str]:
    """Make every change of one certificate."""
    entries: dict[str, Any] = json.loads(path.read_text())
    stranger, counts = PrivateKey.make(), Counter[str]()
    for place in list_places(entries):
        for value in list_mutations(entries, place):
            for signer in (key, stranger):
                write_mutation(path, entries, place, value, signer)
                word = check_one(path, entries, key)
                counts[f"{'right' if signer is key else 'other'} key, {word}"] += 1
                free = signer is key and FREE.fullmatch(name_place(place))
                assert word != "valid" or free, (place, value)
    return counts


def main() -> None:
    """Run the campaign."""
    for label, write in SHAPES.items():
        with TemporaryDirectory() as name:
            folder = run_signed(Path(name), write)
            path = copy_public(folder, folder / "copy")
            counts = try_shape(path, PrivateKey.read(folder / "key.pem"))
        print(label, dict(sorted(counts.items())))


if __name__ == "__main__":
    main()
