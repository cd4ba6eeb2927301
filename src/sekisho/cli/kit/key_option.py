"""The option of the private key that signs, and where its passphrase is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from sekisho.gate.certificate.signing import PrivateKey

UNLOCKED_BY = "SEKISHO_KEY_PASSPHRASE"
Key = Annotated[
    Path | None,
    typer.Option(
        "--key",
        help=f"Sign the certificate with this private key; its passphrase, if it has one, is in ${UNLOCKED_BY}.",
    ),
]


def read_private_key(key: Path | None) -> PrivateKey | None:
    """Return the key that signs; None if none is given.

    Raises:
        InputError: it cannot be read, or the passphrase does not open it.
    """
    return None if key is None else PrivateKey.read(key, passphrase=os.environ.get(UNLOCKED_BY, ""))
