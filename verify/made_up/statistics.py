"""Made-up files of surveys: of people, with labels, and of firms."""

from __future__ import annotations

from datetime import date
from random import Random

from made_up.europe import FRENCH, comma, draw_people
from made_up.kit import (
    AMOUNT,
    HARD,
    SOFT,
    Column,
    Export,
    digits,
    identifier,
    of_each,
    quasi,
    secret,
    some,
    write_lines,
    write_statistics,
)


def coded(name: str, title: str, column: Column, labels: dict[float, str]) -> Column:
    """Return a column of codes with its labels."""
    more = {**column.more, "labels": labels, "title": title, "aliases": [title]}
    return Column(
        name=name,
        role=column.role,
        meaning=column.meaning,
        cells=column.cells,
        kind="category",
        accepted=column.accepted,
        gaps=column.gaps,
        more=more,
    )


def survey(draw: Random) -> Export:
    """Return a survey with labels, where 99 means no answer."""
    size = 350
    nine = ("99",)
    income = [99.0 if draw.random() < 0.12 else float(draw.randrange(1, 6)) for _ in range(size)]
    faith = [99.0 if draw.random() < 0.08 else float(draw.randrange(1, 5)) for _ in range(size)]
    bands = {
        1.0: "under 1000",
        2.0: "1000-1999",
        3.0: "2000-2999",
        4.0: "3000-4999",
        5.0: "5000 or more",
        99.0: "no answer",
    }
    faiths = {1.0: "none", 2.0: "Christian", 3.0: "Muslim", 4.0: "other", 99.0: "refused"}
    missing = {"income": sum(x == 99 for x in income), "faith": sum(x == 99 for x in faith)}
    answers = ["", "", "My neighbour Keira Jessop knows more", "Call me on 07700 900655"]
    columns = [
        identifier(
            "RESPNR",
            "respondent id",
            [float(4000000 + 7 * place) for place in range(size)],
            "code",
            title="Respondent",
            accepted_kinds=["integer", "decimal"],
        ),
        coded(
            "V01", "Are you ...", quasi("V01", "sex", draw.choices([1.0, 2.0], k=size)), {1.0: "male", 2.0: "female"}
        ),
        quasi(
            "V02",
            "age",
            [float(draw.randrange(18, 91)) for _ in range(size)],
            "integer",
            title="How old are you?",
            aliases=["How old are you?"],
        ),
        coded(
            "V03",
            "Where do you live?",
            quasi("V03", "region", draw.choices([1.0, 2.0, 3.0], k=size)),
            {1.0: "coast", 2.0: "hills", 3.0: "city"},
        ),
        coded(
            "V11",
            "Net household income per month",
            secret("V11", "income class", income, gaps=nine, accepted=HARD),
            bands,
        ),
        coded("V12", "Religion", secret("V12", "religion", faith, gaps=nine, accepted=HARD), faiths),
        coded(
            "V20",
            "Satisfied with the council?",
            quasi("V20", "opinion", draw.choices([1.0, 2.0, 3.0, 4.0, 5.0], k=size), accepted=AMOUNT),
            {1.0: "not at all", 2.0: "little", 3.0: "so so", 4.0: "rather", 5.0: "very"},
        ),
        identifier("V21TXT", "free answer", draw.choices(answers, k=size), title="Anything else to tell us?"),
        quasi(
            "GEW",
            "survey weight",
            [round(draw.uniform(0.4, 2.5), 3) for _ in range(size)],
            "number",
            ("other", "quasi", "left_out"),
            title="design weight",
        ),
    ]
    return Export(
        file="council_survey.sav",
        description=f"survey with labels; {missing['income']} and {missing['faith']} answers are 99",
        industry="survey",
        language="en",
        write=write_statistics,
        columns=columns,
    )


