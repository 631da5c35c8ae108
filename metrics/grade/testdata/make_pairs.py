"""Pairs of answers whose truth is known by how they are made, with the verdict of math-verify beside it.

    pip install math-verify==0.9.0 'latex2sympy2_extended[antlr4_13_2]' && python make_pairs.py > math_pairs.jsonl
"""
import json
import logging
import random
from math import gcd

from math_verify import parse, verify

logging.disable(logging.CRITICAL)
draw = random.Random(1)
pairs = []


def add(kind, forms, others):
    """All of forms are equal to the first; all of others differ from it."""
    for f in forms[1:]:
        pairs.append((kind, f, forms[0], True))
    for o in others:
        pairs.append((kind, o, forms[0], False))


def fractions():
    a, b = draw.randint(1, 40), draw.choice([2, 3, 4, 5, 7, 8, 20])
    if gcd(a, b) > 1:
        a += 1
    a, k = (a if gcd(a, b) == 1 else 1), draw.randint(2, 5)
    forms = [rf"\frac{{{a}}}{{{b}}}", rf"${a}/{b}$", rf"\dfrac{{{k * a}}}{{{k * b}}}", rf"-\frac{{-{a}}}{{{b}}}"]
    if b not in (3, 7):
        forms.append(str(a / b))
    if a > b:
        forms.append(rf"{a // b}\frac{{{a % b}}}{{{b}}}")
    add("fractions", forms, [rf"\frac{{{a + 1}}}{{{b}}}", rf"-\frac{{{a}}}{{{b}}}", rf"\frac{{{b}}}{{{a}}}" if a != b else "9/2"])


def numbers():
    n = draw.randint(1000, 99999)
    s = f"{n:,}"
    add("numbers", [str(n), s, s.replace(",", "{,}"), s.replace(",", r",\!"), f"{n}.0", rf"\${n}", rf"{n}\text{{ cm}}", f"x = {n}",
                    rf"\boxed{{{n}}}"], [str(n + 1), f"-{n}", f"{n}0", f"{n / 10}"])


def roots():
    a, b, c = draw.randint(2, 9), draw.choice([2, 3, 5, 6, 7, 10]), draw.randint(1, 9)
    add("roots", [rf"{a}\sqrt{{{b}}}", rf"\sqrt{{{a * a * b}}}", rf"\frac{{{a * b}}}{{\sqrt{{{b}}}}}", rf"{a} \cdot {b}^{{1/2}}"],
        [rf"{a}+\sqrt{{{b}}}", rf"\sqrt{{{a * b}}}", rf"-{a}\sqrt{{{b}}}"])
    add("roots", [rf"{c}+\sqrt{{{b}}}", rf"\sqrt{{{b}}}+{c}", rf"\frac{{{c * c - b}}}{{{c}-\sqrt{{{b}}}}}"],
        [rf"{c}-\sqrt{{{b}}}", rf"\sqrt{{{b + c}}}"])
    add("roots", [rf"{c}\pm\sqrt{{{b}}}", rf"{c}-\sqrt{{{b}}}, {c}+\sqrt{{{b}}}"], [rf"{c}+\sqrt{{{b}}}", rf"-{c}\pm\sqrt{{{b}}}"])


def polynomials():
    a, b, v = draw.randint(1, 9), draw.randint(1, 9), draw.choice("xyzt")
    add("polynomials", [f"{v}^2+{a + b}{v}+{a * b}", f"({v}+{a})({v}+{b})", f"{a * b}+{a + b}{v}+{v}^{{2}}", f"{v}({v}+{a + b})+{a * b}"],
        [f"({v}-{a})({v}-{b})", f"{v}^2+{a + b}{v}-{a * b}", f"{v}^2+{a * b}{v}+{a * b + a + b}"])
    add("polynomials", [rf"\frac{{{v}^2-{a * a}}}{{{v}-{a}}}", f"{v}+{a}"], [f"{v}-{a}", f"{v}^2+{a}"])


