"""``sekisho contest submit`` and ``sekisho contest attack``: files that teams hand in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.contest.evaluate import Folder
from sekisho.cli.contest.live import At, Round, refuse_event, settle_moment, settle_round
from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.contest.folder.desk import (
    FileReceipt,
    list_release_files,
    prepare_practice,
    submit_attack,
    submit_release,
)
from sekisho.contest.folder.live import LEDGER, LiveContest, hold_contest, read_contest
from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.rulings.disclosure import show_entry
from sekisho.contest.rulings.entries import count_left
from sekisho.contest.rulings.refusal import RefusedEventError
from sekisho.contest.state import EntryStatus
from sekisho.data.files.whole_files import check_paths
from sekisho.errors import ParameterError
from sekisho.words import Said, join_words

SHOWN = 20

Team = Annotated[str, typer.Option("--team", help="Who hands it in.")]
Key = Annotated[str, typer.Option("--key", help="The same key twice counts once, so that a call may be repeated.")]
Practice = Annotated[bool, typer.Option("--practice", help="Practise: it is scored and does not count.")]


def submit(
    folder: Folder,
    *,
    team: Team,
    released: Annotated[Path, typer.Option("--released", help="The release.")],
    deleted: Annotated[Path | None, typer.Option("--deleted", help="Of records: X, the deleted rows from 0.")] = None,
    asked_round: Round = "",
    practice: Practice = False,
    key: Key = "",
    at: At = "",
    as_json: AsJson = False,
) -> None:
    """Hand a release in: it is kept, checked and scored; status 1 if it is invalid or not accepted.

    Example: `sekisho contest submit cup --team team01 --released A.csv`
    """
    with hold_contest(folder) as live:
        moment = settle_moment(at, live.state.contest.zone)
        name = _settle_round(live, PhaseKind.ANONYMISE, asked_round, practice=practice)
        files = list_release_files(released, deleted)
        try:
            receipt = submit_release(live, team, name, files, at=moment, key=key)
        except RefusedEventError as error:
            refuse_event(error, as_json=as_json)
        _give_receipt(receipt, moment).deliver(as_json=as_json)


def attack(
    folder: Folder,
    *,
    team: Team,
    target: Annotated[str, typer.Option("--target", help="Whose release it attacks.")],
    guess: Annotated[Path, typer.Option("--guess", help="The attack.")],
    asked_round: Round = "",
    practice: Practice = False,
    key: Key = "",
    at: At = "",
    as_json: AsJson = False,
) -> None:
    """Hand an attack in: it is kept, checked and judged; status 1 if it is invalid or not accepted.

    What it came to is told as the phase's feedback allows.

    Example: `sekisho contest attack cup --team team01 --target team02 --guess F1.csv`
    """
    with hold_contest(folder) as live:
        moment = settle_moment(at, live.state.contest.zone)
        name = _settle_round(live, PhaseKind.ATTACK, asked_round, practice=practice)
        try:
            receipt = submit_attack(live, team, target, name, guess, at=moment, key=key)
        except RefusedEventError as error:
            refuse_event(error, as_json=as_json)
        _give_receipt(receipt, moment).deliver(as_json=as_json)


def practise(
    folder: Folder,
    *,
    team: Annotated[str, typer.Option("--team", help="Who attacks.")],
    target: Annotated[str, typer.Option("--target", help="Whose practice release is attacked.")],
    published: Annotated[Path, typer.Option("--published", help="Write what would be published of it.")],
    test: Annotated[Path | None, typer.Option("--test", help="Of records: write the attacker's test set.")] = None,
    as_json: AsJson = False,
) -> None:
    """Fetch what a team needs to attack a practice release; `contest attack --practice` then scores the attack.

    Example: `sekisho contest practise cup --team team01 --target team02 --published P.csv`
    """
    check_paths(reads=[folder / LEDGER], writes={"--published": published, "--test": test})
    live = read_contest(folder)
    entry = live.state.find_target(PRACTICE_ROUND, target)
    if entry is None or team not in live.state.teams or team == target:
        raise ParameterError("--target", Said("be another team that has a valid practice release"), target)
    made = prepare_practice(live, team, entry.number)
    if bool(made.shown) != (test is not None):
        rule = Said("be given for records, and for them only")
        raise ParameterError("--test", rule, None if test is None else str(test))
    files = {published: made.public} | ({} if test is None else {test: made.shown})
    keys = {"entry": entry.number, "published": str(published), "test": None if test is None else str(test)}
    Answer(
        keys=keys,
        words=Said(
            "entry #{number} of {target} is in {published}", number=entry.number, target=target, published=published
        ),
        files=files,
    ).deliver(as_json=as_json)


def _settle_round(live: LiveContest, kind: PhaseKind, asked: str, *, practice: bool) -> str:
    if practice and asked:
        raise ParameterError("--round", Said("not be given together with --practice"), asked)
    return PRACTICE_ROUND if practice else settle_round(live, kind, asked)


def _give_receipt(receipt: FileReceipt, moment: str) -> Answer:
    entry, state = receipt.entry, receipt.contest.state
    kind = PhaseKind.ATTACK if entry.is_attack else PhaseKind.ANONYMISE
    kind = PhaseKind.PRACTICE if entry.round == PRACTICE_ROUND else kind
    final = state.find_final(entry.round, entry.team, entry.target)
    valid = entry.status is EntryStatus.VALID
    keys = {
        "accepted": True,
        "valid": valid,
        **show_entry(state, entry, moment),
        "files": dict(entry.files),
        "repeated": receipt.repeated,
        "counts_now": None if final is None else final.number,
        "left": count_left(state, kind, entry.round, entry.team, entry.target),
        "errors": [fault.as_dict() for fault in receipt.faults],
        "count": entry.faults,
    }
    rest = entry.faults - SHOWN
    state = Said("valid") if valid else Said("invalid, {faults:,} errors", faults=entry.faults)
    counts = Said("no valid entry yet") if final is None else Said("your entry now is #{number}", number=final.number)
    lines = [
        Said("entry #{number}: {state}; {counts}", number=entry.number, state=state, counts=counts),
        *map(str, receipt.faults[:SHOWN]),
        *([Said("and {rest:,} more", rest=rest)] if rest > 0 else []),
        *(f"{kind} {digest}" for kind, digest in entry.files.items()),
    ]
    return Answer(keys=keys, words=join_words(lines, "\n"), good=valid)
