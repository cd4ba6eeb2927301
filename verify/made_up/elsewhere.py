"""Made-up exports in English, and files of statistics programs."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from made_up.europe import draw_people
from made_up.kit import (
    AMOUNT,
    HARD,
    SOFT,
    Column,
    Export,
    days,
    digits,
    identifier,
    moments,
    of_each,
    quasi,
    secret,
    some,
    write_lines,
    write_statistics,
)

ENGLISH = (
    "Abigail Byron Cordelia Dexter Edith Floyd Greta Harvey Imogen Jasper Keira Leland Mabel Nigel Opal Percy"
    "|Ashworth Blakely Crowther Dunmore Eastwood Fairley Gadsby Hartnell "
    "Ingram Jessop Kirkham Lockwood Merriman Northcote Oakes Pemberton"
)


def gym(draw: Random) -> Export:
    """Return a gym's log of doors."""
    size, members = 600, 80
    given, family = draw_people(draw, ENGLISH, members)
    tags = [
        f"04:{digits(draw, 2)}:{draw.choice('ABCDEF')}{digits(draw, 1)}:{digits(draw, 2)}:7F" for _ in range(members)
    ]
    born = [f"{day:%d %b %Y}" for day in days(draw, date(1950, 1, 1), date(2007, 12, 31), members)]
    at = [draw.randrange(members) for _ in range(size)]
    came = moments(draw, date(2024, 2, 1), date(2024, 5, 31), size)
    stay = [draw.randrange(12, 150) for _ in at]
    return Export(
        file="door_events.csv",
        description="gym door log",
        industry="gym",
        language="en",
        shape="history",
        write=write_lines,
        columns=[
            identifier("Fob", "card number", of_each(tags, at), "code", means="person"),
            identifier("Holder", "person's name", [f"{given[p]} {family[p]}" for p in at]),
            quasi("DOB", "birth date", of_each(born, at), "date", format="%d %b %Y"),
            quasi("Tier", "kind of membership", [("Off-peak", "Full", "Student")[p % 3] for p in at], accepted=SOFT),
            quasi(
                "Swiped in",
                "visit",
                [f"{moment:%d/%m/%Y %I:%M %p}" for moment in came],
                "date",
                format="%d/%m/%Y %I:%M %p",
                means="date",
            ),
            quasi(
                "Swiped out",
                "leaving",
                [
                    f"{m + timedelta(minutes=s):%d/%m/%Y %I:%M %p}" if draw.random() < 0.95 else ""
                    for m, s in zip(came, stay, strict=True)
                ],
                "date",
                format="%d/%m/%Y %I:%M %p",
            ),
            quasi(
                "Zone",
                "activity",
                draw.choices(["Pool", "Weights", "Studio", "Rehab"], k=size),
                accepted=HARD,
                means="item",
            ),
            quasi("Mins", "duration", stay, "integer", AMOUNT),
            quasi("Locker", "locker", [draw.randrange(1, 120) for _ in at], accepted=("quasi", "other", "left_out")),
            identifier("ICE contact", "telephone", [f"07700 900{100 + p * 7 % 900}" for p in at]),
        ],
    )


