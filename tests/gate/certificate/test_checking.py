"""A certificate is believed in nothing that can be checked: whatever is changed after signing is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import write_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.errors import InputError, SettingsError
from sekisho.gate.certificate.canonical import list_entries, read_json, write_canonical
from sekisho.gate.certificate.checking import Verification, verify_certificate
from sekisho.gate.certificate.document import Certificate, Opening
from sekisho.gate.certificate.recount import CheckStanding
from sekisho.gate.certificate.signing import PrivateKey, PublicKey, SignatureStanding
from sekisho.gate.outcome import Verdict
from sekisho.journey.run import pass_gate
from sekisho.seeds import Seed

RECIPE = """rules = "pwscup2018"
original = "T.csv"
seed = 987654321
[[methods]]
name = "similar-length"
k = 7
[[methods]]
name = "pseudonymise"
[[adversaries]]
name = "chance"
[[adversaries]]
name = "unique-rows"
"""
TABLE = "a,b,n\nx,p,2\nx,q,28\nx,r,30\ny,p,20\ny,q,16\ny,r,14\nz,p,15\nz,q,13\nz,r,12\n"
Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("signed")
    data = SyntheticHistory(customers=21, items=60, median_rows=4).draw(rng=Seed(3).rng())
    (folder / "T.csv").write_bytes(write_original(data, read_history_rules("pwscup2018")))
    (folder / "recipe.toml").write_text(RECIPE)
    PrivateKey.make().write(folder / "key.pem")
    pass_gate(folder / "recipe.toml", out=folder / "gate", key=folder / "key.pem")
    return folder


@pytest.fixture
def folder(signed: Path, tmp_path: Path) -> Path:
    for path in signed.rglob("*"):
        if path.is_file():
            place = tmp_path / path.relative_to(signed)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())
    return tmp_path


def verify(folder: Path, *, original: Path | None = None) -> Verification:
    return verify_by(PrivateKey.read(folder / "key.pem").public, folder, original=original)


def verify_by(key: PublicKey | None, folder: Path, *, original: Path | None = None) -> Verification:
    return verify_certificate(folder / "gate" / "public" / "certificate.json", key=key, original=original)


def list_refuted(found: Verification) -> list[str]:
    return list(dict.fromkeys(each.subject for each in found.refuted))


def test_a_fresh_certificate_is_valid_signed_and_complete(folder: Path) -> None:
    found = verify(folder, original=folder / "T.csv")
    assert (found.valid, found.complete, found.signature) == (True, True, SignatureStanding.VALID)
    certificate = found.certificate
    assert (certificate.verdict, certificate.chosen) == (Verdict.RELEASE, "similar-length k=7")
    assert set(certificate.files) == {"release.csv", "report.html"}


def test_without_a_key_it_is_signed_by_somebody_unknown(folder: Path) -> None:
    found = verify_by(None, folder)
    assert (found.valid, found.complete, found.signature) == (True, False, SignatureStanding.UNKNOWN_KEY)
    found = verify_by(PrivateKey.make().public, folder)
    assert (found.valid, found.signature) == (False, SignatureStanding.INVALID)


def test_one_cell_of_the_release_is_found_and_its_file_named(folder: Path) -> None:
    place = folder / "gate" / "public" / "release.csv"
    lines = place.read_text().splitlines()
    changed = next(row for row, line in enumerate(lines) if row >= 3 and not line.endswith("*"))
    lines[changed] = ",".join([*lines[changed].split(",")[:-1], "*"])
    place.write_text("\n".join(lines) + "\n")
    found = verify(folder)
    assert not found.valid
    assert list_refuted(found)[0] == "release.csv"
    assert "release.csv differs from what was certified" in found.refuted[0].finding
    assert "report.html" not in list_refuted(found)
    # whoever signs the changed file anew still lies about the people who share their rows
    assert "people who share their rows" in list_refuted(found)


def test_one_letter_of_a_page_is_found_though_its_length_stays(folder: Path) -> None:
    place = folder / "gate" / "public" / "report.html"
    page = place.read_bytes()
    place.write_bytes(page.replace(b"<html", b"<hTml", 1))
    assert len(place.read_bytes()) == len(page)
    (only,) = verify(folder).refuted
    assert only.finding.startswith("report.html differs from what was certified")


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "gate" / "public" / "report.html").unlink()
    (only,) = verify(folder).refuted
    assert only.finding == "report.html is missing"


def test_a_changed_confidential_file_and_another_original_are_named(folder: Path) -> None:
    with (folder / "gate" / "confidential" / "truth.csv").open("a") as stream:
        stream.write("9,9\n")
    assert list_refuted(verify(folder)) == ["truth.csv"]
    (folder / "U.csv").write_text("1,2010/12/1,A,1,1\n")
    assert list_refuted(verify(folder, original=folder / "U.csv")) == ["truth.csv", "original"]


def test_another_opening_is_not_the_sealed_one(folder: Path) -> None:
    place = folder / "gate" / "confidential" / "opening.json"
    place.write_bytes(replace(Opening.read(place), seed=1).write())
    assert list_refuted(verify(folder)) == ["opening"]
    place.unlink()
    assert verify(folder).complete
    found = verify(folder, original=folder / "T.csv")
    assert (found.valid, found.complete) == (True, False)
    assert found.checks[-1].standing is CheckStanding.NOT_CHECKED


def rewrite(folder: Path, change: Change, *, sign: bool) -> Verification:
    """Change a certificate, as one who has no key or one who has it would, and check it."""
    place = folder / "gate" / "public" / "certificate.json"
    entries: dict[str, Any] = json.loads(place.read_text())
    change(entries)
    place.write_text(json.dumps(entries))
    if sign:
        place.write_bytes(Certificate.read(place).sign(PrivateKey.read(folder / "key.pem")).write())
    return verify(folder)


def refute_attack(entries: dict[str, Any]) -> None:
    attack = next(one for one in entries["claims"]["rejections"] if one["decides"] and one["claimed"] > 6)
    attack |= {"hits": attack["claimed"], "effective": True}


DISAGREEING: list[tuple[Change, list[str]]] = [
    (lambda entries: entries.update(verdict="review"), ["verdict", "choice"]),
    (lambda entries: entries.update(chosen="pseudonymise"), ["choice"]),
    (
        lambda entries: entries["reasons"].append({"rule": "x", "verdict": "review"}),
        ["verdict", "policy", "reasons in full"],
    ),
    (lambda entries: entries["candidates"].append({"method": "x", "verdict": "release"}), []),
    (lambda entries: entries.pop("release"), ["release", "claims"]),
    (
        lambda entries: entries["claims"]["twins"][0].update(classes={"21": 1}),
        ["people who share their rows", "statements"],
    ),
    (refute_attack, ["reasons", "rules of the recipe", "statements"]),
]


@pytest.mark.parametrize(("change", "refuted"), DISAGREEING)
def test_figures_that_do_not_agree_are_refuted_whoever_signed_them(
    folder: Path, change: Change, refuted: list[str]
) -> None:
    assert rewrite(folder, change, sign=False).signature is SignatureStanding.INVALID
    found = verify(folder)
    assert not found.valid
    place = folder / "gate" / "public" / "certificate.json"
    place.write_bytes(Certificate.read(place).sign(PrivateKey.read(folder / "key.pem")).write())
    found = verify(folder)
    assert found.signature is SignatureStanding.VALID
    assert list_refuted(found) == refuted


def test_a_signature_that_was_cut_off_is_missed_by_those_who_ask_for_it(folder: Path) -> None:
    found = rewrite(folder, lambda entries: entries.pop("signature"), sign=False)
    assert (found.valid, found.signature) == (False, SignatureStanding.UNSIGNED)
    found = verify_by(None, folder)
    assert (found.valid, found.complete, found.signature) == (True, False, SignatureStanding.UNSIGNED)


MALFORMED: list[tuple[Change, str]] = [
    (lambda entries: entries.update(colour="red"), "colour must not be given"),
    (lambda entries: entries.update(format="sekisho gate certificate 3"), "its format is not"),
    (lambda entries: entries.update(sealed="0"), "sealed must be 64 hexadecimal digits"),
    (
        lambda entries: entries["files"].update({"../T.csv": entries["files"]["report.html"]}),
        "plain names of files",
    ),
    (lambda entries: entries.update(release="none.csv"), "release must be one of the files"),
    (lambda entries: entries["claims"]["twins"][0].update(p="1/0"), "claims.twins.1.p must"),
]


@pytest.mark.parametrize(("change", "said"), MALFORMED)
def test_what_is_no_certificate_is_refused(folder: Path, change: Change, said: str) -> None:
    with pytest.raises((InputError, SettingsError), match=said):
        rewrite(folder, change, sign=False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "is not a JSON object"),
        ("{", "is not JSON"),
        ('{"a": 1, "a": 2}', "a key is given twice"),
        ('{"a": NaN}', "NaN is no number"),
        ("[" * 100_000, "is not JSON"),
        ('{"a": ' + "9" * 5000 + "}", "is not JSON"),
        ('"' + "a" * (1 << 22) + '"', "the limit is"),
    ],
)
def test_hostile_json_is_refused_in_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(InputError, match=said):
        read_json(tmp_path / "c.json")


def test_the_public_certificate_keeps_the_secrets(folder: Path) -> None:
    text = (folder / "gate" / "public" / "certificate.json").read_text()
    opening = Opening.read(folder / "gate" / "confidential" / "opening.json")
    assert opening.seed == 987654321
    assert "987654321" not in text
    assert all(entry.sha256 not in text for entry in opening.inputs.values())
    assert opening.command == "sekisho gate recipe.toml --seed 987654321"


def test_the_form_on_disk_does_not_matter_to_the_signature(folder: Path) -> None:
    certificate = verify(folder).certificate
    place = folder / "gate" / "public" / "certificate.json"
    place.write_bytes(write_canonical(list_entries(certificate)))
    assert verify(folder).complete


def test_the_proof_of_a_table_is_checked_against_what_is_published(tmp_path: Path) -> None:
    (tmp_path / "cells.csv").write_text(TABLE)
    recipe = 'shape = "table"\noriginal = "cells.csv"\ndims = ["a", "b"]\ncount = "n"\n'
    (tmp_path / "recipe.toml").write_text(recipe)
    PrivateKey.make().write(tmp_path / "key.pem")
    pass_gate(tmp_path / "recipe.toml", out=tmp_path / "gate", key=tmp_path / "key.pem")
    assert verify(tmp_path).complete
    text = (tmp_path / "gate" / "public" / "certificate.json").read_text()
    assert all(word not in text for word in ("min_count", "width", "utility", "primary"))
    release = tmp_path / "gate" / "public" / "release.csv"
    shown = release.read_text()
    release.write_text(shown.replace("y,r,14", "y,r,15"))
    assert list_refuted(verify(tmp_path)) == ["release.csv", "proof of the table"]
    release.write_text(shown)
    (tmp_path / "gate" / "confidential" / "opening.json").unlink()
    found = verify(tmp_path)
    assert (found.valid, found.complete) == (True, False)
