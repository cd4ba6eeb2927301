"""A version to take away: its recipe, a shell script, a notebook, or the whole case for a second person, sealed.

A sealed case is opened at another desk as a case of its own, which can be looked at and decided on, but not run: the
data stay where they are. Opened where it came from, it brings back what was decided, and nothing else.

The recipe that is taken away is the one that ran, byte by byte: it calls its data by a plain name, which at the desk is
a link. So the release and its pages are the same bytes by command, from Python and at the desk. Not so the certificate,
whose salt is drawn for each run; only the sealed case has it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from shlex import quote
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from sekisho.data.files.whole_files import read_regular_file, sync_folder
from sekisho.data.files.zip_guard import ExactNames, ZipLimits, blame_archive, read_zip
from sekisho.errors import Fault, InputError, ParameterError, SekishoError
from sekisho.journey.review import ReviewStanding, read_review
from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.edits import RECIPE, read_keys, tell_command
from sekisho.server.desk.originals import name_data
from sekisho.server.desk.plain_data import read_plain, write_plain
from sekisho.server.desk.runs.orders import CANDIDATES, ORDER, OUTCOME, RunOrder
from sekisho.server.desk.runs.progress import PROGRESS
from sekisho.server.desk.versions import TIME, Version
from sekisho.words import Language, Said

OLDEST = (1980, 1, 1, 0, 0, 0)
SCRIPT, OUT, END = "release.sh", "release", "END_OF_SEKISHO_FILE"
SEALED, OPENED_BY = "case.sealed", "read-me.txt"
SALT, NONCE = 16, 12
SHORTEST_PASSPHRASE = 8
MAGIC = b"sekisho case 1\n"
LARGEST_CASE = 1 << 30
NAME = "name"
TAKEN = ("case.json", "log.jsonl", "head", "versions", "review")
TAKEN_OF_RUN = ("public", "confidential", CANDIDATES, OUTCOME, ORDER, PROGRESS)


def export_recipe(case: Case, version: Version, *, made: str = "", language: Language = Language.EN) -> bytes:
    """Return a ZIP of all that ``sekisho gate recipe.toml`` needs but the data, and the script that runs it."""
    return write_zip({**version.files, SCRIPT: export_script(case, version, made=made, language=language)})


def export_script(case: Case, version: Version, *, made: str = "", language: Language = Language.EN) -> bytes:
    """Return a shell script that makes the release of a version beside the data: it holds every file of the version.

    Args:
        case: whose data are asked for by their digest.
        version: what is run.
        made: when the run at the desk was made, as its certificate says: then its pages are made again as well.
        language: in which its pages open.
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
        f"exec {tell_command(version.files, out=OUT, language=language)}",
    ]
    return ("\n".join(lines) + "\n").encode()


