"""Serve a contest in which every kind of thing exists: ``python tests_api/serve_contest.py FOLDER``.

Run with the environment of the package; the programs that send requests have one of their own. ``--prepare`` sets the
contest up and ends; otherwise one line of JSON is printed (its address, tokens by role) and the contest is served, with
a worker beside it, until the process is told to end.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event as Signal
from threading import Thread

import uvicorn
from tests.contest.folder.cup import RULES, attack_release, draw_history, make_releases
from tests.server.contest.cup_site import CHEAP, PHRASE, TEAMS, CupSite, open_site, prepare_site
from tests.server.contest.pages.visits import practise

from sekisho.contest.rules import PhaseKind
from sekisho.data.history.files import write_original, write_release
from sekisho.server.contest.app import create_app
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.settings import RequestLimits, WebSettings
from sekisho.server.contest.store import Store
from sekisho.server.contest.vault.worker import Worker
from sekisho.server.web.logs import configure_logs

MANY = 10**9
UNHURRIED = RequestLimits(
    team_requests=MANY,
    address_requests=MANY,
    team_uploads=MANY,
    login_failures=MANY,
    name_failures=MANY,
    registrations=MANY,
)
ROLES = {"spectator": "spectator", "member": "raw", "captain": "raw-captain", "referee": "referee"}
TOKENS = "tokens.json"
NAMES = {
    "team": TEAMS,
    "target": TEAMS,
    "round": ("practice", "preliminary", "final"),
    "number": tuple(range(1, 30)),
    "token": (11, 12),
    "name": ("again",),
    "kind": ("released", "guess"),
    "login": tuple(f"{team}-captain" for team in TEAMS),
    "password": (PHRASE,),
    "phase": tuple(PhaseKind),
}
"""What requests should mostly be about. Those who ask have tokens with lower numbers: nobody revokes his own."""


def prepare(folder: Path) -> None:
    """Play a contest, and keep a copy of it at each stage.

    Registration: practice is open, with files of all kinds. Anonymisation: the preliminary round is over, releases of
    the final are in. Attack: the final is published, attacks are in, a rejudging is ready. Reveal: everything is out.
    """
    data = draw_history()
    releases = make_releases(data)
    materials = {team: write_release(release, RULES) for team, release in releases.items()}
    materials |= {f"attack on {team}": attack_release(release, data) for team, release in releases.items()}
    materials["original"] = write_original(data, RULES)
    url = find_database(folder / "now")
    tokens = prepare_site(folder / "now", url, materials)
    (folder / "now" / TOKENS).write_text(json.dumps({role: tokens[name] for role, name in ROLES.items()}))
    for stage, play in STAGES.items():
        with open_site(folder / "now", url, materials, tokens, UNHURRIED) as cup:
            cup.clock.turn(3600 * (1 + list(STAGES).index(stage)))
            play(cup)
        shutil.copytree(folder / "now", folder / stage)
    shutil.rmtree(folder / "now")
    write_files(folder / "files", materials)


def write_files(folder: Path, materials: Mapping[str, bytes]) -> None:
    """Write what requests may bring: names that exist, a valid release, a valid attack."""
    folder.mkdir()
    (folder / "release.csv").write_bytes(materials["pairs"])
    (folder / "guess.csv").write_bytes(materials["attack on pairs"])
    (folder / "names.json").write_text(json.dumps(NAMES))


def play_registration(cup: CupSite) -> None:
    """Practise while teams register; a token is there to be revoked."""
    practise(cup)
    assert cup.open("register").status_code == 200
    assert cup.call("raw-captain", "POST", "/api/v1/teams/raw/tokens", json={"label": "spare"}).status_code == 201


def play_anonymisation(cup: CupSite) -> None:
    """Play the preliminary round, and hand releases of the final in."""
    play_round(cup, "preliminary")
    assert cup.open("evaluate", "preliminary").status_code == 200
    hand_in(cup, "final")


def play_attack(cup: CupSite) -> None:
    """Publish the final and attack it; score everything again without applying it."""
    attack_all(cup, "final")
    assert cup.call("referee", "POST", "/api/v1/rejudgings", json={"name": "again"}).status_code == 201
    cup.worker.drain()


def play_reveal(cup: CupSite) -> None:
    """Reveal the results."""
    assert cup.open("evaluate", "final").status_code == 200
    assert cup.open("reveal").status_code == 200


def play_round(cup: CupSite, name: str) -> None:
    """Play a round up to its attacks."""
    hand_in(cup, name)
    attack_all(cup, name)


def hand_in(cup: CupSite, name: str) -> None:
    """Hand a release of each team in."""
    assert cup.open("anonymise", name).status_code == 200
    for team in TEAMS:
        assert cup.submit(team, cup.materials[team], round_name=name).status_code == 201
    cup.worker.drain()


def attack_all(cup: CupSite, name: str) -> None:
    """Publish a round; each team but the last attacks each release."""
    for phase in ("publish", "attack"):
        assert cup.open(phase, name).status_code == 200
        cup.worker.drain()
    for team in TEAMS[:-1]:
        for target in TEAMS:
            if team != target:
                guess = cup.materials[f"attack on {target}"]
                assert cup.attack(team, target, guess, round_name=name).status_code == 201
    cup.worker.drain()


STAGES: dict[str, Callable[[CupSite], None]] = {
    "registration": play_registration,
    "anonymisation": play_anonymisation,
    "attack": play_attack,
    "reveal": play_reveal,
}


def serve(folder: Path) -> None:
    """Serve the contest of a folder, and work on what comes in."""
    url, store = find_database(folder), folder / "store"
    configure_logs(sys.stderr)
    app = create_app(WebSettings(database=url, store=store, secure=False, limits=UNHURRIED, passwords=CHEAP))
    worker = Worker(database=Database(url), store=Store(store), vault=folder / "vault")
    stop = Signal()
    Thread(target=worker.run, args=(stop,), daemon=True).start()
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        tokens = json.loads((folder / TOKENS).read_text())
        sys.stdout.write(json.dumps({"url": f"http://127.0.0.1:{port}", "tokens": {"anonymous": ""} | tokens}) + "\n")
        sys.stdout.flush()
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", access_log=False))
        server.run([listening])
    stop.set()


def find_database(folder: Path) -> str:
    """Return the URL of a folder's database."""
    return f"sqlite:///{folder / 'contest.sqlite3'}"


def main() -> None:
    """Prepare or serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--prepare", action="store_true")
    given = parser.parse_args()
    (prepare if given.prepare else serve)(given.folder.resolve())


if __name__ == "__main__":
    main()