def panel(draw: Random) -> Export:
    """Return a household panel of four waves."""
    people, waves = 120, 4
    at = [place // waves for place in range(people * waves)]
    when = [place % waves for place in range(people * waves)]
    born = [float(draw.randrange(1940, 2003)) for _ in range(people)]
    asked = [date(2020 + wave, 10, 1 + draw.randrange(28)) for wave in when]
    work = {1.0: "employed", 2.0: "self-employed", 3.0: "unemployed", 4.0: "retired"}
    pay = [None if draw.random() < 0.1 else round(draw.lognormvariate(7.6, 0.5)) * 1.0 for _ in at]
    return Export(
        file="hhpanel.dta",
        description="household panel, four waves, one row each",
        industry="research",
        language="en",
        shape="history",
        shapes=("history", "records"),
        write=write_statistics,
        columns=[
            identifier(
                "hid",
                "household number",
                [float(900100 + p // 2) for p in at],
                "code",
                accepted_kinds=["integer", "decimal"],
                title="household",
            ),
            identifier(
                "pid",
                "person id",
                [float(90010000 + p) for p in at],
                "code",
                means="person",
                accepted_kinds=["integer", "decimal"],
                title="never-changing person number",
            ),
            quasi(
                "wave",
                "wave",
                [float(wave + 1) for wave in when],
                "integer",
                ("other", "quasi", "left_out"),
                title="wave",
            ),
            quasi("intdate", "interview", asked, "date", means="date", title="date of interview"),
            coded("sex", "sex", quasi("sex", "sex", [1.0 + p % 2 for p in at]), {1.0: "man", 2.0: "woman"}),
            quasi("ybirth", "birth year", of_each(born, at), "integer", title="year of birth"),
            coded(
                "lfs",
                "labour force status",
                quasi("lfs", "activity", draw.choices([1.0, 2.0, 3.0, 4.0], k=len(at)), accepted=HARD),
                work,
            ),
            secret("lmgrs", "wages", pay, "number", HARD, title="gross pay last month", accepted_kinds=["integer"]),
            coded(
                "srh",
                "self-rated health",
                secret("srh", "illness", draw.choices([1.0, 2.0, 3.0, 4.0, 5.0], k=len(at)), accepted=HARD),
                {1.0: "excellent", 2.0: "very good", 3.0: "good", 4.0: "fair", 5.0: "poor"},
            ),
            coded(
                "urban",
                "kind of area",
                quasi("urban", "region", [1.0 + p % 2 for p in at]),
                {1.0: "urban", 2.0: "rural"},
            ),
        ],
    )


def firms(draw: Random) -> Export:
    """Return a French survey of firms."""
    size = 400
    given, family = draw_people(draw, FRENCH, size)
    turnover = [round(draw.lognormvariate(7, 1.4)) for _ in range(size)]
    return Export(
        file="enquete_entreprises.csv",
        description="Enquête auprès des entreprises, fichier détail",
        industry="firms",
        language="fr",
        shape="firms",
        shapes=("table", "records"),
        separator=";",
        decimal=",",
        write=write_lines,
        table={
            "dimensions": ["Département", "Secteur NAF"],
            "value": ["CA HT (k€)", "Effectif"],
            "contributor": ["SIREN"],
        },
        columns=[
            identifier(
                "SIREN",
                "firm number",
                [f"000{digits(draw, 6)}" for _ in range(size)],
                "code",
                accepted_kinds=["integer"],
            ),
            identifier(
                "Raison sociale",
                "firm name",
                [f"{f} {draw.choice(('et Fils', 'SARL', 'Transports', 'Menuiserie'))}" for f in family],
            ),
            identifier("Dirigeant", "person's name", [f"{g} {f}" for g, f in zip(given, family, strict=True)]),
            quasi("Département", "region", draw.choices(["02", "08", "2A", "51", "60"], k=size), "code"),
            quasi("Secteur NAF", "industry", draw.choices(["C", "F", "G", "H", "I"], k=size)),
            quasi(
                "Tranche",
                "size class",
                draw.choices(["0-9", "10-49", "50-249", "250+"], [8, 4, 2, 1], k=size),
                accepted=SOFT,
            ),
            quasi("Effectif", "employees", [max(1, number // 90) for number in turnover], "integer", AMOUNT),
            secret("CA HT (k€)", "turnover", turnover, "integer", AMOUNT),
            secret("Part export", "share", [comma(draw.random() * 100) for _ in range(size)], "number", AMOUNT),
            secret("Procédure collective", "default", some(draw, ["RJ", "LJ"], 0.04, size), accepted=AMOUNT),
        ],
    )


STATISTICS = (firms, survey, panel)
