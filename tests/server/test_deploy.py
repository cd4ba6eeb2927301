"""The files for deployment call our commands by options that exist, and give the vault to workers only."""

from __future__ import annotations

import json
import re
from configparser import RawConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


def read_unit(path: Path) -> RawConfigParser:
    unit = RawConfigParser(strict=False)
    unit.read_string(path.read_text())
    return unit


def find_calls() -> list[tuple[str, str]]:
    calls = [(path.name, read_unit(path)["Service"]["ExecStart"]) for path in UNITS]
    for path in (DEPLOY / "containers" / "Containerfile", DEPLOY / "containers" / "compose.yaml"):
        lists = re.findall(r"(?:CMD|command:) (\[.*\])", path.read_text())
        calls += [(path.name, "sekisho " + " ".join(json.loads(words))) for words in lists]
    return [call for call in calls if "sekisho" in call[1]]


@pytest.mark.parametrize(("name", "line"), find_calls())
def test_commands_take_their_options(name: str, line: str) -> None:
    call = re.search(r"sekisho (serve|worker) (.*)", line)
    assert call is not None, name
    manual = (ROOT / "docs" / "reference" / "commands.md").read_text()
    section = re.search(rf"\n## sekisho {call[1]}\n(.*?)(?:\n## |\Z)", manual, flags=re.DOTALL)
    assert section is not None
    for option in re.findall(r"--[a-z-]+", call[2]):
        assert f"{option} " in section[1], (name, option)


def test_only_workers_are_given_the_vault() -> None:
    for name, line in find_calls():
        assert ("--vault" in line) == ("sekisho worker" in line or '"worker"' in line), name
    web = read_unit(DEPLOY / "systemd" / "sekisho-web.service")["Service"]
    worker = read_unit(DEPLOY / "systemd" / "sekisho-worker@.service")["Service"]
    assert web["InaccessiblePaths"] == "/var/lib/sekisho-vault"
    assert web["User"] != worker["User"]
    assert web["Group"] == worker["Group"]


def test_no_secret_is_in_a_command_line() -> None:
    for name, line in find_calls():
        assert "password" not in line.lower(), name
