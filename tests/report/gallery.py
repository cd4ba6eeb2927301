"""One of every block and figure, for the tests and for the eye."""

from __future__ import annotations

from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import (
    Axis,
    Bar,
    Bars,
    Cell,
    Class,
    ColumnCard,
    Columns,
    Counts,
    Fates,
    HeatMap,
    Histogram,
    Interval,
    IntervalPlot,
    LineChart,
    Mark,
    Scatter,
    Series,
)
from sekisho.report.kit.blocks import (
    Banner,
    Beside,
    Block,
    Bullets,
    Facts,
    Figure,
    Fold,
    Heading,
    Origin,
    Paragraph,
    Picture,
    TableBlock,
    Tone,
)
from sekisho.report.kit.words import format_out_of
from sekisho.safety.rejection import Bound, RejectionRule
from sekisho.words import bilingual

TRAP = "<b>&\"'</b>"
GUESSES = tuple(range(0, 1001, 5))


def thresholds(bound: Bound) -> tuple[float, ...]:
    rule = RejectionRule(bound=bound)
    return tuple(float(rule.threshold(n)) for n in GUESSES)


def lines() -> LineChart:
    return LineChart(
        title=bilingual("Hits that reject a release", "安全性を棄却する的中数"),
        desc=bilingual("Both thresholds grow with the number of guesses.", "どちらのしきい値も推定数とともに増える。"),
        x=Axis(label=bilingual("guesses n", "推定数 n"), low=0.0, high=1000.0),
        y=Axis(label=bilingual("hits", "的中数"), low=0.0),
        series=(
            Series(
                name=bilingual("contest's bound r(n)", "コンテストの上界 r(n)"),
                x=GUESSES,
                y=thresholds(Bound.UNION),
                step=True,
            ),
            Series(
                name=bilingual("exact bound r*(n)", "厳密な上界 r*(n)"), x=GUESSES, y=thresholds(Bound.EXACT), step=True
            ),
        ),
        marks=(
            Mark(name=bilingual("unique rows: 512 of 1,000", "一意な行: 1,000 中 512"), x=1000, y=512, tone=Tone.BAD),
            Mark(name=bilingual("containment: 260 of 800", "包含: 800 中 260"), x=800, y=260, tone=Tone.GOOD),
            Mark(name=bilingual("chance: 1 of 1,000", "でたらめ: 1,000 中 1"), x=1000, y=1, tone=Tone.GOOD),
            Mark(name=TRAP, x=20, y=3, tone=Tone.WARN),
        ),
    )


def scatter() -> Scatter:
    points = [(0.206, 0.61), (0.2061, 0.60), (0.262, 0.5), (0.277, 0.52), (0.365, 0.33), (0.457, 0.3), (0.5, 0.31)]
    return Scatter(
        title=bilingual("Utility and safety of the releases", "加工データの有用性と安全性"),
        desc=bilingual("Seven releases.", "加工データ七件。"),
        x=Axis(label=bilingual("U (less is better)", "有用性指標 U（小さいほど良い）")),
        y=Axis(label=bilingual("share of people found (less is better)", "再識別された割合（小さいほど良い）")),
        points=tuple(
            Mark(name=bilingual(f"team {n}", f"チーム {n}"), x=x, y=y, tone=Tone.BAD if y > 0.4 else Tone.GOOD)
            for n, (x, y) in enumerate(points, 1)
        ),
        fit=(-1.1, 0.82),
        front=True,
    )


def bars() -> Bars:
    return Bars(
        title=bilingual("Error of each column", "列ごとの誤差"),
        desc=bilingual("Items suffer most.", "商品の誤差が最も大きい。"),
        axis=bilingual("mean error of a cell, 0 = as it was, 1 = gone", "セルの平均誤差（0 = 元のまま、1 = 秘匿）"),
        high=1.0,
        bars=(
            Bar(name=bilingual("date", "日付"), value=0.21, note="0.210"),
            Bar(name=bilingual("item", "商品"), value=0.58, note="0.580", tone=Tone.WARN, baseline=0.3),
            Bar(
                name=bilingual("a very long name of a column that must fold", "折り返しが必要なとても長い列の名前です"),
                value=0.0,
                note="0.000",
            ),
            Bar(
                name=TRAP,
                value=1.0,
                note=bilingual("1,000 of 1,000", "1,000 のうち 1,000"),
                tone=Tone.BAD,
                baseline=0.999,
            ),
        ),
    )


def histogram() -> Histogram:
    return Histogram(
        title=bilingual("Rows per customer", "顧客ごとの行数"),
        desc=bilingual("Heavy tail.", "裾が重い。"),
        x=Axis(label=bilingual("rows", "行数"), log=True),
        y=Axis(label=bilingual("customers", "顧客数")),
        edges=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000),
        counts=(
            Counts(name=bilingual("synthetic", "合成"), values=(10, 30, 80, 150, 240, 220, 150, 80, 30, 8, 2)),
            Counts(name=bilingual("round 2", "第二回"), values=(12, 28, 90, 140, 250, 210, 160, 70, 32, 7, 1)),
        ),
    )


