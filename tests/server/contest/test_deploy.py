"""The files for deployment call our commands by options that exist, and give the vault to workers only."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from configparser import RawConfigParser
from pathlib import Path

import pytest
import yaml
from tests.cli.server.test_server_commands import await_ready, find_port
from tests.contest.folder.cup import RULES, draw_history
from tests.server.contest.cup_site import begin_folder

from sekisho.cli.kit.manual import read_manual
from sekisho.data.history.files import write_original

ROOT = Path(__file__).parents[3]
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
    options = read_manual()[call[1]]["options"]
    for option in re.findall(r"--[a-z-]+", call[2]):
        assert {option, f"{option}="} & options.keys(), (name, option)


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


def test_no_container_but_the_worker_mounts_the_vault() -> None:
    compose = yaml.safe_load((DEPLOY / "containers" / "compose.yaml").read_text())
    assert set(compose["services"]) == {"database", "web", "worker", "proxy"}
    for name, service in compose["services"].items():
        mounted = {volume.partition(":")[0] for volume in service["volumes"]}
        assert ("vault" in mounted) == (name == "worker"), name
        assert mounted - {"../proxy/Caddyfile"} <= set(compose["volumes"]), name
        assert "privileged" not in service, name
        assert name in ("database", "proxy") or service["read_only"], name


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_writes_only_where_it_must_and_shares_no_compiled_code(path: Path) -> None:
    service = read_unit(path)["Service"]
    assert service["ProtectSystem"] == "strict"
    assert service["NoNewPrivileges"] == "yes"
    assert "MemoryDenyWriteExecute" not in service  # numba compiles while it runs
    # compiled functions are code: a worker that loads what the web's user wrote would run it beside the vault
    assert service["Environment"] == f"NUMBA_CACHE_DIR=/var/cache/{service['User']}"
    assert service["CacheDirectory"] == service["User"]
    reaches = "/var/lib/sekisho-vault" in service["ReadWritePaths"].split()
    assert reaches == (service["User"] == "sekisho-worker")
    assert reaches or service["InaccessiblePaths"] == "/var/lib/sekisho-vault"


def test_no_registry_is_named() -> None:
    for path in (DEPLOY / "containers").iterdir():
        for image in re.findall(r"(?:^FROM|image:) (\S+)", path.read_text(), flags=re.MULTILINE):
            assert "/" not in image, (path.name, image)


def write_line(unit: str, place: Path, url: str, port: int) -> list[str]:
    """Return the words of a unit's command as systemd would call them, with places of the test's own."""
    line = read_unit(DEPLOY / "systemd" / unit)["Service"]["ExecStart"].replace("%%", "%")
    for old, new in {
        "/opt/sekisho/bin/sekisho": f"{sys.executable} -m sekisho",
        "/var/lib/sekisho-vault": str(place / "vault"),
        "/var/lib/sekisho": str(place),
        "/var/backups/sekisho": str(place / "backups"),
        "--port 8000": f"--port {port}",
        "${SEKISHO_DATABASE}": url,
    }.items():
        line = line.replace(old, new)
    return shlex.split(line)


def test_the_commands_of_the_units_run(tmp_path: Path) -> None:
    original = write_original(draw_history(), RULES)
    (tmp_path / "cup.zip").write_bytes(begin_folder(tmp_path / "new", original))
    (tmp_path / "backups").mkdir()
    url, port = f"sqlite:///{tmp_path / 'contest.sqlite3'}", find_port()
    store = ["--database", url, "--store", str(tmp_path / "store")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "SEKISHO_DATABASE": url}
    bring_in = ["--import", str(tmp_path / "cup.zip"), "--vault", str(tmp_path / "vault")]
    subprocess.run([sys.executable, "-m", "sekisho", "worker", *bring_in, *store], env=environment, check=True)
    running = [
        subprocess.Popen(
            write_line(unit, tmp_path, url, port), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for unit in ("sekisho-web.service", "sekisho-worker@.service")
    ]
    try:
        await_ready(port)
        assert [process.poll() for process in running] == [None, None]
        subprocess.run(write_line("sekisho-backup.service", tmp_path, url, port), env=environment, check=True)
        (backup,) = (tmp_path / "backups").iterdir()
        assert re.fullmatch(r"\d{8}T\d{6}\.zip", backup.name)
    finally:
        for process in running:
            process.terminate()
    assert [process.wait(30) for process in running] == [0, 0]