def export_notebook(case: Case, version: Version, *, made: str = "", language: Language = Language.EN) -> bytes:
    """Return a notebook that makes the release from Python, to be opened beside the data; it holds every file too."""
    told = {name: content.decode() for name, content in sorted(version.files.items())}
    seed = read_keys(version.files, "recipe").get("seed")
    more = f", language={language.value!r}" + ("" if seed is None else f", seed={seed}")
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
        InputError: it is too much to be opened elsewhere.
    """
    if len(passphrase) < SHORTEST_PASSPHRASE:
        rule = Said("have at least {least} characters", least=SHORTEST_PASSPHRASE)
        raise ParameterError("passphrase", rule, len(passphrase))
    places = [case.folder / name for name in TAKEN]
    places += [] if run is None else [run / name for name in TAKEN_OF_RUN]
    paths = [path for place in places for path in sorted([place, *place.rglob("*")]) if _is_taken(path, case.folder)]
    total = sum(path.stat().st_size for path in paths)
    if total > LARGEST_CASE:
        said = Said("has {total:,} bytes without the data; the limit is {most:,}", total=total, most=LARGEST_CASE)
        raise InputError(case.title, said)
    files = {path.relative_to(case.folder).as_posix(): read_regular_file(path) for path in paths}
    files[NAME] = case.name.encode()
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


def _is_taken(path: Path, folder: Path) -> bool:
    """Tell whether a file of a case goes along: no rows of the original, unless the recipe asks for a copy of it."""
    parts = path.relative_to(folder).parts
    hidden = any(part.startswith(".") for part in parts)
    stays = "cache" in parts or (CANDIDATES in parts and "rows" in parts)
    return path.is_file() and not path.is_symlink() and not (hidden or stays)


def is_sealed_case(path: Path) -> bool:
    """Tell whether a file is a case that was taken away, by the names of what it holds."""
    try:
        with ZipFile(path) as archive:
            return SEALED in archive.namelist()
    except (BadZipFile, OSError, ValueError, NotImplementedError):
        return False


@dataclass(frozen=True, slots=True)
class _CaseNames:
    """The files that a case may hold, each below its own folder."""

    most: int = 50_000

    def refuse(self, name: str) -> Fault | None:
        """Return what is wrong with a name, if anything."""
        parts = name.split("/")
        plain = all(part and part[0] != "." and part.isprintable() and "\\" not in part for part in parts)
        deep = {"versions": 4, "review": 2, "runs": 6}.get(parts[0], 1)
        if plain and 1 <= len(parts) <= deep and (parts[0] in {*TAKEN, "runs"} or name == NAME):
            return None
        return blame_archive("name", name, Said("{name!r} is no file of a case", name=name))


def unpack_case(path: Path, passphrase: str, into: Path) -> None:
    """Unpack a case that was taken away into a folder that is made for it, whole or not at all.

    Raises:
        InputError: the passphrase is another, or it is no case of the desk.
        FaultsError: the archive is damaged, too large, or holds what no case does.
    """
    limits = ZipLimits(most_bytes=LARGEST_CASE + (1 << 20))
    if path.stat().st_size > limits.most_bytes:
        said = Said("has {total:,} bytes; the limit is {most:,}", total=path.stat().st_size, most=limits.most_bytes)
        raise InputError(path.name, said)
    with path.open("rb") as stream:
        outer = read_zip(stream, ExactNames((SEALED, OPENED_BY)), limits, lambda _, pieces: b"".join(pieces))
    opened = open_sealed_case(outer.get(SEALED, b""), passphrase, path.name)
    shutil.rmtree(into, ignore_errors=True)

    def take(name: str, pieces: Iterator[bytes]) -> None:
        place = into / name
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as out:
            out.writelines(pieces)

    try:
        read_zip(BytesIO(opened), _CaseNames(), limits, take)
        _check_case(into, path.name)
    except SekishoError:
        shutil.rmtree(into, ignore_errors=True)
        raise


def _check_case(folder: Path, source: str) -> None:
    """See that what was unpacked is a case whose current version and runs can be read.

    Raises:
        InputError: it is none.
    """
    case = Case.read(folder)
    texts = (case.title, case.data, case.created, case.original.sha256)
    if {type(text) for text in texts} != {str} or name_data(case.data) != case.data:
        raise InputError(source, Said("is no case of the desk"))
    case.versions.recover()
    case.versions.read()
    for run in folder.glob("runs/*"):
        read_review(run)


def take_in_case(cases: DeskFolder, unpacked: Path) -> Case:
    """Return the case that was unpacked: a new one, or the one that it came from, with what was decided elsewhere.

    Raises:
        InputError: what it brings back is about another run than the one that is here.
    """
    brought = Case.read(unpacked)
    name = (unpacked / NAME).read_text(encoding="utf-8") if (unpacked / NAME).exists() else ""
    here = next((case for case in cases.list_cases() if case.name == name), None)
    if here is not None and _is_same(here, brought):
        for run in unpacked.glob("runs/*"):
            _take_in_run(here.runs / run.name, run)
        shutil.rmtree(unpacked)
        return here
    (unpacked / NAME).unlink(missing_ok=True)
    replace(brought, original=replace(brought.original, path="", dropped=False)).save()
    return cases.move_in(unpacked, name, settle=_settle_runs)


def _is_same(here: Case, brought: Case) -> bool:
    """Tell whether a case was taken away from here, and nobody changed it elsewhere."""
    logs = [read_regular_file(case.folder / "log.jsonl") for case in (here, brought)]
    return (here.seed, here.created) == (brought.seed, brought.created) and logs[0].startswith(logs[1])


def _take_in_run(here: Path, brought: Path) -> None:
    """Put what was decided elsewhere about a run in the place of what is here, if nobody has decided here."""
    _settle_runs(here.parent.parent, brought)
    if not here.exists():
        brought.rename(here)
        return
    ours, theirs = read_review(here), read_review(brought)
    if ours.body != theirs.body:
        raise InputError(here.name, Said("is another run than the one that was decided on: it was made again since"))
    decided = theirs.standing in {ReviewStanding.APPROVED, ReviewStanding.REFUSED}
    if decided and ours.standing in {ReviewStanding.ASKED, ReviewStanding.NOT_ASKED}:
        former = here.with_name(f".{here.name}")
        shutil.rmtree(former, ignore_errors=True)
        here.rename(former)
        brought.rename(here)
        sync_folder(here.parent)
        shutil.rmtree(former)


def _settle_runs(final: Path, *runs: Path) -> None:
    """Write where the runs of a case stand now: the files tell where they stood at the other desk."""
    for run in runs:
        plain = read_plain(run / ORDER) or {}
        version = Path(str(plain.get("recipe", ""))).parent.name
        number = version if version.isascii() and version.isdecimal() else "0001"
        recipe = final / "versions" / number / RECIPE
        order = RunOrder(case=final.name, recipe=recipe, folder=run, steps=final / "steps")
        write_plain({run / ORDER: order.pack()})


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