def columns() -> Columns:
    sizes = (("1", 3), ("2", 420), ("3", 330), ("4", 120), ("5–9", 90), ("10–19", 30), ("20+", 7))
    return Columns(
        title=bilingual("How many people share the same published history", "同じ公開履歴を持つ人数"),
        desc=bilingual("Three people stand alone.", "三人が一意である。"),
        x=bilingual("people who share one history", "同じ履歴を持つ人数"),
        y=bilingual("people", "人数"),
        classes=tuple(
            Class(name=name, value=n, note=f"{n:,}", tone=Tone.BAD if name == "1" else Tone.PLAIN) for name, n in sizes
        ),
    )


def heatmap() -> HeatMap:
    def cell(row: int, column: int) -> Cell | None:
        if row == column:
            return None
        share = ((row * 7 + column * 3) % 11) / 10
        return Cell(strength=share, text=f"{share:.1f}", tone=Tone.BAD, framed=share > 0.8)

    teams = tuple(bilingual(f"team {n}", f"チーム {n}") for n in range(1, 9))
    return HeatMap(
        title=bilingual("Who found whom", "攻撃行列"),
        desc=bilingual("Eight teams.", "八チーム。"),
        rows=teams,
        columns=teams,
        cells=tuple(tuple(cell(row, column) for column in range(8)) for row in range(8)),
        down=bilingual("defender", "防御"),
        across=bilingual("attacker", "攻撃"),
    )


def intervals() -> IntervalPlot:
    return IntervalPlot(
        title=bilingual("How well each attack did", "攻撃の成功率"),
        desc=bilingual("With 95% intervals.", "95% 区間つき。"),
        axis=Axis(label=bilingual("share of guesses that were right", "的中した割合"), low=0.0, high=1.0),
        rows=(
            Interval(
                name=bilingual("chance", "でたらめ"),
                low=0.0,
                middle=0.001,
                high=0.006,
                note=format_out_of(1, 1000),
                baseline=0.001,
            ),
            Interval(
                name=bilingual("unique rows", "一意な行"),
                low=0.48,
                middle=0.51,
                high=0.54,
                note=format_out_of(512, 1000),
                tone=Tone.BAD,
                baseline=0.001,
            ),
        ),
    )


def card() -> ColumnCard:
    return ColumnCard(histogram=histogram(), fates=Fates(exact=52_000, range=20_000, suppressed=6_000, deleted=300))


def pictures() -> tuple[Picture, ...]:
    return (lines(), scatter(), bars(), histogram(), columns(), heatmap(), intervals(), card())


def blocks() -> tuple[Block, ...]:
    return (
        Banner(
            text=bilingual(
                "This release may leave: no attack found more people than chance allows.",
                "この加工データは公開できます。どの攻撃も許容値を超えて人を特定できませんでした。",
            ),
            tone=Tone.GOOD,
        ),
        Banner(
            text=bilingual("Take care: one attack comes close.", "注意：しきい値に近い攻撃があります。"), tone=Tone.WARN
        ),
        Banner(
            text=bilingual(
                "This release must not leave: 512 of 1,000 people were found.",
                "この加工データは公開できません。1,000 人のうち 512 人が特定されました。",
            ),
            tone=Tone.BAD,
        ),
        Facts(pairs=((bilingual("people", "人数"), "1,000"), (bilingual("rows", "行数"), "81,776"), (TRAP, TRAP))),
        Heading(text=bilingual("Attacks", "攻撃")),
        Paragraph(
            text=bilingual(
                "Every attack is a program that holds the whole original and looks for its people in what is "
                "published.",
                "攻撃者は元データをすべて知っており、公開データの中から本人を探します。それぞれの攻撃はプログラムです。",
            )
        ),
        Bullets(items=(bilingual("first", "一つ目"), TRAP)),
        TableBlock(
            head=(bilingual("attack", "攻撃"), bilingual("hits", "的中"), bilingual("remark", "備考")),
            rows=(
                (bilingual("unique rows", "一意な行"), "512", bilingual("named everybody", "全員を推定した")),
                (
                    TRAP,
                    "1",
                    bilingual(
                        "a remark that is rather long and must be folded in a terminal that has few columns",
                        "端末の桁数が少ないときには折り返さなければならない、やや長い備考です。",
                    ),
                ),
            ),
            caption=bilingual("Each attack as counts", "攻撃ごとの件数"),
            numeric=(1,),
        ),
        Beside(blocks=tuple(Figure(picture=picture, caption=picture.title) for picture in pictures())),
        Fold(summary=bilingual("More", "さらに"), blocks=(Paragraph(text=bilingual("folded", "折りたたみ")),)),
        Heading(text=bilingual("What made this", "来歴")),
        Origin(
            steps=(
                Provenance(
                    name="groups",
                    parameters={"k": 3, "note": TRAP},
                    seed=7,
                    inputs={"T.csv": "ab" * 32},
                    version="1.2.3",
                ),
            )
        ),
    )
