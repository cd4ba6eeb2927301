"""Made-up exports of Japanese offices."""

from __future__ import annotations

from datetime import date
from random import Random

from made_up.kit import (
    AMOUNT,
    HARD,
    SOFT,
    Export,
    days,
    digits,
    identifier,
    of_each,
    quasi,
    secret,
    some,
    write_lines,
    write_workbook,
)

FAMILY = [
    "安西:アンザイ",
    "板垣:イタガキ",
    "宇野:ウノ",
    "榎本:エノモト",
    "落合:オチアイ",
    "川端:カワバタ",
    "菊地:キクチ",
    "久保田:クボタ",
    "小池:コイケ",
    "西郷:サイゴウ",
    "篠原:シノハラ",
    "須藤:スドウ",
    "関根:セキネ",
    "高木:タカギ",
    "辻:ツジ",
    "土屋:ツチヤ",
    "中西:ナカニシ",
    "野口:ノグチ",
    "浜田:ハマダ",
    "樋口:ヒグチ",
    "福島:フクシマ",
    "星野:ホシノ",
    "松尾:マツオ",
    "水野:ミズノ",
    "森田:モリタ",
    "矢野:ヤノ",
    "吉岡:ヨシオカ",
    "渡部:ワタナベ",
]
GIVEN = [
    "彩花:アヤカ",
    "一郎:イチロウ",
    "栄子:エイコ",
    "和也:カズヤ",
    "恭子:キョウコ",
    "健太:ケンタ",
    "早苗:サナエ",
    "俊介:シュンスケ",
    "千尋:チヒロ",
    "哲也:テツヤ",
    "智美:トモミ",
    "直人:ナオト",
    "春香:ハルカ",
    "弘樹:ヒロキ",
    "真由美:マユミ",
    "美和:ミワ",
    "悠斗:ユウト",
    "由紀:ユキ",
    "芳江:ヨシエ",
    "亮:リョウ",
    "玲奈:レイナ",
    "渉:ワタル",
]
TOWNS = ("青葉ヶ浜市", "緑野町", "北三条市", "雲見市", "汐入村")


def draw_names(draw: Random, size: int) -> tuple[list[str], list[str]]:
    """Return names and their readings."""
    pairs = [(draw.choice(FAMILY).split(":"), draw.choice(GIVEN).split(":")) for _ in range(size)]
    return [f"{f[0]} {g[0]}" for f, g in pairs], [f"{f[1]} {g[1]}" for f, g in pairs]


def mobile(draw: Random) -> str:
    """Return a number that is never given out."""
    return f"0{draw.choice('789')}0-0000-{digits(draw, 4)}"


def in_era(day: date) -> str:
    """Return a day in the Japanese calendar, short."""
    for first, mark in ((date(2019, 5, 1), "R"), (date(1989, 1, 8), "H"), (date(1926, 12, 25), "S")):
        if day >= first:
            return f"{mark}{day.year - first.year + 1}.{day.month}.{day.day}"
    raise ValueError(day)


def wide(number: int) -> str:
    """Return a number in full-width digits."""
    return "".join(chr(ord(digit) + 0xFEE0) for digit in str(number))


def dentist(draw: Random) -> Export:
    """Return a dentist's list of appointments."""
    size, patients = 420, 130
    names, readings = draw_names(draw, patients)
    born = [in_era(day) for day in days(draw, date(1938, 1, 1), date(2018, 12, 31), patients)]
    cards = [f"{number:06}" for number in draw.sample(range(1000, 99999), patients)]
    phones = [mobile(draw) for _ in range(patients)]
    at = [draw.randrange(patients) for _ in range(size)]
    staff = ["榎本", "樋口", "矢野"]
    notes = ["娘さんの安西 彩花さんより電話あり", "前回痛み強い。落合先生へ引継ぎ", "勤務先(汐入小)に連絡可"]
    return Export(
        file="appoint_r6_q1.csv",
        description="歯科医院の予約一覧表",
        industry="dentist",
        language="ja",
        shape="history",
        shapes=("history",),
        encoding="cp932",
        newline="\r\n",
        titles=("みどりの丘歯科 予約一覧表", "期間:R6.4.1~R6.6.30,,,,出力者:受付", ""),
        footers=(f"以上 {size} 件",),
        write=write_lines,
        columns=[
            identifier("診察券No", "patient card", of_each(cards, at), "code", means="person"),
            identifier("患者", "person's name", of_each(names, at)),
            identifier("カナ", "name reading", of_each(readings, at)),
            quasi("生年月日", "birth date", of_each(born, at), "date", format="wareki"),
            quasi("性", "sex", [("男", "女")[place % 2] for place in at]),
            identifier("連絡先", "telephone", of_each(phones, at)),
            quasi(
                "予約日",
                "visit date",
                [in_era(day) for day in sorted(days(draw, date(2024, 4, 1), date(2024, 6, 30), size))],
                "date",
                format="wareki",
                means="date",
            ),
            quasi(
                "時刻",
                "time of day",
                [f"{draw.randrange(9, 19)}:{draw.choice(('00', '30'))}" for _ in at],
                accepted=SOFT,
                accepted_kinds=["date", "datetime"],
            ),
            quasi(
                "処置",
                "treatment",
                draw.choices(["定期検診", "う蝕処置", "抜歯", "義歯調整", "スケーリング"], k=size),
                accepted=HARD,
                means="item",
            ),
            identifier("担当DH", "employee's name", draw.choices(staff, k=size)),
            quasi("チェア", "room", [draw.randrange(1, 5) for _ in at], "integer", SOFT),
            identifier("申送り", "remarks with names", some(draw, notes, 0.15, size)),
        ],
    )


