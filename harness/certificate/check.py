#!/usr/bin/env python3
"""Checks a study of LLM cascades: python3 check.py [FOLDER] (default: this file's).
FOLDER/claims.json has the claims. A file of columns has per record, for each model, cheapest first:
class, beta (confidence), error, cost. Thresholds are chosen on part "fit", measured on "test": an
answer with beta >= theta is accepted, else the next model is asked. A claim is proved (nothing is
better; a guarantee passes its tests), recomputed (the same number, to 1e-9), refuted (the columns
differ: exit code 1), or not checked (they do not say). Python 3.8, no packages."""
import hashlib, json, math, pathlib, statistics, sys
from collections import Counter
from fractions import Fraction
INF, UNIT = math.inf, 2**32  # errors are counted in 1/UNIT: sums are exact
NAMED = ("student", "master", "best", "min")  # targets that are no number
verdicts, place = Counter(), ""
def say(verdict, what):
    verdicts[verdict] += 1
    print(f"{verdict:11}  {place}: {what}")
def claim(what, claimed, found):
    same = claimed == found or type(found) is float and math.isclose(claimed, found, abs_tol=1e-12)
    say("recomputed" if same else "refuted", f"{what}: {found}" + f", not {claimed}" * (not same))
def people(rows):
    """Where a model graded, a promise rests on the records that people graded, as they did."""
    return [{**r, "error": p, "e": [round(x * UNIT) for x in p]}
            for r in rows for p in [r.get("people", r["error"])] if p]
def menus(rows, classes, s=0, m=-1, weight=lambda r: 1):
    """For each class, the ways to set its threshold: (value, errors, theta), from accept all to
    defer all, but for those that defer more and err no less. value: deferrals, or their cost."""
    out = []
    for k in classes:  # None: all classes share a threshold
        mine = sorted((r for r in rows if k in (None, r["class"][s])), key=lambda r: r["beta"][s])
        value, errors = 0, sum(r["e"][s] for r in mine)
        ways = [(0, errors, 0.0 if mine else INF)]  # a class that was never seen is deferred
        for r, above in zip(mine, [x["beta"][s] for x in mine[1:]] + [INF]):
            value, errors = value + weight(r), errors - r["e"][s] + r["e"][m]
            if above > r["beta"][s] and errors < ways[-1][1]:
                ways.append((value, errors, above))
        out.append(ways)
    return out
def cheapest(ms, budget, limit):
    """The least (value, errors), one way per class, with errors <= budget and value <= limit; None:
    there is none. For any price p/q of an error, value + p/q * (errors - budget) <= value within
    the budget: so the least of the left side, class by class, is a lower bound (Lagrange), and a
    beginning too far above it is left out. Of all of one value, that of fewest errors matters."""
    low, high = 0.0, 1.0 + sum(m[-1][0] for m in ms)
    for _ in range(100):  # the price at which the errors pass the budget: the bound is tight there
        price = (low + high) / 2
        over = sum(min((d + price * e, e) for d, e, _ in m)[1] for m in ms) > budget
        low, high = (price, high) if over else (low, price)
    p, q = Fraction(high).as_integer_ratio()
    least = [min(q * d + p * e for d, e, _ in m) for m in ms]
    slack = q * limit + p * budget - sum(least)
    begun, used, later = {0: 0}, 0, sum(m[-1][1] for m in ms)
    for m, own in zip(ms, least):
        used, later, grown = used + own, later - m[-1][1], {}
        for v, e in ((x + d, y + e) for x, y in begun.items() for d, e, _ in m):
            if e < grown.get(v, INF) and e + later <= budget and q * v + p * e - used <= slack:
                grown[v] = e
        begun = grown
    return min(((v, e / UNIT) for v, e in begun.items() if v <= limit), default=None)
def halves(seed, dataset, fit):
    """Half of the fit part proposes a guarantee's thresholds, the other half tests them, group by
    group in the order of PCG-DXSM. Both depend on the seed, the ids and the groups alone."""
    digest = lambda *names: hashlib.sha256(seed.to_bytes(8, "little") + b"".join(
        len(n.encode()).to_bytes(8, "little") + n.encode() for n in names)).digest()
    side, propose, test = {}, [], {}
    for r in fit:
        group, coin = r["group"] or ("alone", r["id"]), digest("guarantee", dataset, r["id"])
        (test.setdefault(group, []) if side.setdefault(group, coin[7] < 128) else propose).append(r)
    order, h, ones = list(test), digest("guarantee", dataset), 2**64 - 1
    state = int.from_bytes(h[:8], "little") << 64 | int.from_bytes(h[8:16], "little")
    for x in (x for lists in ([order], map(test.get, order)) for x in lists):
        for i in range(len(x) - 1, 0, -1):
            state = state * 0x2360ED051FC65DA44385DF649FCCF645 + 0x5851F42D4C957F2D14057B7EF767814F
            state %= 2**128
            draw = (state >> 64 ^ state >> 96) * 0xDA942042E4DD58B5 & ones
            draw = (draw ^ draw >> 48) * (state & ones | 1) & ones
            j = draw * (i + 1) >> 64 if i & (i + 1) else draw & i
            x[i], x[j] = x[j], x[i]
    return propose, [test[g] for g in order]
