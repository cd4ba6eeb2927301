"""Special uniques on a page: which columns single people out, with how few of them, and who stands out most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sekisho.report.figures.gallery import Bar, Bars, Class, Columns
from sekisho.report.kit.blocks import Block, Facts, Figure, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Text, Words, format_count, format_percent
from sekisho.safety.records.record_risk import RecordRisk, SpecialFigures
from sekisho.safety.records.uniques.suda_scores import StandOut

SHOWN_SETS = 3
"""So many sets of each size are shown, those with the most uniques; of sizes above this, one."""


def special_blocks(risk: RecordRisk, special: SpecialFigures) -> list[Block]:
    """Return what a page tells of special uniques."""
    if not special.alone:
        return []
    return [
        Heading(text=Text("Which columns single people out", "どの列が個人を一意にするか")),
        *(
            Figure(picture=picture, caption=picture.title)
            for picture in (
                draw_sets(risk, special),
                draw_contributions(risk, special),
                draw_minimal_sizes(special),
            )
        ),
        Facts(pairs=_list_facts(risk, special)),
        Heading(text=Text("Who stands out, and why", "誰がなぜ目立つか")),
        Paragraph(
            text=Text(
                "The rows with the highest SUDA scores, and a smallest set of columns that nobody else shares with "
                "them. Scores order records; they are no chances.",
                "SUDA スコアの高い行と、その行だけが持つ値の最小の組合せです。スコアは順位づけのための値で、"
                "確率ではありません。",
            )
        ),
        _make_table(risk.stand_outs),
    ]


def choose_sets(special: SpecialFigures) -> list[tuple[tuple[int, ...], int]]:
    """Return of each size the sets with the most uniques, the smallest sets first."""
    pairs = list(zip(special.sets, special.uniques, strict=True))
    chosen: list[tuple[tuple[int, ...], int]] = []
    for size in range(1, special.largest + 1):
        of_size = [pair for pair in pairs if len(pair[0]) == size]
        chosen += sorted(of_size, key=lambda pair: (-pair[1], pair[0]))[: SHOWN_SETS if size <= SHOWN_SETS else 1]
    return chosen


def draw_sets(risk: RecordRisk, special: SpecialFigures) -> Bars:
    """Return the picture of how many are unique on which sets of columns."""
    bars = tuple(
        Bar(
            name=", ".join(risk.keys[key] for key in chosen),
            value=float(count),
            note=f"{count:,} ({format_percent(count / risk.rows)})",
            tone=Tone.BAD if count else Tone.PLAIN,
        )
        for chosen, count in choose_sets(special)
    )
    return Bars(
        title=Text("Records that a set of columns singles out", "列の組合せごとの一意なレコード数"),
        desc=Text(
            f"The sets that single out the most records: {SHOWN_SETS} of each size up to {SHOWN_SETS} columns, one "
            "of each "
            f"size up to {special.largest}.",
            f"一意なレコードの多い組合せです。{SHOWN_SETS} 列までは列数ごとに {SHOWN_SETS} 組、{special.largest} "
            "列までは 1 組ずつ示します。",
        ),
        bars=bars,
        axis=Text("records that are unique on these columns", "これらの列で一意なレコード"),
        high=float(risk.rows),
    )


def draw_contributions(risk: RecordRisk, special: SpecialFigures) -> Bars:
    """Return the picture of what each key contributes to the scores."""
    shares = special.compute_contributions()
    order = np.argsort(-shares, kind="stable").tolist()
    return Bars(
        title=Text("What each column contributes", "各列の寄与"),
        desc=Text(
            f"{risk.keys[order[0]]} contributes most: {format_percent(float(shares[order[0]]))} of the scores come "
            "from "
            "sets with it.",
            f"寄与が最も大きい列は {risk.keys[order[0]]} で、スコアの {format_percent(float(shares[order[0]]))} "
            "がこの列を含む"
            "組合せによるものです。",
        ),
        bars=tuple(
            Bar(name=risk.keys[key], value=float(shares[key]), note=format_percent(float(shares[key]))) for key in order
        ),
        axis=Text("share of the SUDA scores from sets with the column", "その列を含む組合せによる SUDA スコアの割合"),
        high=1.0,
    )


def draw_minimal_sizes(special: SpecialFigures) -> Columns:
    """Return the picture of how many columns a minimal sample unique has."""
    counts = special.count_minimal()
    return Columns(
        title=Text("Minimal sample uniques by their number of columns", "最小一意集合の列数の分布"),
        desc=Text(
            f"{sum(counts):,} sets of columns single out a record and have no part that does; the fewer "
            "columns, the more special.",
            f"レコードを一意にし、その一部では一意にならない列の組合せは {sum(counts):,} 個です。"
            "列が少ないほど特異です。",
        ),
        x=Text("columns", "列数"),
        y=Text("minimal sample uniques", "最小一意集合の数"),
        classes=tuple(
            Class(name=str(size), value=float(count), note=f"{count:,}", tone=Tone.WARN if size <= 2 else Tone.PLAIN)
            for size, count in enumerate(counts, 1)
        ),
    )


def _list_facts(risk: RecordRisk, special: SpecialFigures) -> tuple[tuple[Words, Words], ...]:
    fraction = f"{risk.fraction:.4g}"
    assumed = Text(f"{fraction}, assumed", f"{fraction}（仮定）") if risk.people is None else fraction
    return (
        (Text("minimal sample uniques", "最小一意集合"), format_count(sum(special.count_minimal()))),
        (Text("largest set looked at", "調べた組合せの最大列数"), format_count(special.largest)),
        (Text("sampling fraction for DIS", "DIS の抽出率"), assumed),
        (
            Text("DIS: a match with a unique is right with", "DIS：一意なレコードとの照合が正しい確率"),
            f"{special.compute_dis(risk.fraction):.3g}",
        ),
        (
            Text("highest DIS-SUDA score", "DIS-SUDA スコアの最大"),
            f"{special.find_highest_dis_score(risk.fraction):.3g}",
        ),
    )


def _make_table(stand_outs: Sequence[StandOut]) -> TableBlock:
    return TableBlock(
        head=(
            Text("row", "行"),
            Text("score", "スコア"),
            Text("minimal sets", "最小集合の数"),
            Text("alone with", "一意にする値"),
        ),
        rows=tuple(
            (f"{each.row + 1:,}", f"{each.score:,.6g}", f"{each.minimal:,}", _join_values(each)) for each in stand_outs
        ),
        numeric=(0, 1, 2),
    )


def _join_values(each: StandOut) -> Words:
    def say(missing: str) -> str:
        pairs = zip(each.columns, each.values, strict=True)
        return ", ".join(f"{name} = {missing if value is None else value}" for name, value in pairs)

    return Text(say("(missing)"), say("（欠測）")) if None in each.values else say("")
