"""Decide: a release leaves whole and only when it may, two persons sign at one desk, and the command makes the same."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.server.desk.desk_client import DeskClient, open_desk
from tests.server.desk.test_run_page import PEOPLE, make_case, wait

from sekisho.data.shape import Shape
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.certificate.document import Certificate
from sekisho.gate.certificate.signing import PrivateKey
from sekisho.journey.run import pass_gate
from sekisho.server.desk.cases import Case
from sekisho.server.desk.edits import DeskEdit, set_key, set_limit
from sekisho.server.desk.plain_data import write_plain
from sekisho.server.desk.runs.orders import CANCELLED, OUTCOME
from sekisho.server.desk.shown import find_run_folder
from sekisho.server.desk.versions import TIME

FILES = {"release.csv", "report.html", "certificate.json"}
PURPOSE, REASON = "A course at the university", "Nobody rare is left in it, and the receiver has signed."
ADVICE = {
    "tried": 3,
    "untried": 1,
    "proposals": [
        {
            "change": {"en": "k: 5 → 4", "ja": "k を 4 に"},
            "verdict": "release",
            "loss": 0.1,
            "risk": 0.2,
            "why": "",
            "lines": ["-k = 5", "+k = 4"],
        }
    ],
}
HISTORY = "customer,date,item,amount\n" + "".join(
    f"c{who:02},2024-0{1 + (who + row) % 6}-{1 + who * 3 % 28:02},{'ABC'[(who + row) % 3]},{1 + who * row % 9}\n"
    for who in range(24)
    for row in range(2)
)


def run_case(client: DeskClient, case: Case) -> str:
    version = str(case.versions.head)
    assert client.post(f"/cases/{case.name}/run/start", {"v": version}).status_code == 303
    wait(client, case)
    return client.send("GET", f"/cases/{case.name}/decide").text


def list_public(case: Case) -> set[str]:
    return {path.name for path in case.public.iterdir()}


def compare_with_command(case: Case, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Make the release of the current version as the command does; everything but the salt is the same."""
    made = Certificate.read(case.public / "certificate.json").made
    seconds = datetime.strptime(made, TIME).replace(tzinfo=UTC).timestamp()
    patch.setenv("SOURCE_DATE_EPOCH", str(int(seconds)))
    result = pass_gate(case.versions.read().recipe, out=folder / "by-command")
    assert set(result.public) == list_public(case) == FILES
    for name in FILES - {"certificate.json"}:
        assert (case.public / name).read_bytes() == result.public[name]


