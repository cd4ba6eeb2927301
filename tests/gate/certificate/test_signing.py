"""A key signs, its public half checks, and neither is ever written over."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from sekisho.errors import InputError, ParameterError
from sekisho.gate.certificate.signing import (
    PrivateKey,
    PublicKey,
    Signature,
    SignatureStanding,
    check_signature,
    name_public_key,
)


def test_a_key_is_for_its_owner_alone_and_is_read_again(tmp_path: Path) -> None:
    key = PrivateKey.make()
    public = key.write(tmp_path / "key.pem")
    assert (tmp_path / "key.pem").stat().st_mode & 0o777 == 0o600
    assert public == tmp_path / "key.pub.pem" == name_public_key(tmp_path / "key.pem")
    assert name_public_key(Path("mine")) == Path("mine.pub.pem")
    assert PrivateKey.read(tmp_path / "key.pem").public == PublicKey.read(public) == key.public
    with pytest.raises(InputError, match="exists already, and a key is never written over"):
        PrivateKey.make().write(tmp_path / "key.pem")
    public.unlink()
    with pytest.raises(InputError, match=r"key\.pem: exists already"):
        PrivateKey.make().write(tmp_path / "key.pem")
    with pytest.raises(InputError, match="cannot be written"):
        key.write(tmp_path / "none" / "key.pem")


RIGHT, WRONG = "関所", "gate"


def test_a_locked_key_needs_its_passphrase(tmp_path: Path) -> None:
    PrivateKey.make().write(tmp_path / "key.pem", passphrase=RIGHT)
    assert PrivateKey.read(tmp_path / "key.pem", passphrase=RIGHT)
    with pytest.raises(InputError, match="is locked"):
        PrivateKey.read(tmp_path / "key.pem")
    with pytest.raises(InputError, match="cannot be opened with this passphrase"):
        PrivateKey.read(tmp_path / "key.pem", passphrase=WRONG)
    PrivateKey.make().write(tmp_path / "open.pem")
    with pytest.raises(InputError, match="needs no passphrase"):
        PrivateKey.read(tmp_path / "open.pem", passphrase=WRONG)


def test_what_is_no_key_of_ours_is_refused(tmp_path: Path) -> None:
    path, other = tmp_path / "key.pem", X25519PrivateKey.generate()
    path.write_text("no key")
    with pytest.raises(InputError, match="holds no private key"):
        PrivateKey.read(path)
    with pytest.raises(InputError, match="holds no public key in PEM form"):
        PublicKey.read(path)
    path.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(InputError, match="not Ed25519"):
        PrivateKey.read(path)
    with pytest.raises(InputError, match="it holds a private key: give the public one"):
        PublicKey.read(path)
    path.write_bytes(other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    with pytest.raises(InputError, match="not Ed25519"):
        PublicKey.read(path)


def test_a_signature_stands_in_one_of_four_ways() -> None:
    key, other = PrivateKey.make(), PrivateKey.make()
    signature = key.sign(b"text")
    assert signature == key.sign(b"text")
    assert check_signature(None, b"text", key.public) is SignatureStanding.UNSIGNED
    assert check_signature(signature, b"text", key.public) is SignatureStanding.VALID
    assert check_signature(signature, b"text", None) is SignatureStanding.UNKNOWN_KEY
    assert check_signature(signature, b"texts", key.public) is SignatureStanding.INVALID
    assert check_signature(signature, b"texts", None) is SignatureStanding.INVALID
    # a good signature, but somebody else's
    assert check_signature(other.sign(b"text"), b"text", key.public) is SignatureStanding.INVALID


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"algorithm": "RSA"}, "algorithm must be Ed25519"), ({"key": "AAAA"}, "32 bytes"), ({"value": "?"}, "64 bytes")],
)
def test_a_malformed_signature_is_refused(changed: dict[str, str], said: str) -> None:
    good = PrivateKey.make().sign(b"")
    whole = {"algorithm": good.algorithm, "key": good.key, "value": good.value}
    with pytest.raises(ParameterError, match=said):
        Signature(**(whole | changed))
