"""What a referee does with a server from a command line: phases, and files on which the platform failed."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.language.translation import tell_words
from sekisho.cli.server.asking import HOME, Config, ask
from sekisho.contest.rules.contest_rules import PhaseKind
from sekisho.errors import ParameterError
from sekisho.server.client import read_remote
from sekisho.words import Said

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