def collections():
    a, b, c = draw.sample(range(-20, 20), 3)
    add("tuples", [f"({a}, {b})", rf"\left({a},{b}\right)", f"(x, y) = ({a}, {b})"], [f"({b}, {a})", f"({a}, {b + 1})", f"({a}, {b}, {c})"])
    add("sets", [rf"\{{{a}, {b}, {c}\}}", f"{c}, {a}, {b}", f"{b}, {a} and {c}"], [rf"\{{{a}, {b}\}}", f"{a}, {b}, {c + 40}"])
    lo, hi = min(a, b), max(a, b)
    add("intervals", [rf"(-\infty, {lo}] \cup [{hi}, \infty)", rf"[{hi},\infty)\cup(-\infty,{lo}]"],
        [rf"(-\infty, {lo}) \cup ({hi}, \infty)", rf"[{lo}, {hi}]"])
    add("intervals", [f"[{lo}, {hi})", rf"x \in \left[{lo},{hi}\right)"], [f"({lo}, {hi})", f"[{lo}, {hi}]", f"[{lo}, {hi + 1})"])


def others():
    a, b = draw.randint(2, 9), draw.randint(2, 9)
    add("complex", [f"{a}+{b}i", f"{b}i+{a}", rf"\frac{{{a * a + b * b}}}{{{a}-{b}i}}"], [f"{a}-{b}i", f"{b}+{a}i" if a != b else "1+2i"])
    add("pi", [rf"\frac{{{a}\pi}}{{{b}}}", rf"{a}\pi/{b}", rf"\frac{{{a}}}{{{b}}}\pi"], [rf"\frac{{{a}}}{{{b}\pi}}", f"{3.14 * a / b:.4f}"])
    add("per cent", [rf"{a}{b}\%", f"{a}{b}%", f"0.{a}{b}"], [rf"{a}{b + 1}\%", f"0.0{a}{b}"])
    add("matrices", [rf"\begin{{pmatrix}} {a} & {b} \\ 0 & 1 \end{{pmatrix}}", rf"\begin{{pmatrix}}{a}&{b}\\0&1\end{{pmatrix}}"],
        [rf"\begin{{pmatrix}} {b + 9} & {a} \\ 0 & 1 \end{{pmatrix}}"])
    word = draw.choice(["even", "odd", "Monday", "increasing", "parabola"])
    add("words", [rf"\text{{{word}}}", word, f"{word}."], [word[::-1], f"not {word}"])
    add("functions", [rf"\sin({a}x)", rf"\sin {a}x"], [rf"\cos({a}x)", rf"{a}\sin(x)"])
    add("powers", [rf"{a}^{{{b}}}", str(a**b)], [rf"{a}^{{{b + 1}}}", str(a * b) if a * b != a**b else "1"])


def relations():
    a, k, h = draw.randint(2, 20), draw.randint(2, 5), draw.randint(21, 40)
    add("inequalities", [f"x > {a}", f"{a} < x", rf"x \gt {a}", rf"({a}, \infty)", f"{k}x > {k * a}", f"-x < -{a}", f"x - {a} > 0"],
        [rf"x \ge {a}", f"x < {a}", f"x > {a + 1}", f"y > {a}", f"-x > -{a}", rf"(-\infty, {a})"])
    add("inequalities", [rf"{a} < x \le {h}", rf"({a}, {h}]", rf"{h} \geq x > {a}", rf"x \in ({a},{h}]"],
        [rf"{a} \le x \le {h}", f"{a} < x < {h}", rf"{a} < x \le {h + 1}", f"x > {a}"])
    add("inequalities", [f"x < {a} or x > {h}", rf"(-\infty,{a}) \cup ({h},\infty)", rf"x > {h} \text{{ or }} x < {a}"],
        [f"x < {a} and x > {h}", f"{a} < x < {h}", f"x > {h}"])
    add("inequalities", [f"x^2 + y^2 < {a}", f"{a} > x^2+y^2", f"{k}x^2 + {k}y^2 < {k * a}"], [f"x^2 + y^2 > {a}", f"x^2 - y^2 < {a}"])
    add("inequalities", [rf"x \neq {a}", rf"x \ne {a}", f"{a} != x"], [f"x = {a}", rf"x \ne {h}"])


