"""Writes values.tsv: name, arguments, value, by mpmath 1.4.1 with 60 digits.

    python make_values.py > values.tsv
"""
import random
import mpmath as mp

mp.mp.dps = 60
random.seed(20250726)
U, L = random.uniform, lambda lo, hi: 10 ** random.uniform(lo, hi)


def betainc(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


ROWS = {
    "Sin": (lambda x: mp.sin(x), lambda: [U(-100, 100)]),
    "Cos": (lambda x: mp.cos(x), lambda: [U(-100, 100)]),
    "Log1p": (lambda x: mp.log1p(x), lambda: [random.choice([-1, 1]) * L(-20, -0.01)]),
    "Log2": (lambda x: mp.log(x, 2), lambda: [L(-300, 300)]),
    "Log10": (lambda x: mp.log10(x), lambda: [L(-3, 3)]),
    "Erfc": (lambda x: mp.erfc(x), lambda: [U(-3, 26)]),
    "NormalQuantile": (lambda p: -mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(p)), lambda: [random.choice([U(0.5, 0.999), L(-20, -0.4)])]),
    "LogGamma": (lambda x: mp.loggamma(x), lambda: [L(-5, 6)]),
    "Digamma": (lambda x: mp.psi(0, x), lambda: [L(-3, 6)]),
    "Trigamma": (lambda x: mp.psi(1, x), lambda: [L(-3, 6)]),
    "ChiSquareAbove": (lambda k, x: mp.gammainc(mp.mpf(k) / 2, mp.mpf(x) / 2, mp.inf, regularized=True),
                       lambda: (lambda k: [k, k * L(-0.7, 0.5)])(random.randint(1, 300))),
    "RegBeta": (betainc, lambda: (lambda a, b: [a, b, min(0.999, max(1e-12, random.gauss(a / (a + b), 3 * (a * b / (a + b + 1)) ** 0.5 / (a + b))))])(L(-0.5, 3.5), L(-0.5, 3.5))),
    "StudentAbove": (lambda nu, t: (1 if t >= 0 else -1) * betainc(mp.mpf(nu) / 2, mp.mpf(1) / 2, nu / (nu + mp.mpf(t) ** 2)) / 2 + (0 if t >= 0 else 1),
                     lambda: [float(random.randint(1, 2000)), random.gauss(0, 3)]),
}
for name, (f, draw) in ROWS.items():
    for _ in range(60):
        args = [float(v) for v in draw()]
        print(name, " ".join(repr(v) for v in args), mp.nstr(f(*args), 30), sep="\t")
