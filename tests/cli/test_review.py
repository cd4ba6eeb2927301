"""``sekisho review`` says whether it may leave by its status, names all that is wrong at once, and in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.tables import run
from tests.journey.test_review import PURPOSE, REASON, run_for_review

from sekisho.cli import status_of
from sekisho.gate.certificate.signing import PrivateKey


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    for name in ("ken", "hana"):
        PrivateKey.make().write(folder / f"{name}.pem")
    run_for_review(folder, folder / "gate")
    return folder


def test_two_persons_let_it_leave_step_by_step(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gate, ken, hana = made / "gate", made / "ken.pem", made / "hana.pem"
    status, answer = run(capsys, "review", gate)
    assert (status, answer["standing"], answer["verdict"], answer["public"]) == (3, "not asked", "review", [])
    status, answer = run(capsys, "review", gate, "--ask")
    assert (status, [error["column"] for error in answer["errors"]]) == (2, ["name", "purpose", "key"])
    status, answer = run(capsys, "review", gate, "--ask", "--name", "Ken Mori", "--purpose", PURPOSE, "--key", ken)
    assert (status, answer["standing"], answer["review"]["asked"]["name"]) == (3, "asked", "Ken Mori")
    wrong = ("--approve", "--name", "KEN MORI", "--reason", "fine", "--key", ken)
    status, answer = run(capsys, "review", gate, *wrong)
    assert (status, [error["column"] for error in answer["errors"]]) == (2, ["name", "reason", "key"])
    right = ("--approve", "--name", "Hana Ito", "--reason", REASON, "--key", hana)
    status, answer = run(capsys, "review", gate, *right)
    assert (status, answer["standing"], answer["review"]["decided"]["reason"]) == (0, "approved", REASON)
    assert all(Path(path).is_file() for path in answer["public"])
    assert run(capsys, "review", gate)[0] == 0
    status, answer = run(capsys, "verify", gate / "public" / "certificate.json", "--approver", made / "hana.pub.pem")
    assert (answer["valid"], answer["approved"], len(answer["reviews"])) == (True, True, 1)
    assert run(capsys, "verify", gate / "public" / "certificate.json", "--approver", made / "ken.pub.pem")[0] == 1
    assert run(capsys, "review", gate, *right)[0] == 2
    assert status_of(["review", str(gate), "--language", "ja"]) == 0
    out = capsys.readouterr().out
    assert "Hana Ito さんが" in out
    assert "に承認しました" in out


def test_a_refusal_is_a_no(tmp_path: Path, capsys: pytest.CaptureFixture[str], made: Path) -> None:
    gate = run_for_review(tmp_path, tmp_path / "gate")
    keys = {name: str(made / f"{name}.pem") for name in ("ken", "hana")}
    run(capsys, "review", gate, "--ask", "--name", "Ken Mori", "--purpose", PURPOSE, "--key", keys["ken"])
    words = ("--refuse", "--name", "Hana Ito", "--reason", REASON, "--key", keys["hana"])
    status, answer = run(capsys, "review", gate, *words)
    assert (status, answer["standing"], answer["public"], list((gate / "public").iterdir())) == (1, "refused", [], [])
    assert run(capsys, "review", gate)[0] == 1


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        (("--ask", "--approve"), ["--ask"]),
        (("--ask", "--reason", "x"), ["--reason"]),
        (("--refuse", "--purpose", "x"), ["--purpose"]),
        (("--name", "x", "--reason", "y"), ["--name", "--reason"]),
    ],
)
def test_options_that_do_not_suit_are_refused(
    made: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], columns: list[str]
) -> None:
    status, answer = run(capsys, "review", made / "gate", *options)
    assert (status, [error["column"] for error in answer["errors"]]) == (2, columns)


def test_a_locked_key_is_opened_by_its_passphrase(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = run_for_review(tmp_path, tmp_path / "gate")
    opened_by = "a long one"
    PrivateKey.make().write(tmp_path / "ken.pem", passphrase=opened_by)
    words = ("--ask", "--name", "Ken Mori", "--purpose", PURPOSE, "--key", tmp_path / "ken.pem")
    assert run(capsys, "review", gate, *words)[0] == 2
    monkeypatch.setenv("SEKISHO_KEY_PASSPHRASE", opened_by)
    assert run(capsys, "review", gate, *words)[0] == 3
