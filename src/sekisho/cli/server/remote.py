"""``sekisho remote``: a team's client of a contest's server.

What a referee does with a server from a command line: phases, and files on which the platform failed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NoReturn, cast

import typer

from sekisho.cli.kit.answer import Answer, AsJson, say
from sekisho.cli.kit.choices import TYPER
from sekisho.cli.kit.language import chosen_language, tell_words
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.server.asking import HOME, SHOWN, Config, ask, read_message
from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.scoring import DELETED, GUESS, RELEASED
from sekisho.contest.state import EntryStatus
from sekisho.data.files.whole_files import check_paths, read_bytes
from sekisho.data.files.zip_guard import is_zip
from sekisho.errors import ParameterError
from sekisho.seeds import draw_token
from sekisho.server.contest.client import Remote, quote_part, read_remote, save_file, save_remote
from sekisho.words import Language, Said, join_words

ASKED = (PhaseKind.PRACTICE, PhaseKind.PUBLISH, PhaseKind.REVEAL)
QUESTION = Said("this is shown to others; type the name of the round (of the contest for all of it) to confirm: ")
Phase = Annotated[PhaseKind, typer.Argument(metavar="PHASE", help="Such as register, anonymise, publish, attack.")]
NamedRound = Annotated[str, typer.Option("--round", help="The round; none for phases that the contest has once.")]
Confirm = Annotated[
    str, typer.Option("--confirm", help="For practice, publish and reveal: the name that confirms; asked if not given.")
]


def requeue(
    entries: Annotated[list[int], typer.Argument(metavar="ENTRY…", help="Files on which the platform failed.")],
    set_aside: Annotated[str, typer.Option("--set-aside", help="Give them up instead, and why.")] = "",
    config: Config = HOME,
    as_json: AsJson = False,
) -> None:
    """Have files scored after all on which the platform failed, or set them aside; for the referee.

    Example: `sekisho remote requeue 12 13`, or `sekisho remote requeue 12 --set-aside "handed in again as 14"`
    """
    remote = read_remote(config.expanduser())
    verb, body = ("set-aside", {"reason": set_aside}) if set_aside else ("requeue", {})
    for number in entries:
        path = f"/api/v1/submissions/{number}/{verb}"
        ask(lambda path=path: remote.change(path, body), as_json=as_json)
    words = (
        Said("{entries} files set aside", entries=len(entries))
        if set_aside
        else Said("{entries} files are scored again", entries=len(entries))
    )
    Answer(keys={"accepted": True, "entries": entries}, words=words).deliver(as_json=as_json)


def open_phase(
    phase: Phase,
    asked_round: NamedRound = "",
    until: Annotated[str, typer.Option("--until", help="When it closes; when the next one opens if not given.")] = "",
    confirm: Confirm = "",
    config: Config = HOME,
    as_json: AsJson = False,
) -> None:
    """Open a phase on a server; practice, publish and reveal ask for the name of the round first; for the referee.

    Example: `sekisho remote open publish --round final --confirm final`
    """
    remote = read_remote(config.expanduser())
    typed = _settle_confirmation(phase, confirm)
    body = {"phase": str(phase), "round": asked_round, "until": until, "confirm": typed}
    ask(lambda: remote.change("/api/v1/phases/open", body), as_json=as_json)
    keys = {"accepted": True, "phase": str(phase), "round": asked_round}
    Answer(keys=keys, words=Said("{phase} is open", phase=f"{phase} {asked_round}".strip())).deliver(as_json=as_json)


def withdraw(
    phase: Annotated[PhaseKind, typer.Argument(metavar="PHASE", help="publish or reveal.")],
    reason: Annotated[str, typer.Option("--reason", help="Why; everybody is told.")],
    reason_ja: Annotated[str, typer.Option("--reason-ja", help="The same in Japanese.")] = "",
    asked_round: NamedRound = "",
    confirm: Confirm = "",
    config: Config = HOME,
    as_json: AsJson = False,
) -> None:
    """Take a publication that nobody has attacked, or a reveal, back; that it was there stays written; for the referee.

    Example: `sekisho remote withdraw publish --round final --confirm final --reason "a release was missing"`
    """
    if phase not in (PhaseKind.PUBLISH, PhaseKind.REVEAL):
        raise ParameterError("PHASE", Said("be publish or reveal"), str(phase))
    remote = read_remote(config.expanduser())
    typed = _settle_confirmation(phase, confirm)
    body = {"phase": str(phase), "round": asked_round, "confirm": typed, "en": reason, "ja": reason_ja}
    ask(lambda: remote.change("/api/v1/phases/withdraw", body), as_json=as_json)
    keys = {"accepted": True, "phase": str(phase), "round": asked_round}
    Answer(keys=keys, words=Said("{phase} is taken back", phase=f"{phase} {asked_round}".strip())).deliver(
        as_json=as_json
    )


def _settle_confirmation(phase: PhaseKind, given: str) -> str:
    """Return what was typed; asked for where somebody sits at the terminal, else the server refuses and says what."""
    if given or phase not in ASKED or not sys.stdin.isatty():
        return given
    return typer.prompt(tell_words(QUESTION), prompt_suffix="", err=True).strip()


PAUSE = 1.0
ARCHIVE, EVERY_ATTACK = "archive", "/api/v1/attacks/all"
STATES = {
    EntryStatus.PENDING: Said("being scored"),
    EntryStatus.VALID: Said("valid"),
    EntryStatus.INVALID: Said("invalid"),
    EntryStatus.FAULTED: Said("failed on the server, costs nothing"),
}
SHARED = Said("practice releases are shown to all other teams as soon as they are valid")
VARIABLE = "SEKISHO_TOKEN"
RoundOption = Annotated[str, typer.Option("--round", help="The round, or practice; the usual one if not given.")]

app = typer.Typer(
    help="Take part in a contest on a server: `sekisho remote login`, `submit`, `status`, `download`.",
    no_args_is_help=True,
    **TYPER,
)
app.command()(requeue)
app.command("open")(open_phase)
app.command()(withdraw)


@app.command()
def login(
    url: Annotated[str, typer.Argument(metavar="URL", help="The server's address.")],
    token: Annotated[
        Path | None, typer.Option("--token", help=f"A file with the team's token; ${VARIABLE} if not given.")
    ] = None,
    config: Config = HOME,
    as_json: AsJson = False,
) -> None:
    """Keep a server's address and a team's token, having tried them.

    Example: `sekisho remote login https://cup.example.org --token token.txt`
    """
    secret = read_bytes(token, max_bytes=1000).decode(errors="replace") if token else os.environ.get(VARIABLE, "")
    remote = Remote(url=url.rstrip("/"), token=secret.strip())
    me = ask(lambda: cast("dict[str, str]", remote.ask("/api/v1/me")), as_json=as_json)
    save_remote(config.expanduser(), remote)
    keys = {"team": me["team"], "role": me["role"], "url": remote.url}
    Answer(
        keys=keys, words=Said("{url}: team {team}, {role}", url=remote.url, team=me["team"], role=me["role"])
    ).deliver(as_json=as_json)


@app.command()
def submit(
    *,
    released: Annotated[
        Path | None, typer.Option("--released", help="The release; of several parts also a zip of them.")
    ] = None,
    parts: Annotated[
        list[str] | None, typer.Option("--part", help="Of a release of several parts: NAME=FILE, once for each.")
    ] = None,
    deleted: Annotated[Path | None, typer.Option("--deleted", help="Of records: X, the deleted rows from 0.")] = None,
    guess: Annotated[Path | None, typer.Option("--guess", help="Or an attack.")] = None,
    target: Annotated[
        str, typer.Option("--target", help="Of an attack: whose release; of tables, all side by side if not given.")
    ] = "",
    asked_round: RoundOption = "",
    key: Annotated[str, typer.Option("--key", help="The same key twice counts once; drawn if not given.")] = "",
    wait: Annotated[float, typer.Option("--wait", min=0, max=3600, help="Seconds to wait for the result.")] = 60.0,
    config: Config = HOME,
    as_json: AsJson = False,
) -> None:
    """Hand a release or an attack in, and wait for its result; status 1 if it is invalid or not accepted.

    Of contests whose releases are tables, one file with the answers about all teams side by side may attack them all.

    Example: `sekisho remote submit --released A.csv`, or `sekisho remote submit --guess F1.csv --target team02`
    """
    files = _read_release(released, deleted, parts or [])
    if (guess is None) == (not files):
        raise ParameterError("--released", Said("be given, or --guess: one of them"), sorted(files))
    if target and guess is None:
        raise ParameterError("--target", Said("be given with --guess, and only with it"), target)
    remote = read_remote(config.expanduser())
    used = key or draw_token()
    fields = {"round": asked_round} | ({"target": target} if target else {})
    if guess is not None:
        files = {GUESS: read_bytes(guess)}
        if not target:
            _attack_all(remote, fields, files, used, wait, as_json=as_json)
    elif asked_round == PRACTICE_ROUND:
        say(tell_words(SHARED))
    path = "/api/v1/attacks" if target else "/api/v1/submissions"
    receipt = ask(lambda: cast("dict[str, object]", remote.hand_in(path, fields, files, used)), as_json=as_json)
    with show_progress(Said("waiting for the result")):
        entry = ask(lambda: _await_result(remote, int(str(receipt["entry"])), wait), as_json=as_json)
    _give_entry(entry, {"receipt": receipt}, as_json=as_json)


def _read_release(released: Path | None, deleted: Path | None, parts: Sequence[str]) -> dict[str, bytes]:
    """Return the files of a release by what they are: one table, parts named one by one, or an archive of them."""
    named = [each.partition("=") for each in parts]
    wrong = [each for each, (name, mark, file) in zip(parts, named, strict=True) if not (name and mark and file)]
    if wrong:
        raise ParameterError("--part", Said("be NAME=FILE, once for each name"), wrong)
    paths = {RELEASED: released, DELETED: deleted} | {name: Path(file) for name, _, file in named}
    files = {kind: read_bytes(path) for kind, path in paths.items() if path is not None}
    archived = set(files) == {RELEASED} and is_zip(files[RELEASED][:4])
    return {ARCHIVE: files[RELEASED]} if archived else files


def _attack_all(
    remote: Remote, fields: Mapping[str, str], files: Mapping[str, bytes], key: str, wait: float, *, as_json: bool
) -> NoReturn:
    """Hand in one file about all releases, and wait for the results: what is wrong with one costs that one alone."""
    taken = ask(
        lambda: cast("dict[str, list[Mapping[str, object]]]", remote.hand_in(EVERY_ATTACK, fields, files, key)),
        as_json=as_json,
    )
    numbers = [int(str(each["entry"])) for each in taken["receipts"]]
    with show_progress(Said("waiting for the result")):
        entries = ask(lambda: [_await_result(remote, number, wait) for number in numbers], as_json=as_json)
    japanese = chosen_language() is Language.JA
    lines = [
        *map(_describe, entries),
        *(
            Said("{source}: {reason}", source=each["target"], reason=each["error_ja" if japanese else "error"])
            for each in taken["refused"]
        ),
        *([Said("not attacked: {teams}", teams=", ".join(map(str, taken["missing"])))] if taken["missing"] else []),
    ]
    good = not taken["refused"] and all(entry["status"] in ("valid", "pending") for entry in entries)
    Answer(keys={**taken, "entries": entries, "valid": good}, words=join_words(lines, "\n"), good=good).deliver(
        as_json=as_json
    )


@app.command()
def choose(
    number: Annotated[int, typer.Argument(metavar="ENTRY", min=1, help="The release that is to count.")],
    config: Config = HOME,
    as_json: AsJson = False,
) -> None:
    """Say which of the team's valid releases counts, where the rules leave that to the team.

    Example: `sekisho remote choose 2`
    """
    remote = read_remote(config.expanduser())
    path = f"/api/v1/submissions/{number}/choose"
    entry = ask(lambda: cast("dict[str, object]", remote.change(path, {})), as_json=as_json)
    words = Said("your entry now is #{number}", number=entry["counts_now"])
    Answer(keys={"accepted": True, **entry}, words=words).deliver(as_json=as_json)


@app.command()
def status(
    number: Annotated[int | None, typer.Argument(metavar="[ENTRY]", help="One entry; all if not given.")] = None,
    config: Config = HOME,
    as_json: AsJson = False,
) -> None:
    """Show what became of what was handed in, and the phases.

    Example: `sekisho remote status`, or `sekisho remote status 12`
    """
    remote = read_remote(config.expanduser())
    if number is not None:
        entry = ask(lambda: cast("dict[str, object]", remote.ask(f"/api/v1/submissions/{number}")), as_json=as_json)
        _give_entry(entry, {}, as_json=as_json)
    names = ("me", "schedule", "submissions", "attacks")
    answers = ask(lambda: {name: remote.ask(f"/api/v1/{name}") for name in names}, as_json=as_json)
    schedule = cast("Mapping[str, list[Mapping[str, object]]]", answers["schedule"])
    entries = [
        *cast("list[Mapping[str, object]]", answers["submissions"]),
        *cast("list[Mapping[str, object]]", answers["attacks"]),
    ]
    lines = [
        *(
            Said("{phase}: open until {closes_local}", phase=each["phase"], closes_local=each["closes_local"])
            if each["closes_local"]
            else Said("{phase}: open until further notice", phase=each["phase"])
            for each in schedule["phases"]
            if each["open"]
        ),
        *map(_describe, entries),
    ]
    Answer(keys=answers, words=join_words(lines, "\n") or Said("nothing is open, and nothing was handed in")).deliver(
        as_json=as_json
    )


@app.command()
def download(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="original, published, test, receipt or sample.")],
    out: Annotated[Path, typer.Option("--out", help="The file to write.")],
    about: Annotated[
        str,
        typer.Option("--of", help="Whose release (published, test), which entry (receipt), sample or original."),
    ] = "",
    asked_round: RoundOption = "final",
    config: Config = HOME,
    as_json: AsJson = False,
) -> None:
    """Download a file: the original, a published release, one's test set, a receipt, a sample.

    Example: `sekisho remote download published --of team02 --round final --out A1.csv`
    """
    place, name = quote_part(asked_round), quote_part(about)
    paths = {
        "original": f"/api/v1/rounds/{place}/original" + (f"?number={name}" if name else ""),
        "published": f"/api/v1/targets/{place}/{name}/published",
        "test": f"/api/v1/targets/{place}/{name}/test",
        "receipt": f"/api/v1/submissions/{name}/receipt",
        "sample": f"/api/v1/samples/{name}",
    }
    if what not in paths:
        raise ParameterError("WHAT", Said("be one of {found}", found=", ".join(paths)), what)
    if not about and what != "original":
        raise ParameterError("--of", Said("be given for {what}", what=what), about)
    check_paths(reads=[], writes={"--out": out})
    remote = read_remote(config.expanduser())
    data = ask(lambda: remote.fetch(paths[what]), as_json=as_json)
    save_file(out, data)
    Answer(
        keys={"out": str(out), "bytes": len(data)},
        words=Said("{data:,} bytes written to {out}", data=len(data), out=out),
    ).deliver(as_json=as_json)


def _await_result(remote: Remote, number: int, seconds: float) -> dict[str, object]:
    end = time.monotonic() + seconds
    while True:
        entry = cast("dict[str, object]", remote.ask(f"/api/v1/submissions/{number}"))
        if entry["status"] != "pending" or time.monotonic() > end:
            return entry
        time.sleep(PAUSE)


def _give_entry(entry: Mapping[str, object], more: Mapping[str, object], *, as_json: bool) -> NoReturn:
    errors = cast("list[Mapping[str, object]]", entry["errors"])
    places = [
        Said("row {row}, {column}: {message}", row=each["row"], column=each["column"], message=read_message(each))
        for each in errors[:SHOWN]
    ]
    good = entry["status"] in ("valid", "pending")
    Answer(keys={**entry, **more}, words=join_words([_describe(entry), *places], "\n"), good=good).deliver(
        as_json=as_json
    )


def _describe(entry: Mapping[str, object]) -> str:
    score = cast("Mapping[str, object]", entry["score"])
    figures = ", ".join(f"{name} {value}" for name, value in score.items() if not isinstance(value, dict | list))
    state = STATES[EntryStatus(str(entry["status"]))]
    if entry["count"]:
        state = Said("{state}, {count} errors", state=state, count=entry["count"])
    if figures:
        state = Said("{source}: {reason}", source=state, reason=figures)
    if not entry["target"]:
        return Said("entry #{entry} ({round}): {state}", entry=entry["entry"], round=entry["round"], state=state)
    return Said(
        "entry #{entry} on {target} ({round}): {state}",
        entry=entry["entry"],
        target=entry["target"],
        round=entry["round"],
        state=state,
    )