def telecom(draw: Random) -> Export:
    """Return a telephone company's summary of a month."""
    size = 400
    return Export(
        file="usage_may.tsv",
        description="monthly usage by subscriber line",
        industry="telecom",
        language="en",
        separator="\t",
        write=write_lines,
        columns=[
            identifier(
                "MSISDN",
                "telephone",
                [f"4477009{digits(draw, 5)}" for _ in range(size)],
                "code",
                accepted_kinds=["integer"],
            ),
            identifier(
                "IMEI",
                "device number",
                [f"00{digits(draw, 13)}" for _ in range(size)],
                "code",
                accepted_kinds=["integer"],
            ),
            quasi("TARIFF", "tariff", draw.choices(["PAYG", "SIM12", "SIM24", "BIZ"], k=size), accepted=AMOUNT),
            quasi(
                "ACT_DT",
                "contract date",
                [f"{day:%Y-%m-%d}" for day in days(draw, date(2015, 1, 1), date(2024, 4, 30), size)],
                "date",
                format="%Y-%m-%d",
            ),
            quasi(
                "AGE_BAND",
                "age class",
                draw.choices(["18-24", "25-34", "35-49", "50-64", "65+", "U"], k=size),
                gaps=("U",),
            ),
            quasi("POST_AREA", "postal area", draw.choices(["ZZ1", "ZZ2", "ZZ4", "ZY9"], k=size)),
            quasi("VOICE_MIN", "minutes", [round(draw.expovariate(1 / 140), 1) for _ in range(size)], "number", AMOUNT),
            quasi("SMS_CNT", "messages", [draw.randrange(0, 200) for _ in range(size)], "integer", AMOUNT),
            quasi("DATA_MB", "data", [round(draw.expovariate(1 / 4000), 2) for _ in range(size)], "number", AMOUNT),
            quasi("HOME_CELL", "radio cell", [f"C{draw.randrange(4000, 4060)}" for _ in range(size)], "code"),
            quasi("ROAM_CC", "country", some(draw, ["FR", "ES", "TR", "US"], 0.2, size), accepted=AMOUNT),
            secret("BILL_GBP", "charge", [round(draw.uniform(5, 90), 2) for _ in range(size)], "number", AMOUNT),
            secret("ARREARS_FLG", "default", draw.choices(["N", "Y"], [9, 1], k=size), accepted=AMOUNT),
            identifier("TOP_CALLED", "called telephone", [f"020 7946 0{digits(draw, 3)}" for _ in range(size)]),
        ],
    )


def meters(draw: Random) -> Export:
    """Return an electricity company's readings, printed page after page."""
    size, homes = 480, 120
    given, family = draw_people(draw, ENGLISH, homes)
    points = [f"10 {digits(draw, 4)} {digits(draw, 4)} {digits(draw, 3)}" for _ in range(homes)]
    places = [
        f"{draw.randrange(1, 90)} {draw.choice(('Heron', 'Chapel', 'Quarry'))} Lane, Nethercombe" for _ in range(homes)
    ]
    at = [place % homes for place in range(size)]
    used = [draw.randrange(90, 1400) for _ in at]
    return Export(
        file="meter_readings.csv.gz",
        description="quarterly meter readings, a report of pages",
        industry="electricity",
        language="en",
        shape="history",
        titles=("NETHERCOMBE POWER - READINGS REPORT", ""),
        footers=(f"TOTAL,,,,,,{sum(used)},,",),
        repeat=60,
        write=write_lines,
        columns=[
            identifier("Supply point", "meter number", of_each(points, at), "code", means="person"),
            identifier("Account holder", "person's name", [f"{given[p][0]} {family[p]}" for p in at]),
            identifier("Premises", "address", of_each(places, at)),
            quasi(
                "Read on",
                "reading time",
                [f"{date(2023, 3 * (n // homes) + 1, 1 + at[n] % 25):%d-%b-%y}" for n in range(size)],
                "date",
                format="%d-%b-%y",
                means="date",
            ),
            quasi("Type", "kind of reading", draw.choices(["ACTUAL", "EST", "CUSTOMER"], k=size), accepted=SOFT),
            quasi(
                "Register",
                "meter level",
                [f"{draw.randrange(10000, 99999):,}" for _ in at],
                "integer",
                ("quasi", "sensitive", "other", "identifier"),
            ),
            quasi("Units used", "consumption", used, "integer", AMOUNT),
            quasi("Bill", "charge", [f"£{number * 0.29:,.2f}" for number in used], "number", AMOUNT, means="amount"),
            secret(
                "Priority services",
                "disability",
                [("", "", "", "", "Oxygen at home", "Blind")[p % 6] for p in at],
                accepted=HARD,
            ),
        ],
    )


