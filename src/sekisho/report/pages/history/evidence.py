"""What gave customers away: the columns without which more customers would fit, and the most revealing rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sekisho.attack.history.explain import ClaimExplanation
from sekisho.report.figures.bars import Bar, Bars
from sekisho.report.kit.blocks import Block, Figure, Fold, Heading, Paragraph, TableBlock
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import Language, Text, Words, format_count, format_decimal, translate

ENDS = {True: Text("right", "的中"), False: Text("wrong", "誤り"), None: Text("not judged", "未判定")}
LONGEST_CELL = 40


def explanation_blocks(explanations: Sequence[ClaimExplanation], right: Mapping[int, bool]) -> tuple[Block, ...]:
    """Return the part of the report that tells how customers were found.

    ``right`` says by pseudonym whether the claim was.
    """
    if not explanations:
        return ()
    words = Text(
        "A few of the surest guesses. A customer fits a pseudonym if his purchases explain every row published under "
        "it. Each bar tells how many "
        "customers would fit if a column were hidden: a long bar means that this column gave the customer away.",
        "確信度の高い推定の例です。公開された行のすべてを購買で説明できる顧客が候補です。棒は、ある列を隠したときに残る候補の数です。"
        "棒が長い列ほど、顧客を特定する決め手になっています。",
    )
    return (
        Heading(text=Text("What gave customers away", "手がかり")),
        Paragraph(text=words),
        *(Fold(summary=_summary(each, ENDS[right.get(each.pseudonym)]), blocks=_parts(each)) for each in explanations),
    )


def telling_blocks(explanations: Sequence[ClaimExplanation]) -> tuple[Block, ...]:
    """Return which columns give people away, over all explained claims together: nobody is named."""
    if not explanations:
        return ()
    names = list(explanations[0].without)
    means = {name: sum(each.without[name] for each in explanations) / len(explanations) for name in names}
    start = sum(each.candidates for each in explanations) / len(explanations)
    bars = [Bar(name=Text("as published", "公開のまま"), value=start, note=format_decimal(start, 1))]
    bars += [Bar(name=_without(name), value=value, note=format_decimal(value, 1)) for name, value in means.items()]
    if all(value == start for value in means.values()):
        return (
            Heading(text=Text("Which columns give people away", "特定の決め手となる列")),
            Paragraph(text=_say_none_tells(start, len(explanations))),
        )
    figure = Bars(
        title=Text("Customers who would fit if a column were hidden", "ある列を隠したときに候補となる顧客"),
        desc=Text(
            "How many customers would fit on average if a column were hidden, over the "
            f"{len(explanations)} surest guesses of the strongest attack: a long bar means a telling column.",
            f"最も強い攻撃の確信度の高い {len(explanations)} 件の推定について、ある列を隠したときに候補となる顧客の"
            "平均人数です。棒が長い列ほど決め手になっています。",
        ),
        axis=Text("customers who would fit, on average", "候補となる顧客の平均人数"),
        bars=tuple(bars),
    )
    return (
        Heading(text=Text("Which columns give people away", "特定の決め手となる列")),
        Figure(picture=figure, caption=figure.desc),
    )


def _say_none_tells(candidates: float, guesses: int) -> Text:
    fit = format_decimal(candidates, 1).removesuffix(".0")
    return Text(
        f"None does: on average {fit} customers fit each of the {guesses} surest guesses of the strongest attack, and "
        "hiding any one column would not make them more.",
        f"決め手となる列はありません。最も強い攻撃の確信度の高い {guesses} 件の推定では、"
        f"候補となる顧客は平均 {fit} 人で、どの一列を隠しても増えません。",
    )


def _summary(each: ClaimExplanation, end: Text) -> Text:
    return Text(
        f"Pseudonym {each.pseudonym} is customer {each.customer}: {end.en}",
        f"仮名 {each.pseudonym} は顧客 {each.customer}：{end.ja}",
    )


def _parts(each: ClaimExplanation) -> tuple[Block, ...]:
    bars = [Bar(name=Text("as published", "公開のまま"), value=each.candidates, note=format_count(each.candidates))]
    bars += [Bar(name=_without(name), value=left, note=format_count(left)) for name, left in each.without.items()]
    figure = Bars(
        title=Text(f"Customers who fit pseudonym {each.pseudonym}", f"仮名 {each.pseudonym} に合う顧客"),
        desc=_describe_fit(each),
        axis=Text("customers who would fit", "候補となる顧客の数"),
        bars=tuple(bars),
    )
    return (Figure(picture=figure, caption=figure.desc), *((_rows(each),) if each.rows else ()))


def _describe_fit(each: ClaimExplanation) -> Text:
    telling = max(each.without, key=lambda name: each.without[name], default="")
    most = each.without.get(telling, each.candidates)
    if most == each.candidates:
        return Text(
            f"{each.candidates:,} as published, and hiding any one column would not make it more.",
            f"公開のままで {each.candidates:,} 人。どの一列を隠しても増えません。",
        )
    column = translate_name(telling)
    return Text(
        f"{each.candidates:,} as published; most, {most:,}, without {translate(column, Language.EN)}.",
        f"公開のままでは {each.candidates:,} 人。{translate(column, Language.JA)}を隠すと最も多く {most:,} 人。",
    )


def _without(name: str) -> Text:
    column = translate_name(name)
    return Text(f"without {translate(column, Language.EN)}", f"{translate(column, Language.JA)}なし")


def _rows(each: ClaimExplanation) -> TableBlock:
    columns = tuple(each.rows[0].cells)
    head: tuple[Words, ...] = (
        Text("published row", "公開された行"),
        *map(translate_name, columns),
        Text("customers it leaves", "残る顧客"),
    )
    rows = tuple(
        (format_count(row.row + 1), *(_shorten_cell(row.cells[name]) for name in columns), format_count(row.customers))
        for row in each.rows
    )
    return TableBlock(
        head=head, rows=rows, caption=Text("The most telling rows", "決め手となった行"), numeric=(len(head) - 1,)
    )


def _shorten_cell(cell: str) -> str:
    return cell if len(cell) <= LONGEST_CELL else f"{cell[:LONGEST_CELL]}…"