def equations():
    a, b, c, k = draw.randint(2, 9), draw.randint(2, 9), draw.randint(1, 9), draw.randint(2, 5)
    add("equations", [f"{a}x + {b}y = {c}", f"{k * a}x+{k * b}y={k * c}", f"{b}y = {c} - {a}x", f"-{a}x - {b}y + {c} = 0",
                      rf"y = \frac{{{c} - {a}x}}{{{b}}}"], [f"{a}x+{b}y={c + 1}", f"{a}x-{b}y={c}", f"{a}x+{b}y+{c}=0"])
    add("equations", [f"x^2 + y^2 = {a * a}", f"{a * a} = y^2 + x^2"], [f"x^2 - y^2 = {a * a}", f"x^2+y^2={a * a + 1}", f"{a * a}"])


def functions():
    a, b, p = draw.randint(2, 9), draw.randint(1, 9), draw.choice([2, 3, 5, 7])
    add("functions", [rf"\sin({a}x)+{b}", rf"{b}+\sin {a}x", rf"\sin\left({a}x\right) + {b}"],
        [rf"\sin({a}x+{b})", rf"\cos({a}x)+{b}", rf"\sin({a}x)-{b}", rf"{a}\sin(x)+{b}"])
    add("functions", [rf"\log_{a}(x)", rf"\log_{{{a}}} x"], [rf"\log_{{{a + 1}}} x", r"\ln x", rf"\log({a}x)", rf"{a}\log x"])
    add("functions", [rf"{a}e^{{{b}x}}", rf"e^{{{b}x}} \cdot {a}"], [rf"{a + 1}e^{{{b}x}}", rf"e^{{{a * b}x}}", rf"{a}e^{{-{b}x}}"])
    add("functions", [rf"\sqrt[3]{{{p}}}", rf"{p}^{{1/3}}", rf"{p}^{{\frac13}}"], [rf"\sqrt{{{p}}}", rf"\sqrt[3]{{{p + 1}}}", f"{p}/3"])
    add("functions", [rf"{a}\sqrt{{x+{b}}}", rf"\sqrt{{{b}+x}} \cdot {a}"], [rf"\sqrt{{{a}x+{b}}}", rf"{a}\sqrt{{x}}+{b}"])
    add("functions", [r"\sin^2 x", r"(\sin x)^2", r"\sin x \cdot \sin x"], [r"\sin x^2", r"\sin 2x", r"2\sin x"])


def units():
    n = draw.randint(2, 90)
    add("units", [rf"{n}\text{{ km}}", f"{n}", rf"{n}\textbf{{ km}}", rf"{n}\ \mathrm{{km}}"],
        [rf"{n + 1}\text{{ km}}", rf"{n}\text{{ million}}", rf"{n}\text{{ dozen}}", rf"{n}\text{{ thirds}}"])
    add("units", [rf"{n}^\circ", rf"{n}^{{\circ}}", f"{n}°", rf"{n}\degree"], [rf"{n + 1}^\circ", rf"-{n}^\circ"])
    add("per cent", [rf"{n}\%", f"{n} percent", rf"{n}\text{{ percent}}", f"{n / 100}"], [f"{n + 1} percent", f"{n / 1000}"])
    add("sets", [f"{n}; {n + 1}", f"{n}, {n + 1}", rf"\{{{n + 1}; {n}\}}"], [f"{n}", f"{n}; {n + 2}", f"({n}; {n + 1})"])


while len(pairs) < 500:
    for make in (fractions, numbers, roots, polynomials, collections, others):
        make()
del pairs[500:]
while len(pairs) < 1000:
    for make in (relations, equations, functions, units):
        make()
for kind, answer, reference, equal in pairs[:1000]:
    try:
        theirs = verify(parse(rf"${reference}$" if "$" not in reference else reference), parse(rf"${answer}$" if "$" not in answer else answer))
    except Exception:
        theirs = None
    print(json.dumps({"kind": kind, "answer": answer, "reference": reference, "equal": equal, "math_verify": theirs}))
