"""``sekisho contest standings``, ``board``, ``rejudge``, ``replay``, ``export`` and ``import``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.contest.evaluate import Folder, describe_standings
from sekisho.cli.contest.live import At, Round, refuse_event, settle_moment
from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.files import Rules
from sekisho.cli.kit.progress import show_progress
from sekisho.contest.board.tally import BoardAttacker, BoardRelease
from sekisho.contest.event import RejudgeClosed
from sekisho.contest.folder.archive import find_unbound, pack_contest, place_contest, unpack_contest
from sekisho.contest.folder.binding import LEDGER, BindingSurvey, require_bound
from sekisho.contest.folder.desk import recheck_scores, rejudge_entries
from sekisho.contest.folder.evaluation import write_standings, write_standings_table
from sekisho.contest.folder.live import hold_contest, read_contest
from sekisho.contest.ledger import digest_bytes, read_ledger, write_ledger
from sekisho.contest.referee import replay as replay_events
from sekisho.contest.rulebook import read_tables_rules
from sekisho.contest.rulings.disclosure import is_revealed
from sekisho.contest.rulings.entries import find_differences
from sekisho.contest.rulings.refusal import RefusedEventError
from sekisho.contest.standing import (
    TeamStanding,
    digest_standings,
    gather_round,
    list_standings,
    rank_contest,
    rank_round_of,
)
from sekisho.contest.state import ContestEntry, ContestState
from sekisho.contest.tables.published import PublishedBoards, tally_folder
from sekisho.data.files.whole_files import check_paths, read_bytes
from sekisho.errors import InputError, ParameterError
from sekisho.words import Said, join_words

Out = Annotated[Path | None, typer.Option("--out", help="Also write the standings: .csv for spreadsheets, else JSON.")]


def standings(folder: Folder, asked_round: Round = "", out: Out = None, at: At = "", as_json: AsJson = False) -> None:
    """Show how teams stand: the whole contest, or one round.

    Example: `sekisho contest standings cup --round final`
    """
    check_paths(reads=[folder / LEDGER], writes={"--out": out})
    live = read_contest(folder)
    contest = live.state.contest
    rows = _rank(live.state, asked_round)
    revealed = is_revealed(live.state, asked_round, settle_moment(at, contest.zone))
    keys = {
        "standings": list_standings(rows),
        "digest": digest_standings(rows),
        "revealed": revealed,
        "pending": len(live.state.pending),
    }
    note = [] if revealed else [Said("not revealed yet: for the referee only")]
    files = {} if out is None else {out: write_standings_table(rows) if out.suffix == ".csv" else write_standings(rows)}
    words = join_words([describe_standings(rows), Said("digest {digest}", digest=keys["digest"]), *note], "\n")
    Answer(keys=keys, words=words, files=files).deliver(as_json=as_json)


def _rank(state: ContestState, round_name: str) -> tuple[TeamStanding, ...]:
    if not round_name:
        return rank_contest(state)
    if round_name not in state.contest.round_names:
        raise ParameterError("round", Said("be one of {found}", found=", ".join(state.contest.round_names)), round_name)
    return rank_round_of(state.contest, gather_round(state, round_name), round_name)


def replay(
    ledger: Annotated[Path, typer.Argument(metavar="LEDGER", help="A contest's folder, or its ledger alone.")],
    rescore: Annotated[bool, typer.Option("--rescore", help="Of a folder: also score every file again.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Write the ledger anew, from the events alone.")] = None,
    as_json: AsJson = False,
) -> None:
    """Replay a contest from its ledger: the chain, every ruling of the referee, and the standings.

    Status 1 if the ledger written anew differs by a byte, or if a file is worth something else than it says.

    Example: `sekisho contest replay cup --rescore`
    """
    path = ledger / LEDGER if ledger.is_dir() else ledger
    check_paths(reads=[path], writes={"--out": out})
    if rescore and not ledger.is_dir():
        raise ParameterError("--rescore", Said("be asked of a contest's folder, which holds the files"), str(ledger))
    data = read_bytes(path)
    events, head = read_ledger(data, path)
    state = replay_events(events, path)
    if not events:
        raise InputError(path, Said("the ledger is empty"))
    survey = require_bound(ledger) if rescore else BindingSurvey()
    again = write_ledger(events)
    different: list[int] = []
    if rescore:
        with show_progress(Said("scoring again")):
            different = [entry.number for entry, _ in recheck_scores(read_contest(ledger))]
    rows = rank_contest(state)
    identical = again == data
    keys = {
        "identical": identical,
        "events": head.count,
        "head": head.digest,
        "sha256": digest_bytes(again),
        "standings": list_standings(rows),
        "digest": digest_standings(rows),
        "different": different if rescore else None,
        **({"unbound": list(survey.unbound)} if survey.unbound else {}),
    }
    first = (
        Said("{count} events, identical bytes, head {digest}", count=head.count, digest=head.digest)
        if identical
        else Said("{count} events, DIFFERENT bytes, head {digest}", count=head.count, digest=head.digest)
    )
    if rescore:
        first = Said("{events}; {different} entries scored differently", events=first, different=len(different))
    digest = Said("digest {digest}", digest=keys["digest"])
    words = join_words([first, describe_standings(rows), digest, *describe_unbound(survey.unbound)], "\n")
    files = {} if out is None else {out: again}
    good = identical and not different
    Answer(keys=keys, words=words, good=good, review=bool(survey.unbound), files=files).deliver(as_json=as_json)


def describe_unbound(names: Sequence[str]) -> list[str]:
    """Return what is said of files that an older ledger does not bind; nothing where there are none."""
    if not names:
        return []
    return [
        Said(
            "warning: begun by an earlier version: no digest tells whether these are as they were: {names}",
            names=", ".join(names),
        )
    ]


def rejudge(
    folder: Folder,
    name: Annotated[str, typer.Option("--name", help="What the rejudging is called.")],
    apply: Annotated[bool, typer.Option("--apply", help="Apply it, all at once.")] = False,
    drop: Annotated[bool, typer.Option("--drop", help="Drop it.")] = False,
    at: At = "",
    as_json: AsJson = False,
) -> None:
    """Score every file again and show what would change; apply or drop it in a second call.

    Example: `sekisho contest rejudge cup --name after-erratum`, then `sekisho contest rejudge cup --name
    after-erratum --apply`
    """
    if apply and drop:
        raise ParameterError("--apply", Said("not be given together with --drop"), value=True)
    with hold_contest(folder) as held:
        moment = settle_moment(at, held.state.contest.zone)
        before, live = held.state, held
        try:
            if apply or drop:
                live, _ = held.send(RejudgeClosed(at=moment, name=name, applied=apply))
            else:
                with show_progress(Said("scoring again")):
                    live = rejudge_entries(held, name, at=moment)
        except RefusedEventError as error:
            refuse_event(error, as_json=as_json)
        pairs = find_differences(before if apply or drop else live.state, name)
        changes = [{"entry": now.number, "now": _show(now), "then": _show(then)} for now, then in pairs]
        keys = {
            "accepted": True,
            "applied": True if apply else False if drop else None,
            "entries": len(live.state.rejudgings[name].entries),
            "differences": changes,
            "digest": digest_standings(rank_contest(live.state)),
        }
        done = Said("applied") if apply else Said("dropped") if drop else Said("not applied yet")
        first = Said(
            "{changes} of {entries} entries differ; {done}", changes=len(changes), entries=keys["entries"], done=done
        )
        lines = [first, *map(str, changes)]
        Answer(keys=keys, words=join_words(lines, "\n")).deliver(as_json=as_json)


def _show(entry: ContestEntry) -> dict[str, object]:
    release, attack = entry.release, entry.attack
    figures: dict[str, object] = {"status": str(entry.status), "faults": entry.faults}
    figures |= {} if release is None else {"utility": release.utility, "qualified": release.qualified}
    return figures | ({} if attack is None else {"hits": attack.hits, "effective": attack.effective})


def export(
    folder: Folder,
    out: Annotated[Path, typer.Option("--out", help="The archive to write, a zip.")],
    public: Annotated[
        bool,
        typer.Option("--public", help="Only what everybody may have: nothing row by row beside an original."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a whole contest as one archive; the same contest gives the same bytes.

    Example: `sekisho contest export cup --out cup.zip`
    """
    check_paths(reads=[folder / LEDGER], writes={"--out": out})
    read_contest(folder)
    data = pack_contest(folder, with_truth=not public)
    keys = {"out": str(out), "bytes": len(data), "sha256": digest_bytes(data)}
    Answer(
        keys=keys, words=Said("{data:,} bytes written to {out}", data=len(data), out=out), files={out: data}
    ).deliver(as_json=as_json)


