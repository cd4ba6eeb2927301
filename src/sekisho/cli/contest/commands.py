"""``sekisho contest``: a contest in a folder, from its rules to its standings.

``sekisho contest requeue``: what becomes of files on which our own program failed.

``sekisho contest classify``: of which kind of table 5 releases of a history are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.contest import entries, live, own_rules, results, score
from sekisho.cli.contest.evaluate import Folder, evaluate
from sekisho.cli.contest.live import At, give_state, refuse_event, rule, send_all, settle_moment
from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.choices import TYPER
from sekisho.cli.kit.files import Original, Rules
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.shapes.file_options import open_and_say
from sekisho.contest.event import SetAside
from sekisho.contest.folder.desk import score_after_all
from sekisho.contest.folder.live import hold_contest
from sekisho.contest.history.classify import MANY, ReleaseKind, classify_release
from sekisho.contest.rulebook import read_history_rules
from sekisho.contest.rulings.refusal import RefusedEventError
from sekisho.data.history.files import read_release
from sekisho.words import Said, join_words


def classify(
    rules: Rules,
    releases: Annotated[list[Path], typer.Argument(metavar="RELEASE…", help="The releases handed in.")],
    original: Original,
    many: Annotated[
        int, typer.Option("--many", min=1, help="From how many unique customers on there are too many.")
    ] = MANY,
    as_json: AsJson = False,
) -> None:
    """Tell what kind of release each is: k-anonymous, some raw and the rest k-anonymous, too many unique customers.

    The kinds are those of table 5 of the PWS Cup 2018 report.

    Example: `sekisho contest classify pwscup2018 A.csv --original T.csv`
    """
    data, book = open_and_say(original, read_history_rules(rules))
    with show_progress(Said("classifying")):
        kinds = {str(path): classify_release(data, read_release(path, book, data), many=many) for path in releases}
    keys = {"releases": [{"release": path, **kind.as_dict()} for path, kind in kinds.items()]}
    Answer(keys=keys, words=join_words((_describe(path, kind) for path, kind in kinds.items()), "\n")).deliver(
        as_json=as_json
    )


def _describe(path: str, kind: ReleaseKind) -> str:
    classes = ", ".join(Said("{count} of {size}", count=count, size=size) for size, count in kind.classes.items())
    return Said(
        "{path}: {en}; {unique} unique and {raw} raw of {people}; classes: {classes}",
        path=path,
        en=kind.name.en,
        unique=kind.unique,
        raw=kind.raw,
        people=kind.people,
        classes=classes,
    )


def requeue(
    folder: Folder,
    entry: Annotated[int, typer.Argument(metavar="ENTRY", min=1, help="A file on which the platform failed.")],
    set_aside: Annotated[str, typer.Option("--set-aside", help="Give it up instead, and why.")] = "",
    at: At = "",
    as_json: AsJson = False,
) -> None:
    """Score a file on which the program failed once more, or set it aside; nothing is published before.

    Example: `sekisho contest requeue cup 12`, or `sekisho contest requeue cup 12 --set-aside "handed in again as 14"`
    """
    with hold_contest(folder) as held:
        moment = settle_moment(at, held.state.contest.zone)
        if set_aside:
            event = SetAside(at=moment, entry=entry, reason=set_aside)
            live = rule(lambda: send_all(held, [event]), as_json=as_json)
            give_state(live, Said("entry {entry} is set aside", entry=entry), as_json=as_json)
        try:
            live = score_after_all(held, entry, at=moment).contest
        except RefusedEventError as error:
            refuse_event(error, as_json=as_json)
        give_state(live, Said("entry {entry} is scored", entry=entry), as_json=as_json)


app = typer.Typer(
    help="Run a contest in a folder: `sekisho contest new`, `open`, `submit`, `attack`, `standings`, and others.",
    no_args_is_help=True,
    **TYPER,
)
for name, command in {
    "init": own_rules.init,
    "check-rules": own_rules.check_rules,
    "new": live.new,
    "register": live.register,
    "open": live.open_phase,
    "close": live.close_phase,
    "announce": live.announce,
    "show": live.show,
    "submit": entries.submit,
    "attack": entries.attack,
    "choose": entries.choose,
    "practise": entries.practise,
    "standings": results.standings,
    "board": results.board,
    "score": score.score,
    "deal": own_rules.deal,
    "evaluate": evaluate,
    "classify": classify,
    "requeue": requeue,
    "rejudge": results.rejudge,
    "replay": results.replay,
    "export": results.export,
    "import": results.import_contest,
}.items():
    app.command(name)(command)
