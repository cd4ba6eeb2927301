"""What names of ours mean on the pages: phases, states, roles, refusals, each by the group that it stands in."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.words import Said

NAMES: Mapping[str, Mapping[str, Said]] = {
    "asked": {
        "practice": Said(
            "the original of the first round goes to all teams, and so does each practice release as soon as it is "
            "valid."
        ),
        "publish": Said("the releases of the round go to all teams."),
        "reveal": Said("the results are shown to everybody."),
    },
    "phase": {
        "register": Said("Registration"),
        "practice": Said("Practice"),
        "anonymise": Said("Anonymisation"),
        "publish": Said("Publication"),
        "attack": Said("phase|Attack"),
        "evaluate": Said("Evaluation"),
        "reveal": Said("Reveal"),
    },
    "round": {
        "practice": Said("practice"),
        "preliminary": Said("preliminary"),
        "final": Said("final"),
    },
    "do": {
        "register": Said("Register your team and its captain."),
        "practice": Said(
            "Try everything out: hand a release in, attack the others. Nothing counts; what you hand in is shown to "
            "all teams."
        ),
        "anonymise": Said("Make a release of the original that is useful and safe, check it, hand it in."),
        "publish": Said("The referee publishes the releases. There is nothing to do."),
        "attack": Said("Download the releases of the others and hand an attack on each in."),
        "evaluate": Said("The referee evaluates. There is nothing to do."),
        "reveal": Said("The results are out."),
    },
    "go": {
        "register": Said("Register"),
        "practice": Said("Practise a release"),
        "anonymise": Said("go|Hand a release in"),
        "attack": Said("Choose a release to attack"),
        "reveal": Said("See the standings"),
    },
    "status": {
        "pending": Said("being scored"),
        "valid": Said("valid"),
        "invalid": Said("invalid"),
        "faulted": Said("failed, costs nothing"),
    },
    "tell": {
        "pending": Said("Received. The file is being scored."),
        "valid": Said("The file is valid."),
        "invalid": Said("The file is not valid."),
        "faulted": Said("Our system failed on this file. It costs you nothing; please hand it in again."),
    },
    "role": {
        "referee": Said("referee"),
        "captain": Said("captain"),
        "member": Said("member"),
        "spectator": Said("spectator"),
    },
    "file": {
        "released": Said("Release (CSV)"),
        "deleted": Said("Deleted rows (CSV)"),
        "guess": Said("Attack (CSV)"),
    },
    "shape": {
        "history": Said("history: many rows for a person"),
        "records": Said("records: one row for a person"),
    },
    "final": {
        "last-valid": Said("the last valid one"),
        "best-valid": Said("the best valid one"),
    },
    "ranking": {
        "utility": Said("by error, among the releases that survive"),
        "risk": Said("by risk, among the releases that survive"),
    },
    "feedback": {
        "none": Said("feedback|nothing"),
        "band": Said("a band"),
        "rounded": Said("rounded"),
        "full": Said("all of it"),
    },
    "figure": {
        "status": Said("state"),
        "faults": Said("errors"),
        "utility": Said("error (less is better)"),
        "qualified": Said("conditions met"),
        "broken": Said("broken conditions"),
        "claimed": Said("guesses"),
        "hits": Said("right guesses"),
        "effective": Said("breaks the release"),
        "threshold": Said("threshold r(n)"),
        "risk": Said("risk"),
        "band": Said("band"),
        "recall": Said("recall"),
        "precision": Said("precision"),
        "topk": Said("top-k"),
        "date": Said("error: date"),
        "item": Said("error: item"),
        "price": Said("error: price"),
        "quantity": Said("error: quantity"),
    },
    "job": {
        "queued": Said("waiting"),
        "leased": Said("being worked on"),
        "done": Said("done"),
        "failed": Said("failed"),
    },
    "work": {
        "score": Said("work|score"),
        "publish": Said("publish"),
        "rejudge": Said("score again"),
    },
    "refusal": {
        "400": Said("The request cannot be read."),
        "401": Said("Please log in."),
        "403": Said("This is not yours to see or to do, or the page was too old: load it again."),
        "404": Said("There is nothing here."),
        "405": Said("This address takes no such request."),
        "408": Said("The request did not arrive in time."),
        "409": Said("The referee refuses this now."),
        "413": Said("The file is too large."),
        "415": Said("The request is of a kind that is not taken here."),
        "422": Said("Something is not as it must be; everything is listed below."),
        "429": Said("Too many requests: please wait a little."),
        "500": Said("A fault of ours; it is written down."),
        "503": Said("The database does not answer: please try again."),
        "507": Said("There is no room left for files. Nothing was taken in: please tell the organisers."),
        "room": Said("There is no room left for files. Nothing was taken in: please tell the organisers."),
        "busy": Said("Too many people are logging in: please try again."),
        "token": Said("The token is not valid, or was revoked."),
        "csrf": Said("The form was too old: load the page again."),
    },
    "fault": {
        "kind": Said("This file is not asked for here."),
        "zip": Said("Either this is no zip archive, or it is one in the field of another file."),
        "missing": Said("The file is missing."),
        "empty": Said("The file is empty."),
        "size": Said("The file is too large."),
        "name": Said("The archive holds a file of another name."),
        "link": Said("The archive holds a link."),
        "encryption": Said("The archive is encrypted."),
        "method": Said("The archive is packed by another method."),
        "ratio": Said("The archive unpacks to too much."),
        "count": Said("The archive holds too many files."),
        "header": Said("The archive's headers disagree."),
        "overlap": Said("The archive's files overlap."),
        "archive": Said("The archive cannot be read."),
        "target": Said("The release that it attacks is not valid."),
        "string_too_short": Said("Too short."),
        "string_too_long": Said("Too long."),
        "string_pattern_mismatch": Said("Holds characters that are not allowed."),
        "rows": Said("The file has too many rows."),
        "string_type": Said("Must be a text."),
        "enum": Said("Must be one of the choices."),
        "be a name that is not taken": Said("Must be a name that is not taken."),
    },
}


def say_name(group: str, name: object) -> str:
    """Return what a name of ours means; the name itself where it is somebody else's."""
    return NAMES[group].get(str(name), str(name))


def knows_name(group: str, name: object) -> bool:
    """Tell whether a name is one of ours."""
    return str(name) in NAMES[group]