def path_of(ms):
    """The policies in the order of their tests, from the least errors towards accepting all: of one
    threshold every way; of several, next is the step that saves most deferrals per error."""
    if len(ms) == 1: return [[way[2]] for way in reversed(ms[0])]
    steps, path = [], [[m[-1][2] for m in ms]]
    for k, m in enumerate(ms):
        at = len(m) - 1
        while at > 0:
            slope, to = min((Fraction(w[0] - m[at][0], w[1] - m[at][1]), j)
                            for j, w in enumerate(m[:at]))
            steps.append((slope, k, -at, m[to][2]))
            at = to
    for _, k, _, theta in sorted(steps): path.append(path[-1][:k] + [theta] + path[-1][k + 1:])
    return path
def at_most(k, n, p):  # P(Bin(n, p) <= k)
    if k >= n or not 0 < p < 1: return float(k >= n or p <= 0)
    ways = lambda i: math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
    return sum(math.exp(ways(i) + i * math.log(p) + (n - i) * math.log1p(-p)) for i in range(k + 1))
def p_value(kind, groups, a, delta, most):
    """Tests "the mean loss is above a" on losses in [0, 1] of independent groups. A group of up to
    `most` records counts as one number, above a on average where the loss per record is."""
    xs = [min(max(a + sum(x - a for x in g) / most, 0), 1) if most > 1 else g[0] for g in groups]
    n, total, hard = len(xs), sum(xs), most == 1 and all(x in (0, 1) for x in xs)
    if kind == "binomial":
        return at_most(round(total), n, a) if hard else 1
    if kind == "betting":  # Waudby-Smith and Ramdas 2024
        capital, top, seen, square = 1.0, 1.0, 0.5, 0.25
        for i, x in enumerate(xs):  # a stake depends only on what was seen before
            stake = math.sqrt(2 * math.log(1 / delta) / n / (square / (i + 1)))
            capital *= 1 - min(stake, (0.75 if most > 1 else 0.5) / (1 - a)) * (x - a)
            top, seen = max(top, capital), seen + x
            square += (x - seen / (i + 2)) ** 2
        return 1 / top
    r = min(total / n, a)  # Hoeffding and Bentkus, as in Angelopoulos et al. 2021
    kl = (1 - r) * math.log((1 - r) / (1 - a)) + (r and r * math.log(r / a))
    return min(1, math.exp(-n * max(kl, 0)), math.e * at_most(math.ceil(total), n, a))
def decider(rule, models):
    """Whose answer a rule takes: a model's; as recorded; the first's with beta >= its threshold."""
    if "model" in rule: return lambda r: rule["model"]
    if "as" in rule: return lambda r: r["final"][rule["as"]]
    theta, s = [float(x) for x in rule["theta"]], models[0]
    of = dict(zip(rule.get("class", []), theta))
    if of: return lambda r: models[r["beta"][s] < of[r["class"][s]]]
    return lambda r: next((m for m, t in zip(models, theta) if r["beta"][m] >= t), models[-1])
