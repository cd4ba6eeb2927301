"""The kinds of release of table 5 must be told from a release alone, and the report's tables follow from its outcomes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.shopping import Line, shop

from sekisho.contest.history.classify import KindOfRelease, ReleaseKind, classify_release, count_kinds
from sekisho.contest.rules import RankingRules
from sekisho.contest.scoring import AttackScore, ReleaseScore
from sekisho.contest.standing import RoundResults, rank_round
from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.errors import ParameterError
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed

# Table 3 of the report: team, utility, whether an effective attack was received (受けた).
TABLE_3 = {
    "01": (0.206, True),
    "02": (0.365, False),
    "03": (0.294, True),
    "05": (0.262, False),
    "06": (0.209, True),
    "07": (0.457, False),
    "08": (0.277, False),
    "09": (0.430, True),
    "10": (0.193, True),
    "11": (0.206, True),
    "12": (0.476, True),
    "13": (0.255, True),
    "14": (0.206, False),
}
# Table 5: kind, releases, survivors.
TABLE_5 = [
    ("一意顧客過多", 3, 0),
    ("2人無加工+2-匿名化", 2, 0),
    ("2-匿名化", 6, 3),
    ("3-匿名化", 1, 1),
    ("3-匿名化に基づいた加工", 1, 1),
]


def shoppers(count: int) -> Dataset:
    """Return customers with two rows each, all prices different."""
    lines: list[Line] = []
    for who in range(count):
        lines += [(str(100 + who), who, "A", 100 + who, 1), (str(100 + who), 40 + who, "B", 500 + who, 2)]
    return shop(lines)


def group(data: Dataset, size: int, raw: int = 0) -> Release:
    """Return a release whose first customers stay raw and whose others share ranges in groups of a size."""
    release = Pseudonymise().apply(data, rng=Seed(1).rng())
    people = np.arange(len(data)) // 2
    groups = np.maximum(people - raw, 0) // size
    columns = dict(release.table.columns)
    for name in ("date", "price"):
        cells = release.table.numbers(name)
        lower, upper = cells.lower.copy(), cells.upper.copy()
        for number in range(groups.max() + 1):
            for turn in (0, 1):  # the first row of each, the second row of each
                rows = np.flatnonzero((groups == number) & (people >= raw) & (np.arange(len(data)) % 2 == turn))
                lower[rows], upper[rows] = lower[rows].min(), upper[rows].max()
        columns[name] = RangeCells(lower=lower, upper=upper, suppressed=cells.suppressed)
    return replace(release, table=replace(release.table, columns=columns))


def test_the_kinds_of_table_5_are_told_from_releases() -> None:
    data = shoppers(14)
    raw = classify_release(data, group(data, 1), many=10)
    assert (raw.kind, raw.unique, raw.raw, raw.name.ja) == (KindOfRelease.TOO_MANY_UNIQUE, 14, 14, "一意顧客過多")
    mixed = classify_release(data, group(data, 2, raw=2), many=10)
    assert (mixed.kind, mixed.raw_unique, mixed.k) == (KindOfRelease.RAW_AND_ANONYMOUS, 2, 2)
    assert (mixed.name.en, mixed.name.ja) == ("2 raw + 2-anonymous", "2人無加工+2-匿名化")
    assert mixed.classes == {1: 2, 2: 6}
    pairs = classify_release(data, group(data, 2), many=10)
    assert (pairs.name.ja, pairs.unique, pairs.raw, pairs.classes) == ("2-匿名化", 0, 0, {2: 7})
    triples = classify_release(shoppers(15), group(shoppers(15), 3), many=10)
    assert (triples.name.ja, triples.classes) == ("3-匿名化", {3: 5})


def test_triples_of_which_some_rows_are_deleted_are_based_on_triples() -> None:
    data = shoppers(15)
    release = group(data, 3)
    gone = np.zeros(len(data), dtype=np.bool_)
    gone[0] = gone[3] = True  # one row each of two of the first triple: three classes of one, each could be all three
    columns = {name: cells.suppress(gone) for name, cells in release.table.columns.items()}
    changed = replace(release, deleted=gone, table=replace(release.table, columns=columns))
    kind = classify_release(data, changed, many=10)
    assert (kind.kind, kind.k, kind.name.ja) == (KindOfRelease.BASED_ON_ANONYMOUS, 3, "3-匿名化に基づいた加工")
    assert kind.classes == {1: 3, 3: 4}


def test_a_few_who_are_unique_and_not_raw_are_none_of_the_kinds() -> None:
    data = shoppers(5)
    kind = classify_release(data, group(data, 4), many=10)  # the fifth is alone in his group: exact, so raw and unique
    assert (kind.kind, kind.raw_unique, kind.k) == (KindOfRelease.RAW_AND_ANONYMOUS, 1, 4)
    release = group(data, 4)
    gone = np.arange(len(data)) == 9
    columns = {name: cells.suppress(gone) for name, cells in release.table.columns.items()}
    kind = classify_release(data, replace(release, deleted=gone, table=replace(release.table, columns=columns)))
    assert (kind.kind, kind.unique, kind.raw) == (KindOfRelease.OTHER, 1, 0)
    with pytest.raises(ParameterError, match="many must be at least 1"):
        classify_release(data, release, many=0)


def test_a_method_that_makes_groups_is_seen_through() -> None:
    data = shoppers(12)
    assert classify_release(data, SimilarLength(k=4).apply(data, rng=Seed(2).rng())).name.en == "4-anonymous"


def replay_table_3() -> RoundResults:
    """Return the final of 2018 as the report prints it; who broke a release is not printed: another team here."""
    attack = AttackScore(claimed=24, hits=18, effective=True, threshold=18)
    harmless = AttackScore(claimed=24, hits=17, effective=False, threshold=18)
    releases = {team: ReleaseScore(utility=utility) for team, (utility, _) in TABLE_3.items()}
    attacks = {
        (attacker, target): attack if broken and attacker == ("02" if target != "02" else "05") else harmless
        for target, (_, broken) in TABLE_3.items()
        for attacker in TABLE_3
        if attacker != target
    }
    return RoundResults(releases=releases, attacks=attacks)


def test_the_standings_are_table_3() -> None:
    standings = rank_round(replay_table_3(), RankingRules())
    assert {each.team: (each.utility, not each.survives) for each in standings} == TABLE_3
    ranked = [(each.rank, each.team, each.utility) for each in standings if each.rank is not None]
    # Section 3: five of thirteen are safe, the best of them is team 14's with 0.206.
    assert ranked == [(1, "14", 0.206), (2, "05", 0.262), (3, "08", 0.277), (4, "02", 0.365), (5, "07", 0.457)]


def describe_kind(kind: KindOfRelease, k: int) -> ReleaseKind:
    return ReleaseKind(kind=kind, k=k, people=1000, raw=2, unique=2, raw_unique=2, classes={})


def test_table_5_follows_from_table_3_and_the_kinds() -> None:
    survivors = [each.team for each in rank_round(replay_table_3(), RankingRules()) if each.survives]
    # The report does not print whose release is of which kind. This dealing keeps what it does print: both tables.
    many = dict.fromkeys(("03", "09", "12"), describe_kind(kind=KindOfRelease.TOO_MANY_UNIQUE, k=1))
    raw = dict.fromkeys(("06", "10"), describe_kind(kind=KindOfRelease.RAW_AND_ANONYMOUS, k=2))
    pairs = dict.fromkeys(("01", "05", "08", "11", "13", "14"), describe_kind(kind=KindOfRelease.ANONYMOUS, k=2))
    triples = {"02": describe_kind(kind=KindOfRelease.ANONYMOUS, k=3)}
    based = {"07": describe_kind(kind=KindOfRelease.BASED_ON_ANONYMOUS, k=3)}
    kinds = {team: kind.name.ja for team, kind in (many | raw | pairs | triples | based).items()}
    assert count_kinds(kinds, survivors) == TABLE_5
