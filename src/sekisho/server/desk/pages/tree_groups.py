"""A tree as cards: what a group holds, how many people each has, and where values may be moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sekisho.data.trees.hierarchy import Tree
from sekisho.server.desk.plain_data import Plain

MOST_CARDS = 60
MOST_MEMBERS = 100
MOST_LOOSE = 200
MOST_GROUPS = 500


def show_groups(tree: Tree, people: Mapping[str, int], place: str = "", wanted: str = "") -> Plain:
    """Return what a group of a tree holds, as cards: its groups, and what stands in none of them.

    Args:
        tree: that is shown.
        people: by leaf how many have it.
        place: the group that is open; the root if there is no such group.
        wanted: only codes with this text in them are listed.
    """
    inside = place if place in tree.children else tree.root
    counts = _count_below(tree, people)
    held = tree.children[inside]
    groups = [code for code in held if code in tree.children]
    loose = [code for code in held if code not in tree.children]
    return {
        "root": tree.root,
        "place": inside,
        "above": _list_above(tree, inside),
        "wanted": wanted,
        "names": [code for code in tree.codes if code in tree.children and code != tree.root][:MOST_GROUPS],
        "cards": [
            {
                "name": code,
                "people": counts[code],
                **_list_members(tree, counts, tree.children[code], wanted, MOST_MEMBERS),
            }
            for code in groups[:MOST_CARDS]
        ],
        "more_cards": max(0, len(groups) - MOST_CARDS),
        "loose": {
            "people": sum(counts[code] for code in loose),
            **_list_members(tree, counts, loose, wanted, MOST_LOOSE),
        },
    }


def _count_below(tree: Tree, people: Mapping[str, int]) -> dict[str, int]:
    """Return how many people each code has, those below it among them."""
    sums = [people.get(code, 0) for code in tree.codes]
    for place in range(len(sums) - 1, 0, -1):
        sums[tree.parents[place]] += sums[place]
    return dict(zip(tree.codes, sums, strict=True))


def _list_members(tree: Tree, counts: Mapping[str, int], codes: Sequence[str], wanted: str, most: int) -> Plain:
    fitting = [code for code in codes if wanted.casefold() in code.casefold()]
    members = [
        {
            "code": code,
            "people": counts[code],
            "is_group": code in tree.children,
            "held": len(tree.children.get(code, ())),
        }
        for code in fitting[:most]
    ]
    return {"members": members, "more": max(0, len(fitting) - most)}


def _list_above(tree: Tree, code: str) -> list[str]:
    """Return the groups above a code, the root first."""
    line, place = list[str](), tree.parents[tree.position[code]]
    while place >= 0:
        line.append(tree.codes[place])
        place = tree.parents[place]
    return line[::-1]
