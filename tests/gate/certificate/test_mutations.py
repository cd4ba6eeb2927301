"""Whatever stands in a certificate, and whoever signed it: what does not match is refused or refuted, soon, never ours."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from time import monotonic
from typing import Any

import pytest
from tests.gate.certificate.mutations import (
    FREE,
    list_mutations,
    list_places,
    name_place,
    says_the_same,
    write_mutation,
    write_signed,
)
from tests.gate.runs import write_history, write_keyed, write_table, write_tested, write_trips

from sekisho.cli import status_of
from sekisho.errors import InputError, SekishoError
from sekisho.gate.certificate.canonical import read_json
from sekisho.gate.certificate.checking import Verification, verify_certificate
from sekisho.gate.certificate.signing import PrivateKey, PublicKey, SignatureStanding
from sekisho.journey.run import pass_gate
from sekisho.seeds import Seed

MOST_SECONDS = 20.0
TRIED = 3
Change = Callable[[dict[str, Any]], object]


def write_asking(folder: Path) -> Path:
    """Write records and a recipe that asks for k, l and t."""
    recipe = write_keyed(folder)
    recipe.write_text(recipe.read_text().replace("k = 4\n", "k = 4\nl = 1.5\nt = 0.9\n", 1))
    return recipe


SHAPES: dict[str, Callable[[Path], Path]] = {
    "history": write_history,
    "keyed": write_asking,
    "table": write_table,
    "tested": write_tested,
    "trips": write_trips,
}


@pytest.fixture(scope="module", params=SHAPES)
def signed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_signed(tmp_path_factory.mktemp("signed"), SHAPES[request.param])


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_signed(tmp_path_factory.mktemp("asking"), write_asking)


def run_signed(folder: Path, write: Callable[[Path], Path]) -> Path:
    PrivateKey.make().write(folder / "key.pem")
    pass_gate(write(folder), out=folder / "gate", key=folder / "key.pem")
    return folder


def copy_public(signed: Path, place: Path) -> Path:
    """Copy what the public gets; return the certificate."""
    copytree(signed / "gate" / "public", place / "public")
    return place / "public" / "certificate.json"


def test_a_signed_certificate_of_every_shape_is_complete(signed: Path) -> None:
    path = signed / "gate" / "public" / "certificate.json"
    verification = verify_certificate(path, key=PublicKey.read(signed / "key.pub.pem"))
    assert verification.complete, [check.finding for check in verification.refuted]


def test_a_leaf_changed_removed_or_made_something_else_is_never_valid_where_it_is_bound(
    signed: Path, tmp_path: Path
) -> None:
    """Three of some thirty changes at each place; ``verify/certificate_mutations.py`` makes all of them."""
    path, key, stranger = copy_public(signed, tmp_path), PrivateKey.read(signed / "key.pem"), PrivateKey.make()
    entries: dict[str, Any] = json.loads(path.read_text())
    rng = Seed(17).rng()
    for place in list_places(entries):
        changes = list(list_mutations(entries, place))
        for number in rng.choice(len(changes), size=TRIED, replace=False):
            for signer in (key, stranger):
                write_mutation(path, entries, place, changes[number], signer)
                start = monotonic()
                try:
                    verification = verify_certificate(path, key=key.public)
                    valid = verification.valid and not says_the_same(path, entries, verification.certificate)
                except SekishoError:
                    valid = False
                assert monotonic() - start < MOST_SECONDS, (place, changes[number])
                bound = signer is stranger or not FREE.fullmatch(name_place(place))
                assert not (valid and bound), (place, changes[number])


def verify_changed(signed: Path, tmp_path: Path, change: Change) -> Verification:
    """Change a certificate as one who has the key would, and check what the public gets."""
    path, key = copy_public(signed, tmp_path), PrivateKey.read(signed / "key.pem")
    entries = json.loads(path.read_text())
    change(entries)
    write_signed(path, entries, key)
    return verify_certificate(path, key=key.public)


def claim_of(entries: dict[str, Any]) -> dict[str, Any]:
    return entries["claims"]["classes"][0]


DISAGREEING: dict[str, tuple[Change, str]] = {
    "a policy that the gate refuses": (
        lambda entries: entries["recipe"].update(policy={"guarantee broken": "release"}),
        "policy",
    ),
    "a policy that is none": (lambda entries: entries["recipe"].update(policy={"no attack": 3}), "policy"),
    "no required k": (lambda entries: claim_of(entries).pop("required_k"), "guarantees of the recipe"),
    "a smaller required k": (lambda entries: claim_of(entries).update(required_k=2), "guarantees of the recipe"),
    "a recipe that asks for more": (
        lambda entries: entries["recipe"]["guarantees"].update(k=40),
        "guarantees of the recipe",
    ),
    "no required l": (lambda entries: claim_of(entries).pop("required_values"), "guarantees of the recipe"),
    "no required t": (lambda entries: claim_of(entries).pop("required_distance"), "guarantees of the recipe"),
    "no keys": (lambda entries: claim_of(entries).update(keys=[]), "classes of equal keys"),
    "fewer keys": (lambda entries: claim_of(entries).update(keys=[1], k=20), "guarantees of the recipe"),
    "no claim": (lambda entries: entries["claims"].update(classes=[]), "completeness"),
    "a claim about another file": (
        lambda entries: claim_of(entries)["published"].update(file="report.html"),
        "claims",
    ),
    "another sentence": (
        lambda entries: entries["statements"][0].update(detail="the smallest class has 400 rows"),
        "statements",
    ),
    "a statement without support": (
        lambda entries: entries["statements"].append({"standing": "proven", "subject": "differential privacy"}),
        "statements",
    ),
    "attacks that prove": (lambda entries: entries["statements"][-1].update(standing="proven"), "statements"),
    "no statement": (lambda entries: entries.update(statements=[]), "statements"),
}


@pytest.mark.parametrize(("change", "subject"), DISAGREEING.values(), ids=DISAGREEING)
def test_what_does_not_agree_is_refuted_though_the_right_key_signed_it(
    asking: Path, tmp_path: Path, change: Change, subject: str
) -> None:
    verification = verify_changed(asking, tmp_path, change)
    assert verification.signature is SignatureStanding.VALID
    assert subject in [check.subject for check in verification.refuted]


def test_a_recipe_that_is_not_the_sealed_one_is_refuted_where_the_opening_is(asking: Path, tmp_path: Path) -> None:
    copytree(asking, tmp_path / "all")
    path, key = tmp_path / "all" / "gate" / "public" / "certificate.json", PrivateKey.read(asking / "key.pem")
    entries = json.loads(path.read_text())
    entries["recipe"]["methods"][0]["k"] = 40
    write_signed(path, entries, key)
    assert [check.subject for check in verify_certificate(path, key=key.public).refuted] == ["recipe"]


@pytest.mark.parametrize("file", ["/dev/zero", "../people.csv", "a/b", "..", ""])
def test_a_claim_speaks_of_a_plain_name_in_the_folder(asking: Path, tmp_path: Path, file: str) -> None:
    with pytest.raises(SekishoError, match="plain names of files"):
        verify_changed(asking, tmp_path, lambda entries: claim_of(entries)["published"].update(file=file))


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "missing"])
def test_what_stands_in_the_releases_place_is_a_regular_file(asking: Path, tmp_path: Path, kind: str) -> None:
    path = copy_public(asking, tmp_path)
    release = path.with_name("release.csv")
    release.rename(tmp_path / "elsewhere.csv")
    makers: dict[str, Callable[[], object]] = {
        "link": lambda: release.symlink_to(tmp_path / "elsewhere.csv"),
        "pipe": lambda: os.mkfifo(release),
        "folder": release.mkdir,
        "missing": lambda: None,
    }
    makers[kind]()
    start = monotonic()
    refuted = {check.subject for check in verify_certificate(path).refuted}
    assert {"release.csv", "classes of equal keys"} <= refuted
    assert monotonic() - start < MOST_SECONDS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1e999}', "no number that a computer can hold"),
        ('{"a": -1e999}', "no number that a computer can hold"),
        ('{"a": Infinity}', "Infinity is no number"),
        ('{"a": {"b": 1, "b": 1}}', "a key is given twice"),
        ('{"a": "\\ud800"}', "is not JSON"),
        ('{"\\udc00": 1}', "is not JSON"),
        ('{"a": ' + "[" * 40 + "]" * 40 + "}", "more than 32 deep"),
    ],
)
def test_numbers_keys_and_texts_that_no_program_writes_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(InputError, match=said):
        read_json(tmp_path / "c.json")


def test_a_tampered_key_is_no_fault_of_ours(asking: Path, tmp_path: Path) -> None:
    """Each byte of the public key's file, one after the other: another key refutes (1), none is unreadable (2)."""
    path, whole = str(asking / "gate" / "public" / "certificate.json"), (asking / "key.pub.pem").read_bytes()
    place = tmp_path / "key.pem"
    rng = Seed(17).rng()
    for number in range(0, len(whole), 5):
        place.write_bytes(whole[:number] + bytes([int(rng.integers(256))]) + whole[number + 1 :])
        assert status_of(["verify", path, "--key", str(place), "--json"]) in {0, 1, 2}
    for content in (b"", b"\xff" * 100, whole[:-30], (asking / "key.pem").read_bytes()):
        place.write_bytes(content)
        assert status_of(["verify", path, "--key", str(place), "--json"]) == 2
    assert status_of(["verify", path, "--key", "/dev/zero", "--json"]) == 2
    assert status_of(["verify", "/dev/zero", "--json"]) == 2
