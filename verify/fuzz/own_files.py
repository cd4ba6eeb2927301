"""Files of one's own, which no contest describes: a shop's history and a register of clients, each with its schema."""

from __future__ import annotations

from random import Random

HISTORY = """shape = "history"
[file]
separator = ";"
date_format = "%d.%m.%Y"
decimal = ","
[[columns]]
name = "customer"
source = "who"
role = "identifier"
missing = "drop"
[[columns]]
name = "date"
source = "day"
kind = "date"
[[columns]]
name = "item"
kind = "category"
[[columns]]
name = "price"
kind = "decimal"
decimals = 2
low = "0.01"
outside = "drop"
[[columns]]
name = "quantity"
kind = "integer"
low = "1"
outside = "drop"
[verdict]
p = "1/3"
alpha = "1/2000"
[utility]
measure = "cell-error"
"""
RECORDS = """shape = "records"
missing_cells = "drop"
[[columns]]
name = "id"
role = "identifier"
[[columns]]
name = "born"
kind = "date"
[[columns]]
name = "town"
kind = "category"
missing = "category"
[[columns]]
name = "income"
kind = "integer"
low = "0"
[[columns]]
name = "smokes"
kind = "category"
role = "sensitive"
[test]
members = 4
others = 4
answers = 3
[rounds.own]
iloss = 400
kept = 0.5
delta = 0.01
"""
MADE = (
    "protect groups shop.csv --rules history.toml --k 2 --out sa.csv --seed 1",
    "publish history.toml --released sa.csv --original shop.csv --out sa1.csv",
    (
        "attack maximum-knowledge --rules history.toml --original shop.csv --published sa1.csv --everyone --out sf1.csv"
        " --seed 1"
    ),
    "protect delete-random clients.csv --rules records.toml --share 0.3 --out cd.csv --deleted cx.csv --seed 1",
    "draw-test-set records.toml --original clients.csv --deleted cx.csv --out ct.csv --answers ca.csv --seed 1",
    "attack nearest --rules records.toml --original ct.csv --published cd.csv --out ce.csv --seed 1",
)
CALLS = {
    "check": (
        "@history.toml --original @shop.csv --released @sa.csv",
        "@history.toml --original @shop.csv --published @sa1.csv --guess @sf1.csv",
        "@records.toml --original @clients.csv --released @cd.csv --deleted @cx.csv",
    ),
    "publish": ("@history.toml --released @sa.csv --original @shop.csv --truth f.csv --out o.csv",),
    "utility": (
        "@history.toml --original @shop.csv --released @sa.csv",
        "@records.toml --original @clients.csv --released @cd.csv --deleted @cx.csv",
    ),
    "judge": (
        "@history.toml --original @shop.csv --released @sa.csv --guess @sf1.csv",
        "@records.toml --answers @ca.csv --guess @ce.csv",
    ),
    "draw-test-set": ("@records.toml --original @clients.csv --deleted @cx.csv --out o.csv --answers e.csv",),
    "study": ("@history.toml @sa.csv --original @shop.csv --samples 2",),
    "plan release": ("@clients.csv --rules @records.toml --out o.csv --deleted x.csv --seeds 1",),
}
"""Further valid calls of commands."""
PROTECT_HISTORY = "@shop.csv --rules @history.toml --out o.csv"
PROTECT_RECORDS = "@clients.csv --schema @records.toml --out o.csv --deleted x.csv"
ATTACK_HISTORY = "--rules @history.toml --original @shop.csv --published @sa1.csv --out o.csv"
ATTACK_RECORDS = "--rules @records.toml --original @ct.csv --published @cd.csv --out o.csv"


def own_texts() -> dict[str, str]:
    """Return the files by name."""
    chance = Random("own files")
    items, towns = ["tea", "りんご", "rice"], ["north", "south", "east", ""]
    shop = [
        f"c{who};{chance.randint(1, 28):02}.{chance.randint(1, 12):02}.2024;{chance.choice(items)};"
        f"{chance.randint(0, 9)},{chance.randint(10, 99)};{chance.randint(1, 9)};"
        for who in range(10)
        for _ in range(chance.randint(1, 4))
    ]
    clients = [
        f"{number},19{chance.randint(50, 99)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02},"
        f"{chance.choice(towns)},{chance.randint(10, 90)}00,{chance.choice(['yes', 'no'])}"
        for number in range(40)
    ]
    return {
        "history.toml": HISTORY,
        "records.toml": RECORDS,
        "shop.csv": "\n".join(["who;day;item;price;quantity;note", *shop]) + "\n",
        "clients.csv": "\n".join(["id,born,town,income,smokes", *clients]) + "\n",
    }
