"""A referee at a command line: what shows something to others asks, and what the platform failed on is put right."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.server.contest.conftest import cup, materials, prepared
from tests.server.contest.cup_site import CupSite

from sekisho.cli import status_of
from sekisho.server.contest.client import RefusedRequestError, Remote, save_remote

__all__ = ["cup", "materials", "prepared"]


@pytest.fixture
def remote(cup: CupSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A client whose requests go to a server in this process, as the referee; its option."""

    def send(
        self: Remote, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> bytes:
        given = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        answer = cup.client.request(method, path, content=body, headers=given)
        if answer.status_code >= 300:
            raise RefusedRequestError(answer.status_code, answer.json())
        return answer.content

    monkeypatch.setattr(Remote, "_send", send)
    save_remote(tmp_path / "remote.json", Remote(url="https://cup.example.org", token=cup.tokens["referee"]))
    return ["--config", str(tmp_path / "remote.json"), "--json"]


def run(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, object]]:
    status = status_of(["remote", *words])
    return status, json.loads(capsys.readouterr().out)


def test_publish_asks_for_the_name_of_the_round(
    cup: CupSite, remote: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["open", "anonymise", "--round", "final", *remote], capsys)[0] == 0
    cup.submit("raw", cup.materials["raw"])
    cup.worker.drain()
    status, answer = run(["open", "publish", "--round", "final", *remote], capsys)
    assert (status, answer["rule"]) == (1, "confirm")
    assert run(["open", "publish", "--round", "final", "--confirm", "final", *remote], capsys)[0] == 0
    cup.worker.drain()
    back = ["withdraw", "publish", "--round", "final", "--reason", "too early", *remote]
    assert run(back, capsys)[0] == 1
    assert run([*back, "--confirm", "final"], capsys)[0] == 0
    assert cup.site.book.read().state.published == {}
    assert run(["withdraw", "attack", "--reason", "no", *remote], capsys)[0] == 2


def test_faulted_files_are_requeued_or_set_aside(
    cup: CupSite, remote: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    cup.open("anonymise", "final")
    for team in ("raw", "pairs"):
        cup.submit(team, cup.materials[team])
    away = cup.site.store.folder / "files"
    away.rename(away.with_name("away"))
    cup.worker.drain()
    away.with_name("away").rename(away)
    assert [entry.number for entry in cup.site.book.read().state.faulted] == [1, 2]
    assert run(["requeue", "1", *remote], capsys)[0] == 0
    assert run(["requeue", "2", "--set-aside", "handed in again", *remote], capsys)[0] == 0
    assert run(["requeue", "1", *remote], capsys)[0] == 1  # it is pending now
    cup.worker.drain()
    assert [str(entry.status) for entry in cup.site.book.read().state.entries] == ["valid", "faulted"]
    assert cup.site.book.read().state.faulted == ()
