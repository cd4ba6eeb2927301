"""``sekisho contest submit`` and ``sekisho contest attack``: files that teams hand in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from sekisho.cli.contest.evaluate import Folder
from sekisho.cli.contest.live import At, Round, refuse_event, settle_moment, settle_round
from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.contest.event import Chosen
from sekisho.contest.folder.desk import (
    FileReceipt,
    list_release_files,
    prepare_practice,
    submit_attack,
    submit_release,
    unpack_release,
)
from sekisho.contest.folder.live import LEDGER, LiveContest, hold_contest, read_contest
from sekisho.contest.folder.split_attacks import split_attacks
from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.rulings.disclosure import show_entry
from sekisho.contest.rulings.entries import count_left
from sekisho.contest.rulings.refusal import RefusedEventError
from sekisho.contest.state import EntryStatus
from sekisho.data.files.whole_files import check_paths, read_bytes
from sekisho.data.files.zip_guard import is_zip, pack_files
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
    released: Annotated[
        Path | None, typer.Option("--released", help="The release; of several parts also a zip of them.")
    ] = None,
    parts: Annotated[
        list[str] | None, typer.Option("--part", help="Of a release of several parts: NAME=FILE, once for each.")
    ] = None,
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
        with TemporaryDirectory() as place:
            files = gather_files(live.rules.release_files, released, deleted, parts or [], Path(place))
            try:
                receipt = submit_release(live, team, name, files, at=moment, key=key)
            except RefusedEventError as error:
                refuse_event(error, as_json=as_json)
        _give_receipt(receipt, moment).deliver(as_json=as_json)


def gather_files(
    kinds: tuple[str, ...], released: Path | None, deleted: Path | None, parts: Sequence[str], place: Path
) -> dict[str, Path]:
    """Return the files of a release by what they are: one table, parts named one by one, or an archive of them."""
    named = {name: file for name, _, file in (each.partition("=") for each in parts)}
    unknown = sorted(set(named) - set(kinds))
    if unknown:
        raise ParameterError("--part", Said("be one of {found}, each NAME=FILE", found=", ".join(kinds)), unknown)
    if released is None and not named:
        raise ParameterError("--released", Said("be given"), None)
    if released is not None and len(kinds) > 1 and is_zip(read_bytes(released)[:4]):
        return unpack_release(released, kinds, place)
    files = {} if released is None else list_release_files(released, deleted)
    return files | {name: Path(file) for name, file in named.items()}


def choose(
    folder: Folder,
    entry: Annotated[int, typer.Argument(metavar="ENTRY", min=1, help="The release that is to count.")],
    *,
    team: Team,
    asked_round: Round = "",
    at: At = "",
    as_json: AsJson = False,
) -> None:
    """Say which of a team's valid releases counts, where the rules leave that to the team.

    Example: `sekisho contest choose cup 12 --team team01`
    """
    with hold_contest(folder) as live:
        moment = settle_moment(at, live.state.contest.zone)
        name = settle_round(live, PhaseKind.ANONYMISE, asked_round)
        try:
            live.send(Chosen(at=moment, team=team, round=name, entry=entry))
        except RefusedEventError as error:
            refuse_event(error, as_json=as_json)
        keys = {"accepted": True, "team": team, "round": name, "counts_now": entry}
        Answer(keys=keys, words=Said("your entry now is #{number}", number=entry)).deliver(as_json=as_json)


def attack(
    folder: Folder,
    *,
    team: Team,
    guess: Annotated[Path | None, typer.Option("--guess", help="The attack.")] = None,
    parts: Annotated[
        list[str] | None, typer.Option("--part", help="Of an attack with several answers: NAME=FILE, once for each.")
    ] = None,
    target: Annotated[
        str, typer.Option("--target", help="Whose release it attacks; of tables, all side by side if not given.")
    ] = "",
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
        with TemporaryDirectory() as place:
            told = _gather_answers(guess, parts or [], Path(place))
            try:
                if not target:
                    _attack_all(live, team, name, told, moment, key).deliver(as_json=as_json)
                receipt = submit_attack(live, team, target, name, told, at=moment, key=key)
            except RefusedEventError as error:
                refuse_event(error, as_json=as_json)
        _give_receipt(receipt, moment).deliver(as_json=as_json)


def _gather_answers(guess: Path | None, parts: Sequence[str], place: Path) -> Path:
    """Return the one file that an attack is: as it was given, or its answers as an archive."""
    if (guess is None) == (not parts):
        raise ParameterError("--guess", Said("be given, or --part"), None if guess is None else str(guess))
    if guess is not None:
        return guess
    named = {name: Path(file) for name, _, file in (each.partition("=") for each in parts)}
    path = place / "answers.zip"
    path.write_bytes(pack_files({f"{name}.csv": read_bytes(file) for name, file in named.items()}))
    return path


def _attack_all(live: LiveContest, team: str, round_name: str, guess: Path, moment: str, key: str) -> Answer:
    """Hand in one file with the answers about all releases: what is wrong with one target costs that target alone."""
    answers: list[Answer] = []
    with TemporaryDirectory() as place:
        for target, data in split_attacks(live, round_name, team, guess).items():
            path = Path(place) / f"{target}.csv"
            path.write_bytes(data)
            receipt = submit_attack(
                live, team, target, round_name, path, at=moment, key=f"{key} on {target}" if key else ""
            )
            live = receipt.contest
            answers.append(_give_receipt(receipt, moment))
    keys = {"accepted": True, "valid": all(each.good for each in answers), "entries": [each.keys for each in answers]}
    words = join_words([each.words for each in answers], "\n") if answers else Said("no release is attacked")
    return Answer(keys=keys, words=words, good=bool(answers) and all(each.good for each in answers))


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
