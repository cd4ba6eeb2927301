"""A valid call or more for every command.

A word ``@name`` stands for a material of that name in the call's own folder.
"""

from __future__ import annotations

from sekisho.attack import ADVERSARIES
from sekisho.data.shape import Shape
from sekisho.protect import METHODS

from . import own_files

TABLE = {
    "table tabulate": (
        "@firms.csv --dims a,b --value v --contributor firm --weight w --out o.csv",
        "@firms.csv --dims a,b --grouping b=@groups.csv --tree a=@tree.csv --places 2 --out o.parquet",
        "@firms.csv --dims a,b --value v --weight w --places 2 --out o.csv --memory 1GB",
    ),
    "table link": (
        "@cells.csv @ages.csv --dims a,b,c --count n --out patterns --public public --mark x",
        "@cells.csv @ages.csv --dims a,b,c --count n --tree a=@tree.csv --out patterns --report r.html --explain",
    ),
    "table audit-linked": (
        "@cells.csv @ages.csv --pattern @pattern.csv --pattern @pattern3.csv --dims a,b,c --count n --report r.html",
        (
            "@cells.csv @ages.csv --pattern @pattern.csv --pattern @pattern3.csv --dims a,b,c --count n"
            " --integer --explain"
        ),
    ),
    "table difference": (
        "@cells.csv @part.csv --dims a,b --count n --out patterns --public public --report r.html",
        "@cells.csv @part.csv @part2.csv --dims a,b --count n --within part=cells --within part2=part --out patterns",
        "@cells.csv @part.csv @part2.csv --dims a,b --count n --split cells=part,part2 --out patterns",
        "@firms.csv @firms2.csv --microdata --dims a,b --value v --contributor firm --rule p%:15 --out patterns",
        "@sums.csv @sums2.csv --dims a,b --value v --contributors f,x1,x2 --rule p%:15 --min-count 2 --out patterns",
        (
            "@cells.csv @part.csv --dims a,b --count n --tree a=@wide.csv --grouping b=@groups.csv --out patterns"
            " --explain"
        ),
    ),
    "table audit-difference": (
        (
            "@sums.csv @sums2.csv --pattern @pattern4.csv --pattern @pattern5.csv --dims a,b --value v"
            " --contributors f,x1,x2 --rule nk:2,85"
        ),
        "@cells.csv @part.csv --pattern @pattern.csv --pattern @pattern2.csv --dims a,b --count n --report r.html",
    ),
    "table convert": (
        "@cells.csv o.tab --dims a,b --count n --tree a=@tree.csv --pattern @patternu.csv",
        "@t.tab o.csv",
        "@t.tab o.jj",
        "@t.jj o.hst",
        "@t.tab o.parquet --apriori @t.hst",
        "@cells.csv o.csv --dims a,b --count n --pattern @t.jj --no-marks",
        "@cells.parquet o.jj --dims a,b --count n --grouping b=@groups.csv",
    ),
    "table round": (
        "@cells.csv --dims a,b --count n --base 3 --out o.csv --public q.csv",
        "@cells.csv --dims a,b --count n --base 11 --width 10 --tree a=@tree.csv --out o.parquet",
        "@cells.csv --dims a,b --count n --steps 1 --certificate c.json --out o.csv",
        "@cells.csv --dims a,b --count n --objective unbiased --out o.csv",
        "@cells.csv --dims a,b --count n --objective small --norm greatest --out o.csv",
    ),
    "table suppress": (
        "@cells.csv --dims a,b --count n --min-count 5 --width 10 --out o.csv --report r.html --explain",
        "@cells.csv --dims a,b --count n --out o.csv --public q.parquet --mark ***",
        "@cells.csv --dims a,b --count n --tree a=@tree.hrc --apriori @t.hst --out o.csv",
        "@cells.csv --dims a,b --count n --tree a=@wide.csv --grouping b=@groups.csv --cost value --out o.parquet",
        (
            "@sums.csv --dims a,b --value v --contributors f,x1,x2 --rule p%:15 --rule nk:2,85 --cost frequency"
            " --out o.csv"
        ),
        (
            "@firms.csv --microdata --dims a,b --value v --contributor firm --holding group --request ask --waiver free"
            " --rule pq:10,50@holdings --rule request:70,3 --out o.csv"
        ),
        "@t.tab --width 2 --out o.csv",
        "@t.jj --out o.csv",
        "@cells.csv --dims a,b --count n --frozen @pattern.csv --out o.csv",
        "@part.csv --dims a,b --count n --frozen @pattern.csv --solver scip --out o.csv",
        "@cells.csv --dims a,b --count n --insiders 1 --out o.csv --report r.html",
        "@sums.csv --dims a,b --value v --contributors f,x1,x2 --rule p%:15 --insiders 2 --out o.csv",
    ),
    "table audit": (
        "@cells.csv --pattern @pattern.csv --dims a,b --count n --width 10 --report r.html --explain",
        "@cells.csv --pattern @pattern.csv --dims a,b --integer --insiders 1 --rule zeros --time 5",
        "@t.tab",
        "@t.jj",
        "@cells.csv --dims a,b --count n --said exact",
        "@cells.csv --dims a,b --count n --said round:1,1 --released @cells.csv",
        "@cells.csv --pattern @t.jj --dims a,b --count n",
        "@sums.csv --pattern @pattern4.csv --dims a,b --value v --contributors f,x1,x2 --rule min:3",
    ),
    "table intervals": (
        "@cells.csv --dims a,b --count n --width 10 --out o.csv --public q.csv --time 5",
        "@sums.csv --dims a,b --value v --contributors f,x1,x2 --rule p%:15 --out o.parquet --time 5",
    ),
    "table adjust": (
        "@sums.csv --dims a,b --value v --contributors f,x1,x2 --rule p%:15 --out o.csv --public q.csv --time 5",
        "@cells.csv --dims a,b --count n --cost one --out o.csv --time 5",
    ),
    "table perturb": (
        "@firms.csv --microdata --dims a,b --noise @noise.csv --keys k.json --out o.csv --report r.html",
        "@firms.csv --microdata --dims a --noise @noise.csv --keys k.json --id v --additive closest --out o.parquet",
        "@firms.csv --microdata --dims a,b --noise @noise.csv --keys sum:free --additive sum --out o.csv",
    ),
    "table verify": ("@certificate.json",),
    "table reconstruct": (
        "@cells.csv --dims a,b --count n --solutions 10 --time 1",
        "@cells.csv @cells.csv --dims a,b --count n --said exact --out o.csv",
    ),
}
PLAIN = {
    "demo": ("--out o",),
    "init": (
        "@shop.csv --out o.toml --language ja",
        "@clients.csv --out o.toml --force",
        "@people.csv --out o.toml --shape records",
        "@cells.csv --out o.toml",
        "@firms.csv --out o.toml --shape table",
    ),
    "gate": (
        "@recipe.toml --out o",
        "@tables.toml --out o",
        "@keyed.toml --out o",
        "@tables.toml --out o --key @signer.pem",
    ),
    "advise": (
        "@recipe.toml --seconds 1",
        "@tables.toml --seconds 1 --report r.html",
        "@keyed.toml --seconds 1 --apply 1 --out o.toml",
        "@people.csv --seconds 1",
    ),
    "review": ("o", "o --ask --name Ken --purpose study --key @signer.pem"),
    "register start": ("o --key o.key",),
    "register list": ("o",),
    "register show": ("o --number 1",),
    "register verify": ("o",),
    "register erase": ("o --key o.key --id 7 --note asked",),
    "register add": ("o --published @pr.csv --recipe @recipe.toml --note late",),
    "tree propose": (
        "@people.csv --column town --keys sex,age --out o.csv",
        "@people.csv --column id --width 10",
    ),
    "tree show": ("@towns.csv", "@towns.csv --data @people.csv --column town --keys sex"),
    "tree check": ("@towns.csv --data @people.csv --column town",),
    "key": ("--out o.pem",),
    "verify": (
        "@sealed.json",
        "@sealed.json --key @signer.pub.pem --original @cells.csv --opening @opening.json",
    ),
    "check": (
        "pwscup2018 --original @T.csv --released @A.csv",
        "@rules18.toml --original @T.csv --published @A1.csv --guess @F1.csv",
        "@rules21.toml --original @B.csv --released @D.csv --deleted @X.csv",
        "@rules21.toml --original @B.csv --published @D.csv --guess @E.csv",
    ),
    "publish": (
        "@rules18.toml --released @A.csv --original @T.csv --truth f.csv --out o.csv",
        "@rules21.toml --released @D.csv --truth f.csv --out o.csv",
    ),
    "utility": (
        "@rules18.toml --original @T.csv --released @A.csv",
        "@rules21.toml --original @B.csv --released @D.csv --deleted @X.csv --round preliminary",
    ),
    "judge": (
        "@rules18.toml --original @T.csv --released @A.csv --guess @F1.csv --bound exact",
        "@rules21.toml --answers @Ea.csv --guess @E.csv",
    ),
    "claim": (
        "@rules18.toml --original @T.csv --released @A.csv",
        "@rules18.toml --original @T.csv --released @A.csv --p 1/2",
    ),
    "threshold": ("24", "999 --p 1/4 --alpha 0.001 --bound exact"),
    "thresholds": ("--max 20 --out o.csv", "--max 20 --out o.csv --bound exact --p 0.4"),
    "draw-test-set": (
        "@rules21.toml --original @B.csv --deleted @X.csv --order @order.csv --out o.csv --answers e.csv",
    ),
    "partners": (
        "@B.csv --rules @rules21.toml --out o.csv --first 3",
        "@B.csv --rules @rules21.toml --limit 2 --few 5 --round preliminary",
        "@people.csv --id id --limit 2",
    ),
    "completion": ("bash", "fish"),
    "decide-membership": ("0.1", "0.2 --others 0.4 --precision 0.6 --share 0.02 --delta 0"),
    "compare": (
        "@people.csv @pr.csv @Q.csv --id id --keys sex,age,town --tree town=@towns.csv --report r.html",
        "@people.csv @pr.csv --id id --keys sex,age --sensitive town --deleted pr.csv=@prx.csv --known sex --people 9",
        "@clients.csv @cd.csv --schema @records.toml --deleted cd.csv=@cx.csv",
        "@people.csv @pr.csv --keys sex,age --sensitive town --engine polars --report r.html",
        "@people.csv @others.csv --id id --keys sex,age --synthetic --controls @others.csv --people 9",
    ),
    "study": ("@rules18.toml @A.csv --original @T.csv --samples 2 --report r.html",),
    "plan release": (
        "@B.csv --rules @rules21.toml --out o.csv --deleted x.csv --seeds 1 --report r.html",
        "@B.csv --rules @free21.toml --out o.csv --deleted x.csv --order w.csv --seeds 1",
    ),
    "plan survival": (
        "--people 60 --raw 0-2 --k 2,3 --report r.html",
        "--people 40 --raw 1 --k 2 --attackers 2 --p 1/4",
    ),
    "plan noise": (
        "--max 2 --variance 1 --out o.csv",
        "--max 3 --variance 2 --variance at-most --threshold 1 --stay 1/4 --out o.parquet",
    ),
    "plan sampling": (
        "--records 1000 --known 50 --risk 1/4",
        "--records 1000 --known 50 --sample 100 --scheme bernoulli",
        "--strata @strata.csv --sample 100",
    ),
    "plan pram": (
        "--records 1000 --domains sex=2,age=5 --k 5 --out o.html",
        "--records 1000 --domains 2,3 --retention 1/3 --sample 100",
        "--strata @strata.csv --domains 3 --k 5 --sample 100",
        "--records 1000 --matrix sex=@matrix.csv --domains age=5 --k 3 --scheme bernoulli --out o.html",
        "--records 1000 --matrix sex=@matrix.csv --k 3",
    ),
    "risk": (
        "@people.csv --keys sex,age,town --id id --suda --report r.html",
        "@people.csv --keys sex,town --sensitive age --population 0.1 --k 2 --l 2 --t 0.5",
        "@firms.csv --keys a,b --sensitive group --weights w --suda --sets 1 --population 100",
        "@firms.csv --keys a --sensitive firm --distance ordered",
        "@firms.csv --keys a,b --missing-matches --missing NA --weights w",
        "@people.csv --keys sex,age --population @people.csv --limit 0.1",
        "@clients.csv --schema @records.toml --report r.html",
        "@clients.csv --schema @records.toml --engine polars",
        "@people.csv --keys sex,town --id id --sensitive age --suda --report r.html --memory 1GB",
        "@firms.csv --keys a,b --sensitive group --weights w --missing drop --engine polars",
        "@people.csv --keys sex,age --population @people.csv --engine duckdb",
    ),
    "estimate": (
        "@R.csv --mechanism @mechanism.json --table sex,age",
        "@R.csv --mechanism @mechanism.json --table town",
    ),
}
AT = "--at 2026-01-06"
CONTEST = {
    "contest new": (
        f"o --rules @rules18.toml --original @T.csv --start 2026-01-01 {AT} --seed 1",
        "o --rules @rules21.toml --original final=@B.csv --original preliminary=@B.csv",
    ),
    "contest init": ("--like pwscup2023 --name ours --round final=1 --over 2 --own zero --out o.toml",),
    "contest check-rules": ("pwscup2023 --seed 1", "@rules18.toml"),
    "contest register": ("@early eve --at 2026-01-03",),
    "contest open": (f"@live evaluate --round final {AT}", f"@early publish --round final {AT}"),
    "contest close": ("@live attack --round final --at 2026-01-05",),
    "contest announce": (f"@live Hello --ja {chr(0x3042)} {AT}",),
    "contest show": ("@live", f"@early {AT}"),
    "contest submit": (
        "@early --team ann --released @A.csv --at 2026-01-03 --key k",
        "@early --team bob --released @T.csv --round final --at 2026-01-03",
    ),
    "contest attack": ("@live --team bob --target ann --guess @F1.csv --at 2026-01-05",),
    "contest choose": ("@early 1 --team ann --at 2026-01-03",),
    "contest practise": ("@live --team bob --target ann --published o.csv",),
    "contest standings": ("@live --round final --out o.csv", "@live --out o.json"),
    "contest score": ("pwscup2023 --original @P.csv --part released=@A23.csv --part seed=@seed.txt",),
    "contest deal": ("pwscup2026 ann bob --originals @cohorts --salt o.txt --out o",),
    "contest board": ("pwscup2023 --results @results", "pwscup2023 --results @results --round final"),
    "contest evaluate": ("@live", "@cup --rules @rules18.toml", "@cup --rules pwscup2018 --round preliminary"),
    "contest classify": ("pwscup2018 @A.csv --original @T.csv", "@rules18.toml @A.csv --original @T.csv --many 3"),
    "contest rejudge": (f"@live --name again {AT}",),
    "contest requeue": (f"@live 1 {AT}",),
    "contest replay": ("@live --rescore --out o.jsonl", "@live"),
    "contest export": ("@live --out o.zip", "@live --out o.zip --public"),
    "contest import": ("@live.zip --out o",),
}
SERVER = {
    "desk": ("missing.csv --folder desk --no-browser",),  # one that is opened does not end
    "serve": ("--restore @backup.zip --database sqlite:///o.sqlite3 --store s",),
    "worker": ("--import @live.zip --database sqlite:///o.sqlite3 --store s --vault v",),
    "remote login": ("http://127.0.0.1:9 --token @token.txt --config c.json",),
    "remote submit": (
        "--released @A.csv --round final --config @remote.json --wait 0",
        "--guess @F1.csv --target ann --config @remote.json --wait 0",
        "--part released=@A.csv --part seed=@token.txt --round final --config @remote.json --wait 0",
        "--guess @F1.csv --round final --config @remote.json --wait 0",
    ),
    "remote choose": ("1 --config @remote.json",),
    "remote status": ("--config @remote.json", "1 --config @remote.json"),
    "remote open": ("publish --round final --confirm final --config @remote.json",),
    "remote withdraw": ("reveal --round final --confirm final --reason r --config @remote.json",),
    "remote requeue": ("1 --config @remote.json",),
    "remote download": ("published --of ann --round final --out o.csv --config @remote.json",),
}
REGISTER = tuple(f"register {name}" for name in ("list", "show", "verify", "add", "erase"))
UNANSWERED = (
    "contest choose",
    "contest requeue",
    "review",
    "desk",
    *REGISTER,
    *(name for name in SERVER if name.startswith("remote")),
)
"""Their calls are valid, and nobody answers: a campaign starts no server or desk, no file is faulted, no run awaits
a review, nothing has left."""
WEIGHTS = {
    "serve": 0.0,  # with other options than these it rightly does not end
    "worker": 0.0,
    "desk": 0.0,
    "demo": 0.02,
    "gate": 0.5,
    "study": 0.5,
    "plan release": 0.02,
    "table suppress": 4.0,
    "table audit": 3.0,
    "table convert": 3.0,
}
"""How often a command comes up, beside 1."""
HISTORY = ("@T.csv --rules @rules18.toml --out o.csv", "@T.csv --out o.csv")
RECORDS = ("@B.csv --rules @rules21.toml --out o.csv --deleted x.csv",)
SPECIAL = {
    "protect groups": ("@T.csv --out o.csv --k 3 --effort 1", "@T.csv --out o.csv --k 2 --safe exact --attackers 2"),
    "protect noise": (
        "@B.csv --rules @rules21.toml --epsilon age=1,bmi=2 --out o.csv --deleted x.csv --report r.html",
        "@clients.csv --schema @records.toml --correlated born,income --amount 0.2 --rescaled --out o.parquet",
    ),
    "protect delete-extremes": ("@B.csv --rules @rules21.toml --top age=75 --out o.csv --deleted x.csv",),
    "protect code": (
        "@clients.csv --schema @records.toml --top income=1% --bottom income=100 --round income=10 --out o.csv",
        "@people.csv --rare sex=30:other,age=5 --id id --out o.parquet --deleted x.csv",
        "@people.csv --intervals id=10,20 --out o.csv --report r.html",
        "@clients.csv --schema @records.toml --round income=10 --engine polars --out o.csv --report r.html",
        "@people.csv --rare sex=30:other,age=5 --id id --out o.parquet --deleted x.csv --memory 1GB",
        "@clients.csv --schema @records.toml --top income=1% --round income=10 --out o.csv --memory 1GB",
    ),
    "protect lattice": (
        "@people.csv --keys sex,age --k 2 --out o.csv --report r.html",
        "@people.csv --keys sex,town --k 3 --suppress 0.1 --measure entropy --out o.parquet --deleted x.csv",
        "@people.csv --keys sex,age --sensitive town --l 1.5 --diversity entropy --t 0.5 --id id --out o.csv",
        "@clients.csv --schema @records.toml --keys born,income --k 3 --measure precision --out o.csv",
    ),
    "protect microaggregate": (
        "@clients.csv --schema @records.toml --keys born,income,town --k 3 --median income --out o.csv --report r.html",
        "@people.csv --keys sex,age --order age=young,middle,old --how tree --k 4 --out o.parquet",
        "@B.csv --rules @rules21.toml --k 3 --how line --out o.csv --deleted x.csv",
    ),
    "protect partition": (
        "@people.csv --keys sex,age --k 2 --out o.csv --report r.html",
        "@people.csv --keys sex,town --k 3 --suppress 0.1 --effort 1 --out o.parquet --deleted x.csv",
        "@people.csv --keys sex,age --k 2 --strict --id id --out o.csv",
        "@clients.csv --schema @records.toml --keys born,town --k 2 --engine polars --out o.csv --report r.html",
        "@people.csv --keys sex,age --k 2 --id id --out o.csv --memory 1GB",
        "@clients.csv --schema @records.toml --keys born,income --k 3 --out o.parquet --deleted x.csv --memory 1GB",
    ),
    "protect pram": (
        "@people.csv --columns sex,age --retention 1/2 --out o.csv --report r.html",
        "@people.csv --columns sex,age,town --household town --retention 1/2 --out o.csv --report r.html",
        "@people.csv --columns sex,age --matrices sex=@matrix.csv --retention 1/2 --sample 10 --out o.csv",
        (
            "@people.csv --columns sex,town --k 2 --strata town --sample 10 --allocation north=5,south=5 --invariant"
            " --out o.csv"
        ),
        "@people.csv --columns sex,age --retention 1/2 --out o.parquet --report r.html --memory 1GB",
        "@people.csv --columns sex,town --k 2 --strata town --sample 10 --id id --out o.csv --memory 1GB",
    ),
    "protect sample": (
        "@people.csv --size 10 --known 3 --out o.csv --report r.html",
        "@people.csv --size 10 --strata town --allocation north=5,south=5 --out o.csv",
        "@people.csv --size 10 --known 3 --id id --out o.parquet --report r.html --memory 1GB",
        "@people.csv --size 10 --strata town --allocation north=5,south=5 --out o.csv --memory 1GB",
    ),
    "protect suppress": (
        "@people.csv --keys sex,age,town --k 4 --importance sex=3 --out o.csv",
        "@people.csv --keys sex,age --k 2 --matching alike --id id --out o.parquet --report r.html",
    ),
    "protect rankswap": (
        "@clients.csv --schema @records.toml --keys born,income --p 10 --out o.csv --report r.html",
        "@B.csv --rules @rules21.toml --p 5 --out o.csv --deleted x.csv",
    ),
    "protect recordswap": (
        "@people.csv --geography town --similar sex --k 3 --rate 0.2 --id id --out o.csv --report r.html",
        "@clients.csv --schema @records.toml --geography town --risk income --out o.parquet",
    ),
    "attack partial-knowledge": (
        "--original @people.csv --published @Q.csv --known 5 --records 100 --out o.csv",
        "--original @people.csv --published @Q.csv --id id --out o.csv",
        "--original @people.csv --published @pr.csv --id id --keys sex,age --tree town=@towns.csv --out o.csv",
        "--original @CT.csv --published @D.csv --rules @rules21.toml --out o.csv",
    ),
    "attack prosecutor": (
        "--original @people.csv --published @pr.csv --id id --keys sex,age --out o.csv",
        "--original @clients.csv --schema @records.toml --published @cd.csv --keys town,income --known 5 --out o.csv",
        "--original @CT.csv --published @D.csv --rules @rules21.toml --out o.csv",
    ),
    "attack nearest-cell": (
        "--original @people.csv --published @pr.csv --id id --tree town=@towns.csv --out o.csv",
        "--original @CT.csv --published @D.csv --rules @rules21.toml --keys age --out o.csv",
    ),
    "attack composition": (
        "--original @people.csv --published @pr.csv @pr.csv --keys sex,age --stable town --k 2 --tree town=@towns.csv",
        "--original @people.csv --published @Q.csv --published @Q.csv --keys sex,age --sensitive town --overlap 3",
        "--original @people.csv --original @people.csv --id id --published @pr.csv @pr.csv --keys sex --present some",
    ),
    "attack downcode": (
        "--published @pr.csv --method suppress --keys sex,age --k 2",
        "--published @pr.csv --original @people.csv --id id --method suppress --matching alike --keys sex,town --k 2",
    ),
    "attack attribute": (
        "--original @people.csv --published @pr.csv --controls @others.csv --id id --keys sex,age --sensitive town",
    ),
    "attack membership": (
        "--original @people.csv --published @pr.csv --controls @others.csv --id id",
        "--original @people.csv --published @pr.csv --controls @others.csv --id id --mechanism fixed --people others",
    ),
    "attack posterior": (
        "--original @people.csv --published @Q.csv --mechanism @plain.json --out o.csv",
        "--original @people.csv --published @Q.csv --mechanism @plain.json --id id --pairs 10 --out o.csv",
    ),
}


