"""The recipe that is proposed for a file: how to protect it, who attacks, what must hold, each with its reason."""

from __future__ import annotations

from shlex import quote

from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.frame.schema import Role
from sekisho.data.shape import Shape
from sekisho.gate.profiling.look import FileLook
from sekisho.gate.profiling.shape_guess import TableColumns
from sekisho.report.kit.words import Language, Text, format_out_of, translate
from sekisho.report.pages.own_file.toml_text import TomlText
from sekisho.report.pages.own_file.words import SHAPES, say_hints

K, L = 5, 2
FEWEST_OF_A_CLASS = 3 * K
"""Fewer people than this cannot form classes of five that are worth the name; smaller ones are tried."""
HEAD = Text(
    "How {name} is taken through the gate: sekisho gate {recipe}",
    "{name} を関所に通す手順です: sekisho gate {recipe}",
)
DOCS = Text(
    "Guesses to look at before you rely on them: docs/guide/own-file.md",
    "推定です。使う前に確かめてください: docs/guide/own-file.md",
)
SEED = Text("drawn and recorded if not given", "指定しなければ選ばれ、記録されます")
UNIQUE = Text("unique on the keys: {share}", "キーの組合せが唯一の行: {share}")
BLAMED = Text(
    "most of it is due to: {names} (so many fewer without it)", "主な原因: {names}（その列がなければこれだけ減る）"
)
PROVEN_K = 7
"""7! = 5,040 is above 3**7 = 2,187, and 6! = 720 is not above 3**6 = 729: from 7 on a group keeps the claim H0."""
PROVEN = Text(
    "groups of so many people whose rows are published alike; from 7 on the safety claim itself is proven",
    "公開される行が同じになる人数。7 以上なら安全性の主張そのものが証明されます",
)
SMALLER = Text(
    "Smaller groups lose less, but attacks alone speak for them. To try them all:",
    "小さい群ほど失うものは少ないですが、根拠は攻撃の結果だけです。すべて試すには:",
)
CLASSES = Text("classes of so many people whose keys are written alike", "キーの書き方が同じになる最小の人数")
DIVERSE = Text("different values of {name} in each class at least", "各クラスに現れる {name} の値の最小の種類数")
OTHERS = Text("of each of {names}", "{names} のそれぞれについて")
LEFT_OUT = 0.2
LEAVE = Text(
    "the method heeds {name}; so many records at most are left out, in whole classes, that the others keep l too",
    "加工手法が守るのは {name} です。ほかの列も l を満たすよう、この割合まで組ごと除きます",
)
MUST = Text("what must hold, else nothing leaves", "成り立たなければ何も外に出ません")
MARGINS = Text("margins are added where the file has none", "合計がなければ加えます")
MIN_COUNT = Text("cells of fewer are unsafe", "これより小さい度数のセルは安全でないとします")
WIDTH = Text(
    "how wide an attacker's interval of an unsafe cell must be", "攻撃者が安全でないセルについて知る区間の最小の幅"
)
P_PERCENT = Text(
    "nobody may learn another's contribution within 15 per cent", "他者の寄与を 15 % 以内の精度で知られないこと"
)
FEW = Text("cells of fewer contributors are unsafe", "寄与者がこれより少ないセルは安全でないとします")
MICRO = Text(
    "a row for each contributor: tabulated first, margins included", "寄与者ごとの行です。まず合計とともに集計します"
)
CODE = Text(
    "Far-out values remain in what is no key, or stretch the ranges of a key. To code them, first run:",
    "外れ値はキーでない列に残り、キーの区間を広げます。まとめるには先に次を実行します:",
)


def write_recipe(look: FileLook, language: Language, *, original: str, schema: str, recipe: str) -> bytes:
    """Return the recipe as a file.

    Args:
        look: at the data.
        language: of the comments.
        original: the file of data as the recipe calls it.
        schema: the file of its schema likewise; not used for a table.
        recipe: what the recipe itself is called.
    """
    text = TomlText()
    text.say(translate(HEAD, language).format(name=look.path.name, recipe=recipe), translate(DOCS, language))
    text.set("title", look.path.stem)
    text.set("shape", look.shape.value, translate(SHAPES[look.shape], language))
    text.say(say_hints(look.guess.hints, language))
    text.set("original", original)
    if look.guess.table is not None:
        _write_table(text, look.guess.table, look.file.rules, language)
        return text.render()
    text.set("schema", schema)
    text.offer("seed", 1, translate(SEED, language))
    if look.shape is Shape.HISTORY:
        _write_history(text, look, language)
    else:
        _write_records(text, look, language)
    return text.render()


