"""The small files that the commands of docs/claims.md name: a shop and its releases, strata, the slides' tables."""

from __future__ import annotations

from pathlib import Path

from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import write_original, write_release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect import METHODS
from sekisho.seeds import Seed

CUSTOMERS = 84
"""A multiple of 2, 3, 6 and 7, so that classes are of just that size."""
TEXTS = {
    "weights.csv": "stratum,records,known,weight\nnorth,600,50,1\nsouth,400,20,3\n",
    "Ea.csv": "".join(f"{row if row < 50 else -1}\n" for row in range(100)),
    "E.csv": "".join(f"{row},{row + 1},{row + 2}\n" for row in range(100)),
    "strata.csv": "stratum,records,known\nnorth,600,50\nsouth,400,20\n",
    # Minami's table of people by region and job; the inner cells, of which the margins follow
    "people.csv": "region,job,n\n"
    + "".join(
        f"M{row},P{place},{count}\n"
        for row, counts in enumerate(((20, 15, 30, 20, 10), (72, 20, 1, 30, 10), (38, 38, 15, 40, 2)), 1)
        for place, count in enumerate(counts, 1)
    ),
    # the same with the total of M1 as it is printed
    "people-printed.csv": "region,job,n\nM1,P1,20\nM1,P2,15\nM1,P3,30\nM1,P4,20\nM1,P5,10\nM1,Total,133\n",
    "incomes-printed.csv": "region,job,v\nM1,P2,450\nM2,P2,540\nM3,P2,1178\nTotal,P2,1668\n",
    # the 3 x 3 example: only the margins and the shown cells are printed; these inner cells fit them
    "three.csv": "region,job,n\nM1,P1,30\nM1,P2,24\nM1,P3,18\nM2,P1,28\nM2,P2,38\nM2,P3,50\nM3,P1,40\nM3,P2,39\n"
    "M3,P3,42\n",
    "three-pattern.csv": "region,job,n,status\nM1,P1,,secondary\nM1,P2,24,safe\nM1,P3,,secondary\nM1,Total,72,safe\n"
    "M2,P1,,secondary\nM2,P2,38,safe\nM2,P3,,primary\nM2,Total,116,safe\nM3,P1,40,safe\nM3,P2,39,safe\nM3,P3,42,safe\n"
    "M3,Total,121,safe\nTotal,P1,98,safe\nTotal,P2,101,safe\nTotal,P3,110,safe\nTotal,Total,309,safe\n",
    "all.csv": "a,b,n\nx,p,22\nx,q,28\ny,p,20\ny,q,16\n",
    "adults.csv": "a,b,n\nx,p,20\nx,q,20\ny,p,11\ny,q,10\n",
    "jobs.csv": "region,job,n\nr,x,12\nr,y,9\ns,x,3\ns,y,14\n",
    "ages.csv": "region,age,n\nr,old,10\nr,young,11\ns,old,9\ns,young,8\n",
}


def write_files(folder: Path) -> None:
    """Write them all."""
    rules = read_history_rules("pwscup2018")
    shop = SyntheticHistory(customers=CUSTOMERS, items=100, median_rows=6).draw(rng=Seed(1).rng())
    (folder / "T.csv").write_bytes(write_original(shop, rules))
    for k in (2, 6, 7):
        release = METHODS.make("similar-length", k=k).apply(shop, rng=Seed(k).rng())
        (folder / f"A{k}.csv").write_bytes(write_release(release, rules))
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