def charity(draw: Random) -> Export:
    """Return a charity's gifts, in the American way."""
    size, donors = 380, 140
    given, family = draw_people(draw, ENGLISH, donors)
    at = [draw.randrange(donors) for _ in range(size)]
    numbers = [f"D-{draw.randrange(10**5, 10**6)}" for _ in range(donors)]
    streets = [f"{draw.randrange(10, 990)} {draw.choice(('Juniper', 'Sycamore', 'Mill'))} Ave" for _ in range(donors)]
    born = [
        f"{day:%m/%d/%Y}" if draw.random() < 0.7 else "N/A"
        for day in days(draw, date(1935, 1, 1), date(1999, 12, 31), donors)
    ]
    return Export(
        file="gift_history.csv",
        description="gifts to a charity",
        industry="charity",
        language="en",
        shape="history",
        encoding="utf-8-sig",
        newline="\r\n",
        write=write_lines,
        columns=[
            identifier("Constituent ID", "person id", of_each(numbers, at), "code", means="person"),
            identifier("First", "given name", of_each(given, at)),
            identifier("Last", "family name", of_each(family, at)),
            identifier("Addr 1", "street", of_each(streets, at)),
            quasi("City", "town", [("Elmhollow", "Port Avery", "Dry Creek")[p % 3] for p in at]),
            quasi("ST", "state", [("OH", "MI", "IN")[p % 3] for p in at]),
            quasi("ZIP", "postal code", [f"0{7000 + p * 3}" for p in at], "code"),
            identifier("Home phone", "telephone", [f"(614) 555-01{p % 100:02}" for p in at]),
            identifier("Email", "e-mail", [f"{given[p]}.{family[p]}{p}@example.net".lower() for p in at]),
            quasi("Birthday", "birth date", of_each(born, at), "date", gaps=("N/A",), format="%m/%d/%Y"),
            quasi(
                "Gift Dt",
                "gift date",
                [f"{day:%m/%d/%Y}" for day in sorted(days(draw, date(2023, 1, 1), date(2023, 12, 31), size))],
                "date",
                format="%m/%d/%Y",
                means="date",
            ),
            quasi(
                "Appeal",
                "appeal",
                draw.choices(["Spring mailing", "Gala", "Church partners", "Clinic fund"], k=size),
                accepted=HARD,
                means="item",
            ),
            quasi(
                "Gift Amt",
                "amount",
                [f"${draw.choice((10, 25, 50, 100, 1250, 5000)):,}.00" for _ in at],
                "number",
                AMOUNT,
                means="amount",
                accepted_kinds=["integer"],
            ),
            identifier(
                "Tribute",
                "remarks with names",
                some(draw, ["In memory of Floyd Gadsby", "In honor of Mabel Oakes"], 0.1, size),
            ),
        ],
    )


def taxi(draw: Random) -> Export:
    """Return a taxi company's trips."""
    size, riders = 500, 110
    accounts = [f"RID{digits(draw, 6)}" for _ in range(riders)]
    at = [draw.randrange(riders) for _ in range(size)]
    left = moments(draw, date(2024, 9, 1), date(2024, 9, 30), size)
    places = {
        name: [f"{base + draw.uniform(-0.08, 0.08):.6f}" for _ in at]
        for name, base in (("o_lat", 48.1), ("o_lng", -29.5), ("d_lat", 48.1), ("d_lng", -29.5))
    }
    return Export(
        file="trips_sep.csv",
        description="trips of a taxi app",
        industry="taxi",
        language="en",
        shape="history",
        write=write_lines,
        columns=[
            identifier(
                "ride_uuid",
                "trip number",
                [
                    f"{digits(draw, 8)}-{digits(draw, 4)}-4{digits(draw, 3)}-a{digits(draw, 3)}-{digits(draw, 12)}"
                    for _ in at
                ],
                "code",
                direct=False,
            ),
            identifier("rider", "customer number", of_each(accounts, at), "code", means="person"),
            identifier("badge_no", "driver's number", [f"HC{draw.randrange(20100, 20160)}" for _ in at], "code"),
            identifier("plate", "car plate", [f"ZZ{draw.randrange(10, 60)} XQT" for _ in at]),
            quasi(
                "hailed_at",
                "trip start",
                [f"{moment:%Y-%m-%dT%H:%M:%S+01:00}" for moment in left],
                "date",
                format="%Y-%m-%dT%H:%M:%S%z",
                means="date",
            ),
            *[
                identifier(
                    name, "latitude" if "lat" in name else "longitude", cells, "number", accepted_kinds=["category"]
                )
                for name, cells in places.items()
            ],
            quasi("km", "distance", [round(draw.expovariate(1 / 6), 2) for _ in at], "number", AMOUNT),
            quasi("fare_eur", "fare", [round(draw.uniform(4, 70), 2) for _ in at], "number", AMOUNT, means="amount"),
            quasi("tip", "tip", [draw.choice((0, 0, 1, 2, 5)) for _ in at], "integer", AMOUNT),
            quasi("pay", "way of payment", draw.choices(["card", "cash", "acct"], k=size), accepted=SOFT),
            quasi("stars", "rating", draw.choices(["", "3", "4", "5"], k=size), "integer", AMOUNT),
        ],
    )


