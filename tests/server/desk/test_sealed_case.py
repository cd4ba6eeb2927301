"""A case handed to a colleague: asked at one desk, decided at another, brought back; nothing else gets in that way."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests.server.desk.desk_client import DeskClient, open_desk
from tests.server.desk.test_decide_page import FILES, PURPOSE, REASON, list_public, run_case
from tests.server.desk.test_run_page import PEOPLE, make_case

from sekisho.errors import FaultsError, InputError, ParameterError
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.certificate.signing import PrivateKey
from sekisho.server.desk import exports
from sekisho.server.desk.arrivals import bring_file
from sekisho.server.desk.cases import Case, DeskFolder, DroppedFile
from sekisho.server.desk.edits import DeskEdit, set_key, set_limit
from sekisho.server.desk.exports import MAGIC, NONCE, SALT, SEALED, export_case, unpack_case, write_zip
from sekisho.server.desk.originals import OriginalState

WORDS = "correct horse battery"


@dataclass
class Asked:
    """A desk at which somebody has asked for a decision."""

    client: DeskClient
    case: Case

    def take(self) -> bytes:
        """Take the case away."""
        answer = self.client.post(f"/cases/{self.case.name}/take/case", {"passphrase": WORDS})
        assert answer.status_code == 200
        return answer.content


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    folder = tmp_path_factory.mktemp("first")
    (folder / "people.csv").write_text(PEOPLE)
    case, client = make_case(folder), open_desk(folder / "desk")
    lost = (*set_key("people", 30), *set_limit("pair-tables", 0.000001))
    case.versions.write((*lost, DeskEdit(file="recipe", place=("guarantees", "leave_out"))), based_on=1)
    assert "A PERSON MUST DECIDE" in run_case(client, case)
    key = {"pem": ("ken.pem", PrivateKey.make().write_pem())}
    sent = {"v": "2", "person": "Ken Mori", "purpose": PURPOSE}
    assert client.post(f"/cases/{case.name}/decide/ask", sent, key).status_code == 303
    return Asked(client=client, case=case)


def open_file(client: DeskClient, folder: Path, data: bytes) -> DroppedFile:
    """Bring a file as the command line does."""
    place = folder / "case.zip"
    place.write_bytes(data)
    arrival = bring_file(client.app.state.desk.cases, place)
    assert isinstance(arrival, DroppedFile)
    return arrival


def decide(client: DeskClient, at: str, decision: str) -> None:
    page = client.send("GET", at).text
    seen = page.partition('name="seen" value="')[2].partition('"')[0]
    sent = {"v": "2", "seen": seen, "decision": decision, "person": "Hana Ito", "reason": REASON}
    key = {"pem": ("hana.pem", PrivateKey.make().write_pem())}
    answer = client.post(f"{at}/answer", sent, key)
    assert answer.status_code == 303, answer.text


def test_a_second_person_decides_at_another_desk_and_sends_it_back(asked: Asked, tmp_path: Path) -> None:
    other = open_desk(tmp_path / "other")
    arrival = open_file(other, tmp_path, asked.take())
    page = other.send("GET", f"/uploads/{arrival.id}")
    while "reading the file" in page.text:
        page = other.send("GET", f"/uploads/{arrival.id}")
    assert 'type="password"' in page.text
    wrong = other.post(f"/uploads/{arrival.id}/open", {"passphrase": "another one"})
    assert wrong.status_code == 422
    assert "the passphrase is another, or the file was changed" in wrong.text
    opened = other.post(f"/uploads/{arrival.id}/open", {"passphrase": WORDS})  # click one
    at = f"/cases/{asked.case.name}/decide"
    assert opened.headers["location"].endswith(at)
    (case,) = DeskFolder(tmp_path / "other").list_cases()
    assert (case.name, case.check_original()) == (asked.case.name, OriginalState.ELSEWHERE)
    told = PEOPLE.splitlines()[1]
    assert not [path for path in case.folder.rglob("*") if path.is_file() and told.encode() in path.read_bytes()]
    for step in ("", "/cases/{}/versions", "/cases/{}/run", "/cases/{}/report", "/cases/{}/file", "/cases/{}/risk"):
        assert other.send("GET", step.format(case.name) or "/").status_code in {200, 422}, step
    assert "waits for a second person" in other.send("GET", "/").text
    assert "it can be looked at and decided on here" in other.send("GET", f"/cases/{case.name}/run").text
    assert "A course at the university" in other.send("GET", at).text
    decide(other, at, "approved")  # click two, and the reason
    assert list_public(case) == FILES
    assert verify_certificate(case.public / "certificate.json").valid
    back = other.post(f"/cases/{case.name}/take/case", {"passphrase": WORDS}).content
    assert "Send the case back" in other.send("GET", at).text

    assert list_public(asked.case) == set()
    first = open_desk(asked.case.folder.parent.parent)
    arrival = open_file(first, tmp_path, back)
    for _ in range(2):  # once more changes nothing
        assert first.post(f"/uploads/{arrival.id}/open", {"passphrase": WORDS}).headers["location"].endswith(at)
        assert "Hana Ito" in first.send("GET", at).text
        arrival = open_file(first, tmp_path, back)
    assert list_public(asked.case) == set()  # looking releases nothing
    assert first.post(f"{at}/release", {"v": "2"}).status_code == 303
    assert {name: (asked.case.public / name).read_bytes() for name in FILES} == {
        name: (case.public / name).read_bytes() for name in FILES
    }
    assert len(first.app.state.desk.cases.list_cases()) == 1
    for client in (other, first):
        client.app.state.desk.counters.close()


def seal(asked: Asked, change: Callable[[dict[str, bytes]], None]) -> bytes:
    """Return the case sealed anew with other files in it."""
    with ZipFile(BytesIO(export_case(asked.case, run=None, passphrase=WORDS))) as archive:
        sealed = archive.read(SEALED)
    with ZipFile(BytesIO(exports.open_sealed_case(sealed, WORDS, "case.zip"))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    return pack(write_zip(files))


def pack(inner: bytes) -> bytes:
    salt, nonce = os.urandom(SALT), os.urandom(NONCE)
    key = exports.Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(WORDS.encode())
    return write_zip({SEALED: MAGIC + salt + nonce + AESGCM(key).encrypt(nonce, inner, MAGIC)})


@pytest.mark.parametrize(
    "name",
    ["../stranger", "/etc/stranger", "versions/../../stranger", "runs\\stranger", "incoming/people.csv", "versions/.x"],
)
def test_a_name_that_no_case_has_is_refused(asked: Asked, tmp_path: Path, name: str) -> None:
    (tmp_path / "case.zip").write_bytes(seal(asked, lambda files: files.update({name: b"x"})))
    with pytest.raises(FaultsError, match="is no file of a case"):
        unpack_case(tmp_path / "case.zip", WORDS, tmp_path / "new" / "case")
    assert not (tmp_path / "new" / "case").exists()
    assert not list(tmp_path.rglob("stranger"))


def test_data_with_a_path_for_a_name_and_a_case_that_is_none_are_refused(asked: Asked, tmp_path: Path) -> None:
    def point_outside(files: dict[str, bytes]) -> None:
        files["case.json"] = files["case.json"].replace(b'"people.csv"', b'"../../people.csv"')

    def spoil(files: dict[str, bytes]) -> None:
        files["case.json"] = b"[]"

    def empty(files: dict[str, bytes]) -> None:
        files.clear()

    for change in (point_outside, spoil, empty):
        (tmp_path / "case.zip").write_bytes(seal(asked, change))
        with pytest.raises(InputError):
            unpack_case(tmp_path / "case.zip", WORDS, tmp_path / "case")
        assert not (tmp_path / "case").exists()


def test_damaged_too_large_and_bombs_have_one_clear_answer_each(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, whole = tmp_path / "case.zip", export_case(asked.case, run=None, passphrase=WORDS)
    middle = len(whole) // 2
    place.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    with pytest.raises(FaultsError, match="the archive is damaged"):
        unpack_case(place, WORDS, tmp_path / "case")
    place.write_bytes(whole[:middle])
    with pytest.raises(FaultsError, match="this is no zip archive"):
        unpack_case(place, WORDS, tmp_path / "case")
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        archive.writestr("head", b"0" * (8 << 20))
    place.write_bytes(pack(out.getvalue()))
    with pytest.raises(FaultsError, match="unpacks to more than 200 times"):
        unpack_case(place, WORDS, tmp_path / "case")
    monkeypatch.setattr(exports, "LARGEST_CASE", 100)
    with pytest.raises(InputError, match="the limit is 100"):
        export_case(asked.case, run=None, passphrase=WORDS)
    place.write_bytes(whole + bytes(2 << 20))
    with pytest.raises(InputError, match="bytes; the limit is"):
        unpack_case(place, WORDS, tmp_path / "case")
    with pytest.raises(ParameterError, match="passphrase"):
        export_case(asked.case, run=None, passphrase=WORDS[:5])


def test_a_case_of_the_same_name_that_is_another_keeps_its_place(asked: Asked, tmp_path: Path) -> None:
    def draw_again(files: dict[str, bytes]) -> None:
        files["case.json"] = files["case.json"].replace(b'"seed": ', b'"seed": 1')

    cases = DeskFolder(asked.case.folder.parent.parent)
    before = asked.case.versions.list()
    (tmp_path / "case.zip").write_bytes(seal(asked, draw_again))
    unpack_case(tmp_path / "case.zip", WORDS, cases.root / "uploads" / "case")
    new = exports.take_in_case(cases, cases.root / "uploads" / "case")
    assert new.name != asked.case.name
    assert new.versions.list()[-1].files == before[-1].files
    assert asked.case.versions.list() == before