def nursery(draw: Random) -> Export:
    """Return a city's applications for child care, with a header of two lines."""
    size = 240
    names, _ = draw_names(draw, size)
    children = [f"{name.split()[0]} {draw.choice(GIVEN).split(':')[0]}" for name in names]
    columns = [
        identifier("整理番号", "file number", [f"R06-{number:05}" for number in range(301, 301 + size)], "code"),
        identifier(
            "氏名", "person's name", names, aliases=["保護者 氏名", "保護者_氏名", "保護者・氏名", "保護者/氏名"]
        ),
        quasi("児童との続柄", "relation", draw.choices(["母", "父", "祖母"], [70, 27, 3], k=size)),
        identifier("日中連絡先", "telephone", [mobile(draw) for _ in range(size)]),
        identifier("氏名", "child's name", children, aliases=["児童 氏名", "児童_氏名", "児童・氏名", "児童/氏名"]),
        quasi("生年月日", "birth date", days(draw, date(2018, 4, 2), date(2024, 3, 1), size), "date"),
        quasi("性別", "sex", draw.choices(["男", "女"], k=size)),
        secret("アレルギー", "illness", some(draw, ["卵", "乳", "小麦", "そば"], 0.2, size), accepted=HARD),
        quasi("世帯人員", "household size", [draw.randrange(2, 8) for _ in range(size)], "integer"),
        secret("市民税所得割額", "tax", [draw.randrange(0, 400) * 700 for _ in range(size)], "integer", HARD),
        secret("生保", "benefit", ["該当" if draw.random() < 0.05 else "非該当" for _ in range(size)], accepted=HARD),
        quasi(
            "第1希望",
            "nursery wanted",
            draw.choices(["ひばり保育園", "つくし園", "あおぞら", "うみのこ保育園"], k=size),
            accepted=AMOUNT,
        ),
        quasi("指数", "points", [draw.randrange(12, 41) for _ in range(size)], "integer", AMOUNT),
        quasi("結果", "verdict", draw.choices(["承諾", "保留", "取下"], [6, 3, 1], k=size), accepted=AMOUNT),
    ]
    return Export(
        file="hoiku_moushikomi.xlsx",
        description="保育所利用申込者一覧",
        industry="city",
        language="ja",
        titles=("令和6年度 保育所利用申込者一覧(取扱注意)",),
        groups=("",) + ("保護者",) * 3 + ("児童",) * 4 + ("世帯",) * 3 + ("選考",) * 3,
        write=write_workbook,
        columns=columns,
    )


