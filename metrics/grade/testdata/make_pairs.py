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


while len(pairs) < 500:
    for make in (fractions, numbers, roots, polynomials, collections, others):
        make()
for kind, answer, reference, equal in pairs[:500]:
    try:
        theirs = verify(parse(rf"${reference}$" if "$" not in reference else reference), parse(rf"${answer}$" if "$" not in answer else answer))
    except Exception:
        theirs = None
    print(json.dumps({"kind": kind, "answer": answer, "reference": reference, "equal": equal, "math_verify": theirs}))
