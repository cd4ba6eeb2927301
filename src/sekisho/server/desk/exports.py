"""A version to take away: its recipe, a shell script, a notebook, or the whole case for a second person, sealed.

The recipe that is taken away is the one that ran, byte by byte: it calls its data by a plain name, which at the desk is
a link. So the release and its pages are the same bytes by command, from Python and at the desk. Not so the certificate,
whose salt is drawn for each run; only the sealed case has it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from shlex import quote
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from sekisho.data.files.whole_files import read_regular_file
from sekisho.errors import InputError, ParameterError
from sekisho.server.desk.cases import Case
from sekisho.server.desk.edits import RECIPE, read_keys, tell_command
from sekisho.server.desk.versions import TIME, Version
from sekisho.words import Said

OLDEST = (1980, 1, 1, 0, 0, 0)
SCRIPT, OUT, END = "release.sh", "release", "END_OF_SEKISHO_FILE"
SEALED, OPENED_BY = "case.sealed", "read-me.txt"
SALT, NONCE = 16, 12
SHORTEST_PASSPHRASE = 8
MAGIC = b"sekisho case 1\n"
TAKEN = ("case.json", "log.jsonl", "head", "versions", "review")


def export_recipe(case: Case, version: Version, *, made: str = "") -> bytes:
    """Return a ZIP of all that ``sekisho gate recipe.toml`` needs but the data, and the script that runs it."""
    return write_zip({**version.files, SCRIPT: export_script(case, version, made=made)})


def export_script(case: Case, version: Version, *, made: str = "") -> bytes:
    """Return a shell script that makes the release of a version beside the data: it holds every file of the version.

    Args:
        case: whose data are asked for by their digest.
        version: what is run.
        made: when the run at the desk was made, as its certificate says: then its pages are made again as well.
    """
    data, folder = quote(case.data), f"{Path(case.data).stem}-v{version.number:04}"
    lines = [
        "#!/bin/sh",
        f"# Makes the release of version {version.number} again: sh {SCRIPT} [FILE OF DATA] [FOLDER]",
        "set -eu",
        f"data=${{1:-{data}}}",
        f"folder=${{2:-{quote(folder)}}}",
        'digest=$( (sha256sum < "$data" 2>/dev/null || shasum -a 256 < "$data") | cut -d \' \' -f 1)',
        f'if [ "$digest" != {case.original.sha256} ]; then',
        "  printf '%s\\n' \"$data is another file than the one that this was made for (SHA-256 differs)\" >&2",
        "  exit 2",
        "fi",
        'mkdir -p "$folder"',
        *(['mkdir -p "$folder"/trees'] if any("/" in name for name in version.files) else []),
        *(line for name, content in sorted(version.files.items()) for line in _write_file(name, content)),
        "case $data in /*) ;; *) data=$PWD/$data ;; esac",
        f'ln -sf "$data" "$folder"/{data}',
        'cd "$folder"',
        *([f"export SOURCE_DATE_EPOCH={_count_seconds(made)}"] if made else []),
        f"exec {tell_command(version.files, out=OUT)}",
    ]
    return ("\n".join(lines) + "\n").encode()


def export_notebook(case: Case, version: Version, *, made: str = "") -> bytes:
    """Return a notebook that makes the release from Python, to be opened beside the data; it holds every file too."""
    told = {name: content.decode() for name, content in sorted(version.files.items())}
    seed = read_keys(version.files, "recipe").get("seed")
    more = "" if seed is None else f", seed={seed}"
    fixed = [f"os.environ['SOURCE_DATE_EPOCH'] = '{_count_seconds(made)}'"] if made else []
    write = [
        "import hashlib",
        "import os",
        "from pathlib import Path",
        "import sekisho",
        "",
        f"data, digest = Path({case.data!r}), {case.original.sha256!r}",
        "assert hashlib.sha256(data.read_bytes()).hexdigest() == digest, 'another file than the one this was made for'",
        f"folder = Path({f'{Path(case.data).stem}-v{version.number:04}'!r})",
        f"files = {json.dumps(told, indent=1, ensure_ascii=True)}",
        "for name, text in files.items():",
        "    (folder / name).parent.mkdir(parents=True, exist_ok=True)",
        "    (folder / name).write_bytes(text.encode())",
        "if not (folder / data.name).exists():",
        "    (folder / data.name).symlink_to(data.resolve())",
    ]
    run = [
        *fixed,
        f"result = sekisho.pass_gate(folder / {RECIPE!r}, out=folder / {OUT!r}{more})",
        "result.verdict",
    ]
    cells = [
        write,
        run,
        ["[str(reason) for reason in result.reasons]"],
        ["print(result.text)"],
        ["sorted(result.public)"],
    ]
    notebook = {
        "cells": [_write_cell(number, cell) for number, cell in enumerate(cells, 1)],
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, sort_keys=True).encode() + b"\n"


def export_case(case: Case, *, run: Path | None, passphrase: str) -> bytes:
    """Return a case for a second person: versions, log and the run to be decided on, but not the data; sealed.

    AES-256-GCM under a key that scrypt makes of the passphrase (RFC 7914). Confidential all the same.

    Raises:
        ParameterError: the passphrase is too short.
    """
    if len(passphrase) < SHORTEST_PASSPHRASE:
        rule = Said("have at least {least} characters", least=SHORTEST_PASSPHRASE)
        raise ParameterError("passphrase", rule, len(passphrase))
    places = [case.folder / name for name in TAKEN]
    places += [] if run is None else [run / name for name in ("public", "confidential", "outcome.json")]
    files = {
        path.relative_to(case.folder).as_posix(): read_regular_file(path)
        for place in places
        for path in sorted([place, *place.rglob("*")])
        if path.is_file() and not path.is_symlink() and "cache" not in path.relative_to(case.folder).parts
    }
    salt, nonce = os.urandom(SALT), os.urandom(NONCE)
    sealed = AESGCM(_make_key(passphrase, salt)).encrypt(nonce, write_zip(files), MAGIC)
    words = b"A case of the desk, confidential and sealed. To open it: sekisho desk case.zip\n"
    return write_zip({SEALED: MAGIC + salt + nonce + sealed, OPENED_BY: words})


def open_sealed_case(sealed: bytes, passphrase: str, source: object) -> bytes:
    """Return the ZIP inside ``case.sealed`` of a case that was taken away.

    Raises:
        InputError: it is no such file, was changed, or the passphrase is another.
    """
    start = len(MAGIC)
    if not sealed.startswith(MAGIC) or len(sealed) < start + SALT + NONCE:
        raise InputError(source, Said("is no case of the desk"))
    salt, nonce = sealed[start : start + SALT], sealed[start + SALT : start + SALT + NONCE]
    try:
        return AESGCM(_make_key(passphrase, salt)).decrypt(nonce, sealed[start + SALT + NONCE :], MAGIC)
    except InvalidTag as error:
        raise InputError(
            source, Said("cannot be opened: the passphrase is another, or the file was changed")
        ) from error


def _make_key(passphrase: str, salt: bytes) -> bytes:
    return Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(passphrase.encode())


def _write_file(name: str, content: bytes) -> list[str]:
    """Return lines of shell that write a file byte by byte: as it reads where that can be, else in octal digits."""
    place = f'"$folder"/{quote(name)}'
    text = content.decode()
    if text.endswith("\n") and "\r" not in text and "\0" not in text and END not in text:
        return [f"cat > {place} <<'{END}'", *text[:-1].split("\n"), END]
    octal = "".join(f"\\{byte:03o}" for byte in content)
    return [f"printf '{octal}' > {place}"]


def _count_seconds(made: str) -> int:
    return int(datetime.strptime(made, TIME).replace(tzinfo=UTC).timestamp())


def _write_cell(number: int, lines: list[str]) -> dict[str, object]:
    source = [f"{line}\n" for line in lines[:-1]] + lines[-1:]
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": sha256(f"{number}".encode()).hexdigest()[:8],
        "metadata": {},
        "outputs": [],
        "source": source,
    }


def write_zip(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP that is the same bytes for the same files: sorted, without times, not compressed."""
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            entry = ZipInfo(name, OLDEST)
            entry.external_attr = (0o700 if name == SCRIPT else 0o600) << 16
            entry.create_system = 3
            archive.writestr(entry, content)
    return out.getvalue()
