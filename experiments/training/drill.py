"""Practice rows for lookup: one passage of the train stream, many questions.

A row of the task itself teaches one answer in about fifty tokens. A drill says
every fact of a passage again, in another order, and then asks for the facts one
after the other, from either end. Ending a fact as it ended before is the
simplest way to learn to find it; the questions then only word it differently.
"""

import re

FACTS = [
    (r"(\w+) (?:lives in|has a flat in) (.+)", "home"),
    (r"(.+) is where (\w+) lives", "home<"),
    (r"(?:The) (.+) is in the (\w+)", None),
    (r"In the (\w+) is the (.+)", None),
    (r"(\w+) is the friend of (\w+)", None),
    (r"(\w+)'s friend is (\w+)", None),
    (r"The (\w+) is called (\w+)", "job<"),
    (r"(\w+) is an? (\w+)", "job"),
    (r"(\w+) owns the (.+)", "thing"),
    (r"The (.+) belongs to (\w+)", "thing<"),
]


def facts(passage):
    """(person, relation, value) of every fact about a person."""
    for text in passage.rstrip(".").split(". "):
        for pattern, relation in FACTS:
            m = re.fullmatch(pattern, text)
            if m:
                if relation:
                    a, b = m.groups()
                    yield (b, relation[:-1], a) if relation.endswith("<") else (a, relation, b)
                break
        else:
            raise ValueError(f"no pattern for {text!r}")


def question(person, relation, value, back):
    """A question as the task words it, and its answer."""
    a = "an" if value[0] in "aeiou" else "a"
    return {
        "home": (f"Where does {person} live?", f"Who lives in {value}?"),
        "job": (f"What is the job of {person}?", f"Who is {a} {value}?"),
        "thing": (f"What does {person} own?", f"Who owns the {value}?"),
    }[relation][back], (value, person)[back]


def drill(passage, draw):
    """(question, answer) pairs in random order."""
    told = list(facts(passage))
    draw.shuffle(told)
    return [question(*f, draw.random() < 0.35) for f in told]


def again(passage, draw):
    """(start, end) of every fact that ends in its value, in random order."""
    told = passage.rstrip(".").split(". ")
    draw.shuffle(told)
    for text in told:
        for pattern, relation in FACTS:
            m = re.fullmatch(pattern, text)
            if m and relation != "home<":
                yield text[: m.start(2) - 1], text[m.start(2) - 1 :]
                break
