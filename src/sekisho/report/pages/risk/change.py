"""How easily people were found in the original and are in its release, and which columns gave them away.

Both editions tell counts over the keys, and of the release how diverse its classes are in what must stay hidden: they
name nobody and show no value, and whoever has the release can count them of it again. What the classes of the original
tell about sensitive columns stays in the house.
"""

from __future__ import annotations

from sekisho.gate.records.comparison import Compared
from sekisho.gate.records.keys_judge import KeyedCandidate, KeysJudge
from sekisho.gate.records.unprotected import find_prosecutor
from sekisho.report.figures.bars import Bar, Bars
from sekisho.report.kit.blocks import Block, Figure, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import (
    Text,
    Words,
    format_count,
    format_decimal,
    format_percent,
)
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.safety.records.uniques.key_uniques import KeyUniques

HEADING = Text("How easily people are found: before and now", "個人の見つけやすさ：加工の前と後")
BLAME = Text("Which columns give people away", "個人を特定させる列")
FOUND = Text("found by him, on average", "そのうち見つけられる人数（平均）")
HOPED = Text(
    "found by him, on average (of the release, as he hopes)", "そのうち見つけられる人数（平均。加工後は攻撃者の見込み）"
)
UNKNOWN = "–"


def change_blocks(judge: KeysJudge, best: KeyedCandidate, *, edition: Edition) -> tuple[Block, ...]:
    """Return the risk of the original beside that of the release, in plain words first."""
    return (
        Heading(text=HEADING),
        Paragraph(text=_join(_say_before(judge.unprotected.classes), _say_now(best.compared))),
        _table(judge, best, edition),
        *blame_blocks(judge.unprotected.uniques),
    )


def _say_before(classes: RecordRisk) -> Text:
    if not classes.uniques:
        return Text(
            f"Before, nobody was alone on the keys: everybody shared them with at least {classes.k - 1:,} others.",
            f"加工前からキーで一意な人はおらず、誰もが少なくとも {classes.k - 1:,} 人とキーを共有していました。",
        )
    alone, people, share = classes.uniques, classes.rows, format_percent(classes.uniques / classes.rows)
    return Text(
        f"Before, {alone:,} of {people:,} people ({share}) were alone in their class of equal keys: whoever knew their "
        "keys found them for certain.",
        f"加工前は {people:,} 人のうち {alone:,} 人（{share}）が、キーの等しい人がほかにおらず、"
        "キーを知る者に確実に見つけられました。",
    )


def _say_now(now: Compared) -> Text:
    if not now.uniques:
        return Text(
            f"Now nobody is: every record of the release shares its keys with at least {now.k - 1:,} others.",
            "加工後は一人もいません。"
            f"加工データのどのレコードも、少なくとも {now.k - 1:,} 件とキーが等しくなっています。",
        )
    return Text(
        f"Now {now.uniques:,} of {now.rows:,} records of the release are alone. Alone is not yet found, where values "
        "were changed: what attackers find is told below.",
        f"加工後は {now.rows:,} 件のうち {now.uniques:,} 件が一意です。"
        "値を変える加工では、一意でも見つけられるとは限りません。攻撃の結果は下に示します。",
    )


def _table(judge: KeysJudge, best: KeyedCandidate, edition: Edition) -> TableBlock:
    before, now = judge.unprotected.classes, best.compared
    attack = find_prosecutor(now.attacks, judge.question.keys)
    hopes = attack is not None and attack.rate is None
    rows: list[tuple[Words, ...]] = [
        (Text("records", "レコード"), format_count(before.rows), format_count(now.rows)),
        (Text("smallest class of equal keys (k)", "キーが等しい組の最小（k）"), str(before.k), format_count(now.k)),
        (
            Text("alone in their class", "一意なレコード"),
            _show_share(before.uniques, before.rows),
            _show_share(now.uniques, now.rows),
        ),
        (
            Text("people looked for by one who knows all keys", "全キーを知る攻撃者の対象者"),
            format_count(before.rows),
            UNKNOWN if attack is None else format_count(attack.people),
        ),
        (
            HOPED if hopes else FOUND,
            _show_share(judge.unprotected.found, before.rows),
            UNKNOWN
            if attack is None or attack.share is None
            else _show_share(attack.share * attack.people, attack.people),
        ),
    ]
    if judge.question.sensitive:
        own = edition is Edition.CONFIDENTIAL
        diversity = (before.diversity if own else None, now.diversity)
        closeness = (before.closeness if own else None, now.classes.closeness)
        rows += [
            (
                Text("fewest sensitive values of a class (l)", "組の中の機微な値の最少種類（l）"),
                *(UNKNOWN if each is None else format_count(each) for each in diversity),
            ),
            (
                Text("farthest class from the whole file (t)", "全体の分布から最も遠い組の距離（t）"),
                *(UNKNOWN if each is None else format_decimal(each) for each in closeness),
            ),
        ]
    head = (Text("figure", "指標"), Text("original", "元データ"), Text("release", "加工データ"))
    return TableBlock(head=head, rows=tuple(rows), numeric=(1, 2))


def _show_share(count: float, whole: int) -> str:
    shown = format_count(int(count)) if count == int(count) else format_decimal(count, 1)
    return f"{shown} ({format_percent(count / whole)})" if whole else shown


def blame_blocks(uniques: KeyUniques) -> tuple[Block, ...]:
    """Return which keys make people of the original unique: how many fewer would be without each."""
    if not uniques.unique or len(uniques.without) < 2:
        return ()
    fewer = sorted(((name, uniques.unique - left) for name, left in uniques.without.items()), key=lambda pair: -pair[1])
    worst, most = fewer[0]
    share = format_percent(uniques.unique / uniques.records)
    words = Text(
        f"On all keys together {uniques.unique:,} of {uniques.records:,} people ({share}) of the original are unique. "
        f"If {worst} were not known, or not published, it would be {most:,} fewer. One person may be unique by several "
        "columns, so the bars do not add up.",
        f"元データでは、全キーで {uniques.records:,} 人のうち {uniques.unique:,} 人（{share}）が一意です。"
        f"{worst} が知られないか公開されなければ、{most:,} 人減ります。"
        "複数の列で一意になる人がいるため、帯の合計は全体と一致しません。",
    )
    if 2 * most < uniques.unique:
        words = _join(
            words,
            Text(
                "No single column is to blame: what is left is enough to tell people apart.",
                "一つの列だけが原因ではありません。残りの列だけでも個人を見分けられます。",
            ),
        )
    figure = Bars(
        title=Text("Fewer unique people without each column", "各列がないときに減る一意な人数"),
        desc=Text(
            "; ".join(f"without {name} {count:,} fewer" for name, count in fewer),
            "、".join(f"{name} がなければ {count:,} 人減" for name, count in fewer),
        ),
        axis=Text(f"fewer unique people, of {uniques.unique:,}", f"一意な {uniques.unique:,} 人のうち減る人数"),
        bars=tuple(
            Bar(
                name=name,
                value=float(count),
                note=Text(
                    f"{count:,} fewer, {uniques.unique - count:,} left",
                    f"{count:,} 減、残り {uniques.unique - count:,}",
                ),
                tone=Tone.BAD if 2 * count >= uniques.unique else Tone.PLAIN,
            )
            for name, count in fewer
        ),
        high=float(uniques.unique),
    )
    return (Heading(text=BLAME), Paragraph(text=words), Figure(picture=figure))


def _join(first: Text, second: Text) -> Text:
    return Text(f"{first.en} {second.en}", f"{first.ja}{second.ja}")