def discharges(draw: Random) -> Export:
    """Return a hospital's discharges."""
    size = 450
    came = days(draw, date(2023, 1, 1), date(2023, 12, 20), size)
    stay = [draw.randrange(0, 21) for _ in range(size)]
    codes = ["I21.4", "J18.9", "E11.65", "F32.1", "O80", "S72.00", "B20", "K35.80"]
    return Export(
        file="discharge_fy23.txt",
        description="hospital discharges with ICD codes",
        industry="hospital",
        language="en",
        shapes=("records", "history"),
        separator="|",
        write=write_lines,
        columns=[
            identifier("MRN", "patient id", [f"{number:08}" for number in draw.sample(range(10**8), size)], "code"),
            identifier(
                "ENC_NUM",
                "stay number",
                [f"{7000000 + place}" for place in range(size)],
                "code",
                direct=False,
                accepted_kinds=["integer"],
            ),
            quasi("ADM_DT", "admission", [f"{day:%d%b%Y}".upper() for day in came], "date", format="%d%b%Y"),
            quasi(
                "DSCH_DT",
                "discharge",
                [f"{day + timedelta(days=n):%d%b%Y}".upper() for day, n in zip(came, stay, strict=True)],
                "date",
                format="%d%b%Y",
            ),
            quasi("LOS", "days stayed", stay, "integer", AMOUNT),
            quasi("GENDER", "sex", draw.choices(["1", "2", "9"], [49, 49, 2], k=size), gaps=()),
            quasi("AGE", "age", [draw.randrange(0, 97) for _ in range(size)], "integer"),
            quasi("ZIP3", "postal code", draw.choices(["070", "071", "085", "089"], k=size), "code"),
            quasi("RACE", "ethnicity", draw.choices(["W", "B", "A", "O", "UNK"], k=size), accepted=HARD, gaps=("UNK",)),
            quasi("PAYER", "insurer", draw.choices(["MCR", "MCD", "COMM", "SELF"], k=size), accepted=AMOUNT),
            secret("PDX", "diagnosis", draw.choices(codes, k=size)),
            secret("SDX1", "diagnosis", some(draw, codes, 0.6, size), accepted=HARD),
            secret("DRG", "case group", draw.choices(["193", "280", "470", "638", "885"], k=size), accepted=AMOUNT),
            quasi("DISP", "discharge to", draw.choices(["01", "03", "06", "20"], k=size), "code", AMOUNT),
            secret("TOT_CHG", "charges", [draw.randrange(900, 90000) for _ in range(size)], "integer", AMOUNT),
            identifier(
                "ATTENDING", "doctor's name", draw.choices(["LOCKWOOD, H MD", "INGRAM, K DO", "OAKES, M MD"], k=size)
            ),
        ],
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


ELSEWHERE = (gym, telecom, meters, charity, taxi, discharges, survey, panel)