def recipes() -> dict[str, tuple[str, ...]]:
    """Return the valid calls of every command.

    Methods and adversaries that are registered have theirs by their registry.
    """
    calls: dict[str, tuple[str, ...]] = {f"protect {name}": HISTORY for name in METHODS.find_names(Shape.HISTORY)}
    calls |= {f"protect {name}": RECORDS for name in METHODS.find_names(Shape.RECORDS)}
    attacked = "--original @T.csv --published @A1.csv --rules @rules18.toml --out o.csv"
    calls |= {f"attack {name}": (attacked,) for name in ADVERSARIES.find_names(Shape.HISTORY)}
    linked = "--original @CT.csv --published @D.csv --rules @rules21.toml --out o.csv"
    calls |= {f"attack {name}": (linked,) for name in ADVERSARIES.find_names(Shape.RECORDS)}
    own = {f"protect {name}": own_files.PROTECT_HISTORY for name in METHODS.find_names(Shape.HISTORY)}
    own |= {f"protect {name}": own_files.PROTECT_RECORDS for name in METHODS.find_names(Shape.RECORDS)}
    own |= {f"attack {name}": own_files.ATTACK_HISTORY for name in ADVERSARIES.find_names(Shape.HISTORY)}
    own |= {f"attack {name}": own_files.ATTACK_RECORDS for name in ADVERSARIES.find_names(Shape.RECORDS)}
    calls |= SPECIAL | PLAIN | TABLE | CONTEST | SERVER
    more = own_files.CALLS | {name: (call,) for name, call in own.items() if name not in SPECIAL}
    return {name: (*valid, *more.get(name, ())) for name, valid in calls.items()}