def school(draw: Random) -> Export:
    """Return a school's test results, with digits of full width."""
    size = 180
    names, readings = draw_names(draw, size)
    marks = {
        subject: [wide(draw.randrange(18, 101)) if draw.random() < 0.96 else "欠" for _ in range(size)]
        for subject in ("国語", "数学", "英語", "理科", "社会")
    }
    views = [f"{name.split()[0]}さんは努力が見られる" for name in names]
    return Export(
        file="jitsuryoku_test.csv",
        description="実力テスト結果(2年)",
        industry="school",
        language="ja",
        encoding="utf-8-sig",
        newline="\r\n",
        write=write_lines,
        columns=[
            quasi("組", "class", [("A", "B", "C", "D", "E")[place // 36] for place in range(size)]),
            quasi(
                "番",
                "number in class",
                [wide(place % 36 + 1) for place in range(size)],
                "integer",
                ("quasi", "identifier", "other"),
                accepted_kinds=["category"],
            ),
            identifier("生徒", "person's name", names),
            identifier(
                "よみ",
                "name reading",
                ["".join(chr(ord(c) - 96) if "ァ" <= c <= "ン" else c for c in text) for text in readings],
            ),
            quasi("男女", "sex", draw.choices(["男", "女"], k=size)),
            quasi("部活", "club", some(draw, ["野球", "吹奏楽", "卓球", "美術", "陸上"], 0.85, size)),
            *[secret(subject, "marks", cells, "integer", HARD, ("欠",)) for subject, cells in marks.items()],
            quasi(
                "学年順位", "rank", [wide(place) for place in draw.sample(range(1, size + 1), size)], "integer", AMOUNT
            ),
            secret("要支援", "disability", some(draw, ["○"], 0.06, size), accepted=HARD),
            identifier("所見", "remarks with names", views),
        ],
    )


def pharmacy(draw: Random) -> Export:
    """Return a pharmacy's log of prescriptions."""
    size, patients = 520, 160
    names, _ = draw_names(draw, patients)
    doctors, _ = draw_names(draw, 9)
    insured = [f"{draw.randrange(10, 99)}-{digits(draw, 6)}" for _ in range(patients)]
    ages = [f"{draw.randrange(2, 95)}歳" for _ in range(patients)]
    drugs = [
        "アムロジピン錠5mg",
        "ロキソプロフェン錠60mg",
        "メトホルミン錠250mg",
        "エスゾピクロン錠2mg",
        "レボチロキシン錠50μg",
        "プレドニゾロン錠5mg",
    ]
    at = [draw.randrange(patients) for _ in range(size)]
    return Export(
        file="shohou_log.txt",
        description="調剤薬局の処方箋受付記録",
        industry="pharmacy",
        language="ja",
        shape="history",
        encoding="euc_jp",
        separator="\t",
        write=write_lines,
        columns=[
            identifier(
                "処方箋No.",
                "prescription number",
                [f"P{24040000 + place}" for place in range(size)],
                "code",
                direct=False,
            ),
            quasi(
                "受付",
                "visit date",
                [f"{day:%Y%m%d}" for day in sorted(days(draw, date(2024, 4, 1), date(2024, 9, 30), size))],
                "date",
                format="%Y%m%d",
                means="date",
            ),
            identifier("記号番号", "insurance number", of_each(insured, at), "code", means="person"),
            identifier("患者様名", "person's name", of_each(names, at)),
            quasi("年齢", "age", of_each(ages, at), "integer"),
            quasi("性別コード", "sex", [1 + place % 2 for place in at]),
            quasi("薬品", "drug", draw.choices(drugs, k=size), accepted=HARD, means="item"),
            quasi("日数", "days", draw.choices([5, 7, 14, 28, 30], k=size), "integer", AMOUNT),
            quasi(
                "薬剤料(点)", "billing points", [draw.randrange(8, 420) for _ in at], "integer", AMOUNT, means="amount"
            ),
            identifier("処方医", "doctor's name", draw.choices(doctors, k=size)),
            quasi(
                "発行医療機関",
                "clinic",
                draw.choices(["雲見市立病院", "汐入内科", "北三条クリニック"], k=size),
                accepted=AMOUNT,
            ),
            quasi(
                "負担割合",
                "share paid",
                draw.choices(["1割", "2割", "3割"], k=size),
                accepted=AMOUNT,
                accepted_kinds=["integer", "decimal"],
            ),
        ],
    )


def job_seekers(draw: Random) -> Export:
    """Return an employment agency's list of people who look for work."""
    size = 260
    names, _ = draw_names(draw, size)
    homes = [
        f"{draw.choice(TOWNS)}本町{draw.randrange(1, 9)}丁目{draw.randrange(1, 30)}番{draw.randrange(1, 20)}号"
        for _ in range(size)
    ]
    return Export(
        file="kyushokusha.tsv",
        description="人材紹介会社の求職者一覧",
        industry="employment agency",
        language="ja",
        separator="\t",
        write=write_lines,
        columns=[
            identifier(
                "求職番号",
                "person id",
                [f"{draw.randrange(10000, 99999)}-{digits(draw, 7)}" for _ in range(size)],
                "code",
            ),
            identifier("お名前", "person's name", names),
            identifier("現住所", "address", homes),
            quasi(
                "生まれ",
                "birth date",
                [
                    f"{day.year}年{day.month}月{day.day}日"
                    for day in days(draw, date(1959, 1, 1), date(2004, 12, 31), size)
                ],
                "date",
                format="%Y年%m月%d日",
            ),
            quasi(
                "最終学歴",
                "education",
                draw.choices(["中卒", "高卒", "専門卒", "大卒", "院卒"], [1, 5, 3, 6, 1], k=size),
            ),
            quasi("希望職種", "occupation", draw.choices(["事務", "営業", "製造", "介護", "運転", "IT"], k=size)),
            secret("前職年収", "income", [f"{draw.randrange(180, 900)}万円" for _ in range(size)], "integer", HARD),
            quasi(
                "離職理由",
                "reason of leaving",
                draw.choices(["自己都合", "会社都合", "定年", "病気療養"], k=size),
                accepted=AMOUNT,
            ),
            secret("手帳", "disability", some(draw, ["身体", "精神", "療育"], 0.08, size), accepted=HARD),
            quasi(
                "在留資格", "residence status", some(draw, ["永住者", "技人国", "特定技能"], 0.12, size), accepted=HARD
            ),
            quasi("採否", "verdict", draw.choices(["採用", "不採用", "選考中"], k=size), accepted=AMOUNT),
            identifier("担当CA", "employee's name", draw.choices(["宇野", "須藤", "高木", "土屋"], k=size)),
        ],
    )


JAPAN = (dentist, nursery, school, pharmacy, job_seekers)
