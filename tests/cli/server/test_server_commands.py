"""A contest goes to a server, is worked on and taken part in by commands, and comes back the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from socket import socket
from typing import Any

import pytest
from tests.contest.folder.cup import RULES, draw_history
from tests.server.contest.cup_site import begin_folder

from sekisho.cli import status_of
from sekisho.data.history.files import write_original

Run = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*words: object) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        status = status_of([*map(str, words), "--json"])
        return status, json.loads(capsys.readouterr().out)

    return command


def find_port() -> int:
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def start(*words: object) -> Generator[subprocess.Popen[str]]:
    """Run a command beside the test, and end it."""
    line = [sys.executable, "-m", "sekisho", *map(str, words)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.wait(30)


def ask(port: int, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    given = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, json.dumps(body) if body is not None else None, given)
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer.status, (json.loads(data) if data else None, answer.headers.get("Set-Cookie", ""))


def await_ready(port: int) -> None:
    for _ in range(600):
        try:
            if ask(port, "GET", "/ready")[0] == 200:
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the server did not come up")


def test_the_demonstration_is_played_by_commands(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    port = find_port()
    with start("serve", "--demo", "--port", port, "--json") as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        await_ready(port)
        _, ((session, cookie)) = ask(
            port, "POST", "/api/v1/session", {"login": "visitors", "password": told["accounts"]["visitors"]}
        )
        headers = {"Cookie": cookie.partition(";")[0], "X_CSRF_Token": session["csrf"]}
        status, (token, _) = ask(port, "POST", "/api/v1/teams/visitors/tokens", {}, **headers)
        assert status == 201
        monkeypatch.setenv("SEKISHO_TOKEN", token["token"])
        config = ("--config", tmp_path / "remote.json")
        assert run("remote", "login", told["url"], *config)[1]["team"] == "visitors"
        assert (tmp_path / "remote.json").stat().st_mode & 0o077 == 0
        for name in ("release.csv", "release-with-errors.csv", "attack-on-baseline-triples.csv", "original.csv"):
            words = ("remote", "download", "sample", "--of", name, "--out", tmp_path / name)
            assert run(*words, *config)[0] == 0
        spoilt = run(
            "remote", "submit", "--released", tmp_path / "release-with-errors.csv", "--round", "practice", *config
        )
        assert (spoilt[0], spoilt[1]["status"]) == (1, "invalid")
        assert "quantity" in {error["column"] for error in spoilt[1]["errors"]}
        assert "message_ja" in spoilt[1]["errors"][0]
        status, valid = run("remote", "submit", "--released", tmp_path / "release.csv", "--round", "practice", *config)
        assert (status, valid["status"]) == (0, "valid")
        # score at home = score on the server, to the last digit
        home = run(
            "utility", "pwscup2018", "--original", tmp_path / "original.csv", "--released", tmp_path / "release.csv"
        )
        assert home[1]["utility"] == valid["score"]["utility"]
        assert home[1]["columns"] == {name: valid["score"][name] for name in ("date", "item", "price", "quantity")}
        guess = ("--guess", tmp_path / "attack-on-baseline-triples.csv", "--target", "baseline-triples")
        status, attack = run("remote", "submit", *guess, "--round", "practice", *config)
        assert (status, attack["status"]) == (0, "valid")
        # the sample release is that of the baseline which the sample attacks
        files = ("--original", tmp_path / "original.csv", "--released", tmp_path / "release.csv")
        home = run("judge", "pwscup2018", *files, *guess[:2])
        figures = ("claimed", "hits", "threshold", "effective")
        assert {name: home[1][name] for name in figures} == {name: attack["score"][name] for name in figures}
        assert home[1]["threshold"] > 0
        assert status_of(["remote", "status", "--language", "ja", *map(str, config)]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line for line in lines if re.search(r"\b(valid|invalid|errors|entry|open)\b", line)] == []
        assert sum("有効" in line for line in lines) == 2
        baseline = ("--of", "baseline-names", "--round", "practice", "--out", tmp_path / "A1.csv")
        assert run("remote", "download", "published", *baseline, *config)[0] == 0
        assert len(run("remote", "status", *config)[1]["submissions"]) == 2
        outside = run("remote", "submit", "--released", tmp_path / "release.csv", "--round", "final", *config)
        assert (outside[0], outside[1]["accepted"], outside[1]["rule"]) == (1, False, "phase")


def test_a_contest_goes_to_the_server_and_back(run: Run, tmp_path: Path) -> None:
    data = draw_history()
    (tmp_path / "cup.zip").write_bytes(begin_folder(tmp_path / "new", write_original(data, RULES)))
    url = f"sqlite:///{tmp_path / 'server' / 'contest.sqlite3'}"
    where = ("--database", url, "--vault", tmp_path / "vault")
    status, answer = run("worker", "--import", tmp_path / "cup.zip", *where)
    assert (status, answer["contest"]) == (0, "pwscup2018")
    assert run("worker", "--once", *where) == (0, {"jobs": 0})
    assert run("worker", "--import", tmp_path / "cup.zip", *where)[0] == 2
    assert len(run("serve", "--database", url, "--add-referee", "ref")[1]["password"]) >= 20
    assert run("serve", "--database", url, "--add-referee", "ref")[0] == 2
    assert run("serve", "--database", url, "--backup", tmp_path / "backup.zip")[1]["standings"] == {
        "pwscup2018": answer["digest"]
    }
    new = f"sqlite:///{tmp_path / 'again' / 'contest.sqlite3'}"
    assert run("serve", "--database", new, "--restore", tmp_path / "backup.zip")[0] == 0
    assert run("worker", "--export", tmp_path / "back.zip", *where)[0] == 0
    assert (tmp_path / "back.zip").read_bytes() == (tmp_path / "cup.zip").read_bytes()


@pytest.mark.parametrize(
    "words",
    [
        ("serve", "--database", "sqlite:///none.sqlite3"),
        ("serve", "--database", "nonsense"),
        ("serve", "--database", "postgresql://nobody@127.0.0.1:9/none", "--store", "s"),
        ("serve", "--database", "postgresql://nobody@127.0.0.1:9/none"),
        ("serve", "--demo", "--backup", "b.zip"),
        ("serve", "--database", "sqlite:///spoilt.sqlite3"),
        ("serve", "--database", "sqlite:///o.sqlite3", "--restore", "spoilt.sqlite3"),
        ("worker", "--vault", "v", "--database", "sqlite:///none.sqlite3"),
        ("worker", "--vault", "v", "--import", "spoilt.sqlite3"),
        ("worker", "--vault", "v", "--import", "none.zip"),
        ("remote", "login", "http://example.org", "--token", "token.txt"),
        ("remote", "login", "ftp://localhost", "--token", "token.txt"),
        ("remote", "login", "http://127.0.0.1:9", "--token", "token.txt", "--config", "c.json"),
        ("remote", "status", "--config", "none.json"),
        ("remote", "status", "--config", "spoilt.sqlite3"),
        ("remote", "submit", "--released", "token.txt", "--guess", "token.txt", "--config", "c.json"),
        ("remote", "submit", "--guess", "token.txt", "--config", "c.json"),
        ("remote", "download", "everything", "--out", "o.csv", "--config", "c.json"),
        ("remote", "download", "published", "--out", "o.csv", "--config", "c.json"),
    ],
)
def test_what_cannot_be_done_is_refused_and_leaves_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spoilt.sqlite3").write_bytes(b"this is no database, and no archive either\n" * 99)
    (tmp_path / "token.txt").write_text("a-token\n")
    status, answer = run(*words)
    assert (status, bool(answer["error"])) == (2, True)
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["spoilt.sqlite3", "token.txt"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("worker", "--once", "--vault", "vault", "--store", "file/store"),
            "file/store: is no store of files: it lacks incoming, files, contests",
        ),
        (
            ("serve", "--store", "file/store", "--port", "65535"),
            "file/store: is no store of files: it lacks incoming, files, contests",
        ),
        (("worker", "--import", "cup.zip", "--name", "other", "--vault", "file/vault"), "file/vault: not a directory"),
        (("worker", "--once", "--vault", "nowhere"), "nowhere: is not the vault of the contest 'pwscup2018'"),
        (
            ("worker", "--export", "o.zip", "--vault", "nowhere"),
            "nowhere: is not the vault of the contest 'pwscup2018'",
        ),
    ],
)
def test_a_place_that_cannot_be_used_is_named_and_not_the_database(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("this is no folder\n")
    (tmp_path / "cup.zip").write_bytes(begin_folder(tmp_path / "new", write_original(draw_history(), RULES)))
    assert run("worker", "--import", "cup.zip", "--vault", "vault")[0] == 0
    status, answer = run(*words)
    assert (status, answer["error"]) == (2, sentence)
    assert not (tmp_path / "o.zip").exists()


def test_without_the_extra_the_command_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    for words in (("serve", "--demo"), ("worker", "--vault", "v")):
        status, answer = run(*words)
        assert status == 2
        assert "pip install '.[server]'" in answer["error"]


def test_the_command_line_loads_no_web_framework_unless_it_serves() -> None:
    script = (
        "import sys; from sekisho.cli import status_of; status_of(['remote', 'status', '--config', 'none']);"
        "sys.exit(bool({'fastapi', 'sqlalchemy', 'uvicorn'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert done.returncode == 0