def _write_history(text: TomlText, look: FileLook, language: Language) -> None:
    people = 0 if look.guess.person is None else look.guess.person.distinct
    text.set("bound", "exact")
    text.open("[[methods]]")
    text.set("name", "groups")
    text.set("k", max(2, min(PROVEN_K, people)), translate(PROVEN, language))
    text.lines.append("")
    text.say(translate(SMALLER, language), "[find]")
    text.offer("method", "groups")
    text.offer("k", [2, PROVEN_K])
    for name in ("maximum-knowledge", "containment", "unique-rows", "chance"):
        text.open("[[adversaries]]")
        text.set("name", name)


def _write_records(text: TomlText, look: FileLook, language: Language) -> None:
    rows = look.file.rows
    k = K if rows >= FEWEST_OF_A_CLASS else 2
    if look.uniques is not None:
        share = translate(format_out_of(look.uniques.unique, look.uniques.records), language)
        blamed = ", ".join(f"{name} (-{fewer:,})" for name, fewer in look.uniques.blamed[:3])
        text.lines.append("")
        text.say(translate(UNIQUE, language).format(share=share))
        text.say(translate(BLAMED, language).format(names=blamed) if blamed else "")
    _offer_coding(text, look, language)
    text.open("[[methods]]")
    text.set("name", "partition")
    text.set("k", k, translate(CLASSES, language))
    diverse = _find_diverse(look)
    if diverse:
        text.set("sensitive", diverse[0])
        text.set("l", L, translate(DIVERSE, language).format(name=diverse[0]))
    for name in ("prosecutor", "nearest-cell"):
        text.open("[[adversaries]]")
        text.set("name", name)
    text.open("[guarantees]")
    text.set("k", k, translate(MUST, language))
    if diverse:
        text.set("l", L, translate(OTHERS, language).format(names=", ".join(diverse)))
    if len(diverse) > 1:
        text.set("leave_out", LEFT_OUT, translate(LEAVE, language).format(name=diverse[0]))


def _find_diverse(look: FileLook) -> tuple[str, ...]:
    """Return the sensitive columns, the least diverse first: the method heeds that one, and the others mostly follow.

    A column with one value tells the same of everybody, and no class could hold two.
    """
    if look.schema is None:
        return ()
    common = {
        rules.output_name: guess.look.common / max(1, guess.look.present)
        for guess, rules in zip(look.schema.roles, look.schema.rules, strict=True)
        if rules is not None and rules.role is Role.SENSITIVE and guess.look.distinct + (guess.look.missing > 0) > 1
    }
    return tuple(sorted(common, key=lambda name: -common[name]))


def _offer_coding(text: TomlText, look: FileLook, language: Language) -> None:
    tails = [
        f"--{tail.side} {quote(f'{guess.look.name}={tail.limit}')}"
        for guess in look.roles
        if guess.role in {Role.QUASI, Role.SENSITIVE, Role.OTHER}
        for tail in guess.look.tails
    ]
    if tails:
        name = look.path.name
        text.say(
            translate(CODE, language),
            f"sekisho protect code {quote(name)} {' '.join(tails)} --out {quote(f'coded-{name}')}",
        )


def _write_table(text: TomlText, table: TableColumns, rules: FileRules, language: Language) -> None:
    text.set("dims", [each.name for each in table.dims], translate(MARGINS, language))
    for name in ("separator", "encoding", "decimal"):
        value = getattr(rules, name)
        if value is not None:
            text.set(name, value)
    if table.is_microdata:
        text.set("microdata", value=True, comment=translate(MICRO, language))
        if table.contributor is not None:
            text.set("contributor", table.contributor.name)
    if table.counts:
        if table.value is not None:
            text.set("count", table.value.name)
        text.set("min_count", 5, translate(MIN_COUNT, language))
        text.set("width", 10, translate(WIDTH, language))
        return
    _write_sums(text, table, language)


def _write_sums(text: TomlText, table: TableColumns, language: Language) -> None:
    if table.value is not None:
        text.set("value", table.value.name)
    if table.contributors:
        text.set("contributors", [each.name for each in table.contributors])
    whole = table.is_microdata or len(table.contributors) > 2
    text.set("rules", ["min:3", "p%:15"] if whole else ["min:3"], translate(P_PERCENT if whole else FEW, language))