def import_contest(
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="What `contest export` wrote.")],
    out: Annotated[Path, typer.Option("--out", help="The contest's new folder.")],
    as_json: AsJson = False,
) -> None:
    """Take a contest out of an archive, into a new folder; what is not as its ledger says is refused.

    Example: `sekisho contest import cup.zip --out cup2`
    """
    files = unpack_contest(read_bytes(archive), archive)
    place_contest(files, out)
    rows = rank_contest(read_contest(out).state)
    unbound = find_unbound(files)
    keys = {"out": str(out), "files": len(files), "standings": list_standings(rows), "digest": digest_standings(rows)}
    written = Said("{files} files written to {out}", files=len(files), out=out)
    words = join_words([written, Said("digest {digest}", digest=keys["digest"]), *describe_unbound(unbound)], "\n")
    keys |= {"unbound": list(unbound)} if unbound else {}
    Answer(keys=keys, words=words, review=bool(unbound)).deliver(as_json=as_json)


def board(
    rules: Rules,
    results: Annotated[Path, typer.Option("--results", help="The folder of main_release.csv and main_attack.csv.")],
    asked_round: Annotated[
        str, typer.Option("--round", help="Whose tables are read; the rules' last round if not given.")
    ] = "",
    before_attacks: Annotated[
        bool,
        typer.Option(
            "--before-attacks",
            help="At the end of anonymisation, when only the house has attacked: of main_phase.csv.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compute totals, attackers' values and ranks from tables of what was measured, as the rules say.

    Totals, values and ranks that stand in the tables are not read. Where earlier rounds are told too, the whole contest
    follows.

    Example: `sekisho contest board pwscup2024 --results results --json`
    """
    book = read_tables_rules(rules)
    boards = tally_folder(results, book, asked_round, before_attacks=before_attacks)
    keys = {"rules": book.name, **boards.as_dict()}
    Answer(keys=keys, words=_describe(boards)).deliver(as_json=as_json)


def _describe(boards: PublishedBoards) -> str:
    lines = [Said("releases, round {round}", round=boards.round), *map(describe_release, boards.board.releases)]
    if boards.board.attackers:
        lines += [Said("attackers, round {round}", round=boards.round), *map(describe_attacker, boards.board.attackers)]
    if boards.overall is not None and boards.overall.releases:
        lines += [Said("releases, all rounds"), *map(describe_release, boards.overall.releases)]
        lines += [Said("attackers, all rounds"), *map(describe_attacker, boards.overall.attackers)]
        joined = boards.overall.joined
        lines += [Said("both boards"), *map(describe_release, joined)] if joined else []
    return join_words(lines, "\n")


def describe_release(line: BoardRelease) -> str:
    """Return a release's line on a board."""
    rank = "–" if not line.rank else str(line.rank)
    if not line.present:
        return Said("{rank:>3}  {team:<16} no release", rank=rank, team=line.team)
    figures = ", ".join(f"{name} {float(value):.6g}" for name, value in line.figures.items())
    return Said(
        "{rank:>3}  {team:<16} {total:.6f}  {figures}",
        rank=rank,
        team=line.team,
        total=float(line.total),
        figures=figures,
    )


def describe_attacker(line: BoardAttacker) -> str:
    """Return an attacker's line on a board."""
    return Said(
        "{rank:>3}  {team:<16} {value:.6f}  {board}",
        rank="–" if line.rank is None else str(line.rank),
        team=line.team,
        value=float(line.value),
        board=line.board,
    )
