"""What names of ours mean on the pages: phases, states, roles, refusals, each by the group that it stands in."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.contest.scoring import HOUSE
from sekisho.server.web.words import REFUSALS
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
        "seed": Said("Number of the secret columns (TXT)"),
        "choice": Said("Number of the original (TXT)"),
        "model": Said("Model of trees (JSON)"),
    },
    "shape": {
        "history": Said("history: many rows for a person"),
        "records": Said("records: one row for a person"),
        "tables": Said("tables, each in an order of its own"),
    },
    "final": {
        "last-valid": Said("the last valid one"),
        "best-valid": Said("the best valid one"),
        "chosen": Said("the one that the team chose, else its last valid one"),
    },
    "ranking": {
        "utility": Said("by error, among the releases that survive"),
        "risk": Said("by risk, among the releases that survive"),
        "total": Said("by total, the largest first"),
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
    "total": {
        "utility": Said("utility (more is better)"),
        "risk": Said("share of right answers"),
        "claimed": Said("answers"),
        "hits": Said("right answers"),
        "identification": Said("rows named rightly"),
        "reconstruction": Said("masked values found"),
        "equal-cells": Said("share of unchanged cells"),
        "pair-tables": Said("worst table of two columns, of 100"),
        "stats-diff": Said("points: statistics"),
        "lr-diff": Said("points: regression"),
        "kw-diff": Said("points: rank tests"),
        "model-accuracy": Said("points: model"),
    },
    "board": {
        "utility": Said("Utility"),
        "protection": Said("Protection"),
    },
    "commitment": {
        "secret": Said("the secret itself"),
        "published": Said("what is kept of the publication"),
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
}
CONTEST_REFUSALS: Mapping[str, Said] = {
    **REFUSALS,
    "401": Said("Please log in."),
    "403": Said("This is not yours to see or to do, or the page was too old: load it again."),
    "409": Said("The referee refuses this now."),
    "503": Said("The database does not answer: please try again."),
    "507": Said("There is no room left for files. Nothing was taken in: please tell the organisers."),
    "room": Said("There is no room left for files. Nothing was taken in: please tell the organisers."),
    "busy": Said("Too many people are logging in: please try again."),
    "token": Said("The token is not valid, or was revoked."),
}
"""What refusals of a contest's server mean, by rule or status."""


def say_file(kind: str) -> str:
    """Return what a file that is handed in is."""
    return say_name("file", kind) if knows_name("file", kind) else Said("Sheet {name} (CSV)", name=kind)


def say_figure(name: str, *, totals: bool) -> str:
    """Return what a figure of a score is; of contests that rank by totals more is better."""
    if name.startswith(HOUSE):
        return Said("right answers of the house's attack {name}", name=name.removeprefix(HOUSE))
    return say_name("total", name) if totals and knows_name("total", name) else say_name("figure", name)


def say_name(group: str, name: object) -> str:
    """Return what a name of ours means; the name itself where it is somebody else's."""
    return NAMES[group].get(str(name), str(name))


def knows_name(group: str, name: object) -> bool:
    """Tell whether a name is one of ours."""
    return str(name) in NAMES[group]