def test_records_from_the_run_to_public(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    case, client = make_case(tmp_path), open_desk(tmp_path / "desk")
    assert "Nothing was run for this version" in client.send("GET", f"/cases/{case.name}/decide").text
    case.versions.write(
        (*set_key("people", 30), DeskEdit(file="recipe", place=("guarantees", "leave_out"))), based_on=1
    )
    page = run_case(client, case)
    assert "THIS MAY LEAVE" in page
    assert list_public(case) == set()
    assert client.send("GET", f"/cases/{case.name}/public.zip").status_code == 404
    assert client.post(f"/cases/{case.name}/decide/release", {"v": "1"}).status_code == 409  # an old tab: not run
    for _ in range(2):
        assert client.post(f"/cases/{case.name}/decide/release", {"v": "2"}).status_code == 303
    assert list_public(case) == FILES
    assert verify_certificate(case.public / "certificate.json").valid
    page = client.send("GET", f"/cases/{case.name}/decide?language=ja").text
    assert "public/ をダウンロード（zip）" in page
    archive = ZipFile(BytesIO(client.send("GET", f"/cases/{case.name}/public.zip").content))
    assert set(archive.namelist()) == FILES
    one = client.send("GET", f"/cases/{case.name}/public/release.csv")
    assert one.content == (case.public / "release.csv").read_bytes()
    assert one.headers["content-disposition"].startswith("attachment")
    assert client.send("GET", f"/cases/{case.name}/public/..%2Fcase.json").status_code == 404
    assert "A4" in page or "A4" in client.send("GET", f"/cases/{case.name}/sheet").text
    compare_with_command(case, tmp_path, monkeypatch)
    check_only_read(client, case, "was released and is only to be read")
    case.versions.write(set_key("risk", 0.5), based_on=case.versions.head)  # the release stays; the page says whose
    assert "public/ holds the release of another version." in client.send("GET", f"/cases/{case.name}/decide").text


def check_only_read(client: DeskClient, case: Case, words: str) -> None:
    """A version about which somebody decided is only read; a change asks for a new one, which is open."""
    at, head = f"/cases/{case.name}", case.versions.head
    for page in ("file", "risk", "trees", "run", "decide", "versions"):
        assert words in client.send("GET", f"{at}/{page}").text, page
    change = {"v": str(head), "key": "once", "step": "run", "risk": "41", "k": "5"}
    asked = client.post(f"{at}/run/aim", change)
    assert (asked.status_code, case.versions.head) == (409, head)
    assert "New version with this change" in asked.text
    assert 'name="again" value="1"' in asked.text
    assert client.post(f"{at}/run/aim", {**change, "key": "twice", "again": "1"}).status_code == 303
    assert case.versions.head == head + 1
    assert words not in client.send("GET", f"{at}/run").text
    case.versions.undo()
    assert words in client.send("GET", f"{at}/run").text
    assert client.post(f"{at}/new", {"v": str(head), "key": "anew", "step": "run"}).status_code == 303
    assert case.versions.head == head + 2
    assert case.versions.read().files == case.versions.read(head).files
    assert words not in client.send("GET", f"{at}/run").text


def test_a_history_from_the_run_to_public(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log.csv").write_text(HISTORY)
    case, client = make_case(tmp_path, "log.csv"), open_desk(tmp_path / "desk")
    assert case.shape is Shape.HISTORY
    case.versions.write(set_key("adversaries", [{"name": "containment"}]), based_on=1)
    page = run_case(client, case)
    if "A PERSON MUST DECIDE" in page or "THIS MUST NOT LEAVE" in page:
        pytest.fail(page)
    assert client.post(f"/cases/{case.name}/decide/release", {"v": "2"}).status_code == 303
    compare_with_command(case, tmp_path, monkeypatch)


def test_two_persons_at_one_desk(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    case, client = make_case(tmp_path), open_desk(tmp_path / "desk")
    lost = (*set_key("people", 30), *set_limit("pair-tables", 0.000001))
    case.versions.write((*lost, DeskEdit(file="recipe", place=("guarantees", "leave_out"))), based_on=1)
    page, at = run_case(client, case), f"/cases/{case.name}/decide"
    assert "A PERSON MUST DECIDE" in page
    assert client.post(f"{at}/release", {"v": "2"}).status_code == 422
    for _ in range(2):
        assert client.post(f"{at}/advise", {"v": "2"}).headers["location"].endswith("#advice")
    assert "Changes are being tried" in client.send("GET", at).text
    advice = find_run_folder(case, case.versions.read()) / "advise"
    client.app.state.desk.runs.cancel(advice, wait=True)
    assert "did not come to an end" in client.send("GET", at).text
    write_plain({advice / OUTCOME: ADVICE})
    (advice / CANCELLED).unlink(missing_ok=True)
    page = client.send("GET", f"{at}?language=ja").text
    assert "k を 4 に" in page
    assert '<li class="new">+k = 4</li>' in page
    made = client.post(f"{at}/key", {"v": "2", "passphrase": "correct horse"})
    assert client.post(f"{at}/key", {"v": "2", "passphrase": "short"}).status_code == 422
    asker, decider = {"pem": ("ken.pem", made.content)}, {"pem": ("hana.pem", PrivateKey.make().write_pem())}
    asked = {"v": "2", "person": "Ken Mori", "purpose": PURPOSE}
    assert client.post(f"{at}/ask", asked, asker).status_code == 422  # without its passphrase
    assert client.post(f"{at}/ask", asked, {"pem": ("x.pem", b"no key")}).status_code == 422
    assert client.post(f"{at}/ask", {**asked, "passphrase": "correct horse"}, asker).status_code == 303
    page = client.send("GET", at).text
    seen = page.partition('name="seen" value="')[2].partition('"')[0]
    decided = {"v": "2", "seen": seen, "decision": "approved", "person": "Hana Ito", "reason": REASON}
    for wrong in ({"person": "ken MORI"}, {"reason": "fine"}, {"seen": "0" * 64}):
        assert client.post(f"{at}/answer", {**decided, **wrong}, decider).status_code == 422
    same_key = client.post(f"{at}/answer", {**decided, "passphrase": "correct horse"}, asker)
    assert same_key.status_code == 422
    assert "Hana Ito" in same_key.text  # what was filled in stays
    assert list_public(case) == set()
    for _ in range(2):  # a double click
        assert client.post(f"{at}/answer", decided, decider).status_code == 303
    assert list_public(case) == FILES
    assert verify_certificate(case.public / "certificate.json").valid
    page = client.send("GET", at).text
    assert "THIS MAY LEAVE" in page
    assert "Hana Ito" in page
    kept = [path for path in case.folder.rglob("*") if path.is_file() and b"PRIVATE KEY" in path.read_bytes()]
    assert not kept


def test_a_refusal_is_told_to_later_versions(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    case, client = make_case(tmp_path), open_desk(tmp_path / "desk")
    lost = (*set_key("people", 30), *set_limit("pair-tables", 0.000001))
    case.versions.write((*lost, DeskEdit(file="recipe", place=("guarantees", "leave_out"))), based_on=1)
    page, at = run_case(client, case), f"/cases/{case.name}/decide"
    key = {"pem": ("ken.pem", PrivateKey.make().write_pem())}
    client.post(f"{at}/ask", {"v": "2", "person": "Ken Mori", "purpose": PURPOSE}, key)
    key = {"pem": ("hana.pem", PrivateKey.make().write_pem())}
    refused = {"v": "2", "decision": "refused", "person": "Hana Ito", "reason": REASON}
    page = client.send("GET", at).text
    seen = page.partition('name="seen" value="')[2].partition('"')[0]
    assert client.post(f"{at}/answer", {**refused, "seen": seen}, key).status_code == 303
    page = client.send("GET", at).text
    assert "THIS MUST NOT LEAVE" in page
    assert list_public(case) == set()
    card = client.send("GET", "/").text
    assert '<span class="badge bad">refused by a person</span>' in card
    assert "waits for a second person" not in card
    check_only_read(client, case, "was refused by a person and is only to be read")
    case.versions.write(set_key("risk", 0.5), based_on=case.versions.head)
    page = client.send("GET", at).text
    assert "Refused before" in page
    assert "Hana Ito refused it" in page