def check_promise(t, row, fit, seed):
    g, target, models, rule = row["promise"], t["target"], row["models"], row["rules"][0]
    claimed, classes, last = list(map(float, rule["theta"])), rule.get("class", [None]), models[-1]
    crc, kind, numeric = g["method"] == "crc", g.get("p_value"), target not in NAMED
    most, (propose, sets) = g.get("largest", 1), halves(seed, t["dataset"], fit)
    propose, sets = people(propose), [x for x in map(people, sets) if x]
    tests = [r for group in sets for r in group]
    level = float(1 - Fraction(target)) if numeric else g["level"]
    claim("records that propose, test", [g["proposed"], g["tested"]], [len(propose), len(tests)])
    claim("groups", [g.get("clusters", len(sets)), most], [len(sets), max(most, *map(len, sets))])
    claim("level", g["level"], level)
    if last != 1: say("not checked", "that the candidates before these thresholds pass their tests")
    best = min(models, key=lambda m: (sum(r["e"][m] for r in propose), -m))
    ref = {"student": 0, "best": best}.get(target, last)  # its error plus the level is promised
    monotone = not crc or ref == last and (not numeric or t["setting"] == "oracle")
    safe = [INF if m < ref or ref and last == 1 else 0.0 for m, _ in enumerate(claimed)]
    safe = safe if crc or not numeric or t["setting"] == "oracle" else None  # needs no test
    alone = crc and classes == [None]  # the regret falls along all thresholds: test them all
    regret = [{**r, "e": [max(0, r["e"][0] - r["e"][-1]), 0]} for r in tests]
    path = path_of(menus(regret if alone else propose, classes)) if last == 1 else [claimed]
    if len(path) > 200 and not alone: path = [path[i * (len(path) - 1) // 199] for i in range(200)]
    if last == 1 and (crc or t["setting"] == "oracle") and path[0] != safe: path.insert(0, safe)
    paired = kind == "betting" and not numeric  # an excess, moved from [-1, 1] to [0, 1]
    found, passed = safe or path[0], []  # crc: Angelopoulos et al. 2022
    for theta in path if ref else []:
        final = decider({**rule, "theta": theta}, models)
        over = lambda r: r["error"][final(r)] - (0 if numeric and not crc else r["error"][ref])
        losses = [[(1 + over(r)) / 2 if paired else max(0, over(r)) for r in one] for one in sets]
        p = (sum(Fraction(x) for h in losses for x in h) + most) / (len(tests) + most) if crc else \
            p_value(kind, losses, (1 + level) / 2 if paired else level, g["delta"], most)
        good = p <= (Fraction(f"{level:.15g}") if crc else g["delta"])
        if good: found, passed = theta, passed + [float(p)]
        elif not theta == found == safe: break
    what = f"guarantee {bool(safe or passed)}: {len(passed)} tests, last p {passed[-1:]}: {found}"
    right = found == claimed and row["certified"] == bool(safe or passed) and monotone
    say("proved" if right else "refuted", what + f", not {claimed}" * (not right))
def check_policy(t, row, fit):
    p, rule, (s, *_, m) = row["fitted"], row["rules"][0], row["models"]
    final, chain = [decider(rule, row["models"])(r) for r in fit], len(t["models"]) > 2
    errors, c = sum(r["e"][k] for r, k in zip(fit, final)), p.get("optimum")
    claim("errors on the fit part", p["fit_errors"], errors / UNIT)
    claim("deferred on the fit part", p["fit_deferred"], final.count(m))
    if "price" in p:  # of an error: no thresholds lose less; costs are rounded to millionths
        paid = lambda r: r["cost"][m] if t["cost_summary"] == "mean" else t["costs"][m]["value"]
        least = sum(min(v + p["price"] * e / UNIT for v, e, _ in ways)
                    for ways in menus(fit, rule.get("class", [None]), s, m, paid))
        lost = sum(paid(r) for r, k in zip(fit, final) if k == m) + p["price"] * errors / UNIT
        good = "proved" if lost <= least + 1e-6 * len(fit) * max(map(paid, fit)) else "refuted"
        return say(good, f"loss of any on the fit part >= {least}: {lost}")
    if not c or chain and t["target"] == "min": return say("not checked", "whether it is best")
    by = not chain and {"deferrals": "", "cost": "cost"}[t["objective"]]
    top = max(r[by][m] for r in fit) if by else 0  # costs are counted in millionths of the largest
    unit, weight = top / 1e6 or 1, lambda r: max(1, round(r[by][m] / top * 1e6)) if top else 1
    ms = menus(fit, rule.get("class", [None]), s, m, weight)
    least, total = sum(w[-1][1] for w in ms), [sum(e) for e in zip(*(r["e"] for r in fit))]
    step = 1 if any(r["e"][k] % UNIT for r in fit for k in row["models"]) else UNIT
    budget = dict(zip(NAMED, (total[0], total[-1], min(total), least))).get(t["target"])
    if budget is None: budget = (1 - Fraction(t["target"])) * len(fit) * UNIT // step * step
    claim("budget, least errors, budget can be met", [c["budget"], c["min_errors"], c["feasible"]],
          [budget / UNIT, least / UNIT, least <= budget])
    value, budget = sum(weight(r) for r, k in zip(fit, final) if k == m), max(budget, least)
    lower = round(c["lower_bound"] / unit)
    best = c["optimal"] and p["method"] in ("exact", "linear")  # has the fewest errors, too
    claim("gap, optimal", [round(c["gap"] / unit), c["optimal"]], [value - lower, value == lower])
    found = cheapest(ms, budget, value if best else lower - 1)
    tight = all(float(x) in [w[2] for w in ways] for x, ways in zip(rule["theta"], ms)) or not best
    bad = errors > budget or not tight or found != ((value, errors / UNIT) if best else None)
    say("refuted" if bad else "proved", f"{by or 'deferrals'} of any within the budget >= {lower}; "
        f"value, errors {value, errors / UNIT}" + f"; best {found}; at betas: {tight}" * bad)
def check_row(t, row, rows, test):
    models, name, rules, extra = row["models"], row["policy"], row["rules"], row["overhead"]
    coins = [(x["weight"], decider(x, models)) for x in rules]
    cost, last = [c["value"] for c in t["costs"]], len(t["costs"]) - 1
    upto = {"router": lambda m: [m], "cascade": lambda m: models[:models.index(m) + 1]}
    asked = {m: upto.get(row["charge"], lambda m: models)(m) for m in models}
    alone = {"none": 0, "all": last, **{f"only-{m + 1}": m for m in models}}
    claim("rules of this name, of weight 1, that pay what they look at", True, all((
        models == [*range(last + 1)] or name.startswith(f"pair-{models[0] + 1}-{models[-1] + 1}"),
        name not in alone or [x.get("model") for x in rules] == [alone[name]],
        math.isclose(sum(w for w, _ in coins), 1), all(w >= 0 for w, _ in coins),
        all(x.get("as", name) == name for x in rules), extra == 0 or "as" in rules[0],
        row["charge"] == "cascade" or not any("theta" in x for x in rules))))
    as_recorded = lambda who: all(r["final"].get(name, who(r)) == who(r) for r in rows)
    if "theta" in rules[0]: claim("decisions as recorded", True, as_recorded(coins[0][1]))
    if "as" in rules[0] or "fitted" not in row and "model" not in rules[0]:
        say("not checked", f"how it chooses whose answer is taken, and what that costs: {extra}")
    mean = lambda f: math.fsum(w * f(r, who(r)) for r in test for w, who in coins) / len(test)
    paid = lambda cost: mean(lambda r, m: sum(cost(r)[k] for k in asked[m])) + extra
    claim("error", row["error"]["value"], mean(lambda r, m: r["error"][m]))
    claim("deferred", row["deferred"]["value"], mean(lambda r, m: last in asked[m]))
    claim("saved", row["saved_pct"]["value"] / 100, 1 - paid(lambda r: cost) / cost[last])
    each = paid(lambda r: r["cost"]) / mean(lambda r, m: r["cost"][last])
    claim("saved by query", row["saved_query_pct"]["value"] / 100, 1 - each)
    for metric, v in row["metrics"].items():
        if all(metric in x for r in test for x in r["scores"]):
            claim(metric, v["value"], mean(lambda r, m: r["scores"][m][metric]))
        elif metric == "f1-macro" and len(coins) == 1:
            got = [(r["reference"], r["class"][coins[0][1](r)]) for r in test]
            right, named = Counter(a for a, b in got if a == b), Counter(x for y in got for x in y)
            claim(metric, v["value"], sum(2 * right[k] / n for k, n in named.items()) / len(named))
        else: say("not checked", metric)

folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
claims = json.loads((folder / "claims.json").read_text())
sys.excepthook = lambda _, why, where: say("refuted", f"a claim that makes no sense: {why!r}")
for t in claims["tables"]:
    place, text = f"{t['cascade']}, {t['dataset']}", (folder / t["columns"]).read_bytes()
    claim(t["columns"], claims["files"][t["columns"]], hashlib.sha256(text).hexdigest())
    rows = [json.loads(line) for line in text.splitlines()]
    for r in rows:
        if t["setting"] == "oracle": r["error"][-1], r["reference"] = 0.0, r["class"][-1]
        r["e"] = [round(x * UNIT) for x in r["error"]]
    claim("errors from 0 to 1", True, all(0 <= e <= UNIT for r in rows for e in r["e"]))
    fit, test = ([*{r["id"]: r for r in rows if r["part"] == x}.values()] for x in ("fit", "test"))
    claim("records to fit, to test", [t["fit"], t["test"]], [len(fit), len(test)])
    for m, c in enumerate(t["costs"]):
        of = {"mean": statistics.fmean, "median": statistics.median}.get(t["cost_summary"])
        if of: claim(f"cost of {c['model']}", c["value"], of([r["cost"][m] for r in fit]))
        else: say("not checked", f"cost of {c['model']}, by {t['cost_summary']}")
    for row in t["rows"]:
        place = f"{t['cascade']}, {t['dataset']}, {row['policy']}"
        if "fitted" in row: check_policy(t, row, people(fit) if "promise" in row else fit)
        if "promise" in row: check_promise(t, row, fit, claims["seed"])
        check_row(t, row, rows, test)
place = claims["study"]
for what in claims["not_checked"]: say("not checked", what)
print(", ".join(f"{n} {verdict}" for verdict, n in sorted(verdicts.items())))
sys.exit(1 if verdicts["refuted"] else 0)
