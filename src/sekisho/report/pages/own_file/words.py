"""The words for what was seen in a file, in two languages; figures only, never a value of the data."""

from __future__ import annotations

from collections.abc import Iterable

from sekisho.data.frame.schema import Role
from sekisho.data.shape import Shape
from sekisho.gate.profiling.hints import Hint, Sign
from sekisho.report.kit.words import Language, Text, format_percent, translate
from sekisho.report.pages.verdicts.naming_forms import FORMS

SEEN: dict[Sign, Text] = {
    Sign.NAMED: Text('its name says so ("{word}")', "列名に「{word}」とあります"),
    Sign.DISTINCT: Text(
        "{distinct:,} different values in {rows:,} rows", "{rows:,} 行に {distinct:,} 種類の値があります"
    ),
    Sign.REPEATS: Text(
        "{distinct:,} people in {rows:,} rows, {mean:.1f} rows each",
        "{rows:,} 行に {distinct:,} 人、一人あたり {mean:.1f} 行です",
    ),
    Sign.FEW_VALUES: Text("{distinct:,} different values", "{distinct:,} 種類の値です"),
    Sign.MANY_VALUES: Text(
        "{distinct:,} different values in {rows:,} rows", "{rows:,} 行に {distinct:,} 種類もの値があります"
    ),
    Sign.NUMBERS: Text(
        "numbers of {distinct:,} different values, which others may know: nothing says they do not",
        "{distinct:,} 種類の数値です。他人が知らないとは言えません",
    ),
    Sign.HOLDS: Text("its values are {form}", "値が{form}です"),
    Sign.POSTAL: Text(
        "{share} of its values are postal codes; the first three digits often suffice",
        "値の {share} が郵便番号です。上3桁で足りることが多いです",
    ),
    Sign.LONG_TEXT: Text(
        "free text: {length:.0f} characters on average, {distinct:,} different ones; who knows what it gives away",
        "自由記述です: 平均 {length:.0f} 文字、{distinct:,} 種類。何が漏れるか誰にも分かりません",
    ),
    Sign.REMARKS: Text(
        "texts of several words: if they are remarks that somebody wrote, delete the column from the schema, which "
        "leaves it out",
        "複数の語からなる文です。誰かが書いた備考なら、スキーマからこの列を消して公開から除いてください",
    ),
    Sign.CONSTANT: Text("one value in all rows: it tells nobody apart", "全行が同じ値で、誰も区別しません"),
    Sign.ALL_MISSING: Text("every cell is missing", "すべて欠損です"),
    Sign.MISSING_CATEGORY: Text(
        "{missing:,} of {rows:,} cells are missing: a category of their own",
        "{rows:,} のうち {missing:,} が欠損です。欠損を一つの分類とします",
    ),
    Sign.MISSING_DROP: Text(
        "{missing:,} of {rows:,} cells are missing: their rows are dropped",
        "{rows:,} のうち {missing:,} が欠損です。その行は除きます",
    ),
    Sign.MISSING_MANY: Text(
        "{missing:,} of {rows:,} cells are missing, too many rows to drop; fill them to release the column",
        "{rows:,} のうち {missing:,} が欠損で、行を除くには多すぎます。公開するには補ってください",
    ),
    Sign.OUTCOME: Text(
        "the last column has two values, as an outcome has", "最後の列で値が2種類なので、結果を表す列と見ました"
    ),
    Sign.TRANSACTION: Text(
        '"{word}": {distinct:,} numbers of transactions link the rows of one person',
        "「{word}」: {distinct:,} 種類の取引番号は同じ人の行をつなぎます",
    ),
    Sign.NAMES_PEOPLE: Text(
        "left out, because it seems to name people, and what names people never leaves, generalised or not; if that is "
        "wrong, or it must leave, list it in the schema and say why under [allowed_columns] in the recipe",
        "人を名指しすると見て除きました。人を名指しする列は、一般化しても外に出しません。違う場合や出す必要がある場合は、スキーマに"
        "加え、レシピの [allowed_columns] に理由を書いてください",
    ),
    Sign.THOUSANDS: Text(
        "numbers with marks between thousands are read as texts: remove the marks",
        "桁区切りのある数値は文字として読まれます。桁区切りを除いてください",
    ),
    Sign.OTHER_DATES: Text(
        "dates in another format than the file's others are read as texts: write all in one format",
        "他の列と書き方の違う日付は文字として読まれます。書き方をそろえてください",
    ),
    Sign.TAIL: Text(
        "far-out values: protect code --{side} {asked} would cover {rows:,} rows",
        "外れ値があります: protect code --{side} {asked} なら {rows:,} 行をまとめます",
    ),
    Sign.FAR: Text(
        'far-out values: {rows:,} rows lie at or beyond {limit}; high or low with outside = "drop" leaves them out',
        '外れ値があります: {rows:,} 行が {limit} の外側です。high や low と outside = "drop" で除けます',
    ),
    Sign.ONLY_KIND: Text("the likeliest column of kind {kind}", "種類が {kind} の列のうち最もそれらしい列です"),
    Sign.ALONE: Text("rows with a value that no other row has: {single:,}", "他のどの行にもない値をもつ行: {single:,}"),
    Sign.MARGIN: Text("{dims} has a code that names a total", "{dims} に合計を表すコードがあります"),
    Sign.DISTINCT_CELLS: Text(
        "each of the {rows:,} combinations of {dims} stands there once", "{dims} の {rows:,} 通りが一度ずつ現れます"
    ),
    Sign.ONE_ROW_EACH: Text(
        "no column says whose a row is and repeats: {rows:,} rows, one a person (of firms: --shape table tabulates)",
        "同じ人の行がくり返されません: {rows:,} 行、一人一行と見ました（企業の個票なら --shape table）",
    ),
    Sign.ASKED: Text("asked for by --shape", "--shape の指定です"),
}
ROLES: dict[Role | None, Text] = {
    Role.IDENTIFIER: Text("who it is", "誰かを示す列"),
    Role.QUASI: Text("may be known to others", "他人が知りうる列"),
    Role.SENSITIVE: Text("must stay hidden", "隠すべき列"),
    Role.OTHER: Text("says nothing about a person", "個人について何も語らない列"),
    None: Text("left out", "除く列"),
}
SHAPES: dict[Shape, Text] = {
    Shape.HISTORY: Text("a history: many rows a person", "履歴: 一人に多くの行"),
    Shape.RECORDS: Text("records: one row a person", "個票: 一人に一行"),
    Shape.TABLE: Text("a table: cells by dimensions", "集計表: 次元ごとのセル"),
}


def say_hint(hint: Hint, language: Language) -> str:
    """Return the words for one thing that was seen."""
    figures = dict(hint.figures)
    form = figures.get("form")
    if isinstance(form, str):
        figures["form"] = translate(FORMS[form], language)
    share = figures.get("share")
    if isinstance(share, float):
        figures["share"] = format_percent(share)
    return translate(SEEN[hint.sign], language).format_map(figures)


def say_hints(hints: Iterable[Hint], language: Language) -> str:
    """Return the words for some things that were seen, one after the other."""
    return ("; " if language is Language.EN else "。").join(say_hint(hint, language) for hint in hints)
