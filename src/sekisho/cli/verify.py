"""``sekisho key`` and ``sekisho verify``: make a key, and check a certificate of the gate."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, give_answer
from sekisho.cli.kit.key_option import UNLOCKED_BY
from sekisho.data.files.whole_files import check_paths
from sekisho.gate.certificate.canonical import list_entries
from sekisho.gate.certificate.checking import Verification, verify_certificate
from sekisho.gate.certificate.recount import CheckStanding
from sekisho.gate.certificate.signing import PrivateKey, PublicKey, SignatureStanding, name_public_key
from sekisho.words import Said, join_words

WORDS = {
    CheckStanding.CONFIRMED: Said("ok    "),
    CheckStanding.REFUTED: Said("WRONG "),
    CheckStanding.NOT_CHECKED: Said("--    "),
}
SIGNED = {
    SignatureStanding.VALID: Said("signed by the key that was given"),
    SignatureStanding.UNSIGNED: Said("unsigned: nobody vouches for it"),
    SignatureStanding.UNKNOWN_KEY: Said("signed by an unknown key: give --key to say whose signature you expect"),
    SignatureStanding.INVALID: Said("the signature is invalid: it was changed, or somebody else signed it"),
}


def key(
    out: Annotated[Path, typer.Option("--out", help="The file of the private key; it is never written over.")],
    as_json: AsJson = False,
) -> None:
    """Make a key that signs certificates: the private one for you alone, the public one for everybody.

    With SEKISHO_KEY_PASSPHRASE set, the private key is locked with that passphrase.

    Example: `sekisho key --out key.pem`
    """
    check_paths(writes={"--out": out, "the public key": name_public_key(out)})
    private = PrivateKey.make()
    locked = os.environ.get(UNLOCKED_BY, "")
    public = private.write(out, passphrase=locked)
    keys = {"private": str(out), "public": str(public), "locked": bool(locked)}
    give_answer(
        keys, Said("keep {out} to yourself; give {public} to those who verify", out=out, public=public), as_json=as_json
    )


def verify(
    source: Annotated[Path, typer.Argument(metavar="CERTIFICATE.json", help="The certificate, in its folder.")],
    key: Annotated[Path | None, typer.Option("--key", help="The public key of whoever must have signed it.")] = None,
    original: Annotated[
        Path | None, typer.Option("--original", help="A file: was the release made from it? Needs the opening.")
    ] = None,
    opening: Annotated[
        Path | None,
        typer.Option("--opening", help="The confidential opening.json; found where the gate puts it if not given."),
    ] = None,
    approver: Annotated[
        Path | None,
        typer.Option(
            "--approver", help="The public key of whoever must have approved it where a person had to decide."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a certificate: its signature, its files, and its figures, which are counted again.

    Exit status 1 if anything is wrong, 3 if nothing is but it is unsigned or not all could be checked.

    Example: `sekisho verify gate/public/certificate.json --key key.pub.pem`
    """
    public = None if key is None else PublicKey.read(key)
    asked = None if approver is None else PublicKey.read(approver)
    found = verify_certificate(source, key=public, original=original, opening=opening, approver=asked)
    give_answer(_list_keys(found, source), _tell(found), as_json=as_json, good=found.valid, review=not found.complete)


def _list_keys(found: Verification, source: Path) -> dict[str, object]:
    return {
        "valid": found.valid,
        "complete": found.complete,
        "signature": found.signature,
        "verdict": found.certificate.verdict,
        "made": found.certificate.made,
        "approved": found.certificate.is_approved,
        "reviews": list_entries(found.certificate.reviews),
        "errors": [
            {"row": 0, "column": each.subject, "rule": "certificate", "value": str(source), "message": each.finding}
            for each in found.refuted
        ],
        "checks": [each.as_dict() for each in found.checks],
    }


def _tell(found: Verification) -> str:
    lines = [
        Said(
            "{standing}{subject}: {finding}", standing=WORDS[each.standing], subject=each.subject, finding=each.finding
        )
        for each in found.checks
    ]
    word = Said("valid") if found.valid else Said("invalid")
    if found.valid and not found.complete:
        word = Said("valid as far as it could be checked")
    verdict = Said("the verdict is {verdict}", verdict=found.certificate.verdict.words)
    approved = [Said("approved by two persons")] if found.certificate.is_approved else []
    return join_words([*lines, SIGNED[found.signature], join_words([word, verdict, *approved], "; ")], "\n")
