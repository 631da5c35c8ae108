package builtin

import "strings"

// grammaticalCase is a German case; the genitive is not taught here.
type grammaticalCase int

const (
	nominative grammaticalCase = iota
	accusative
	dativeCase
)

// determiner is the word before a noun. The possessive is "my".
type determiner int

const (
	definite determiner = iota
	indefinite
	possessive
)

// gender is a column of the tables below. The plural, which has no gender, is
// one too.
type gender int

const (
	masculine gender = iota
	feminine
	neuter
	manyOf
)

// articles holds the determiner by kind, case and column.
var articles = [3][3][4]string{
	{{"der", "die", "das", "die"}, {"den", "die", "das", "die"}, {"dem", "der", "dem", "den"}},
	{{"ein", "eine", "ein", ""}, {"einen", "eine", "ein", ""}, {"einem", "einer", "einem", ""}},
	{{"mein", "meine", "mein", "meine"}, {"meinen", "meine", "mein", "meine"}, {"meinem", "meiner", "meinem", "meinen"}},
}

// endings holds the adjective's ending: weak after the definite article, mixed
// after the indefinite one and the possessive.
var endings = [2][3][4]string{
	{{"e", "e", "e", "en"}, {"en", "e", "e", "en"}, {"en", "en", "en", "en"}},
	{{"er", "e", "es", "en"}, {"en", "e", "es", "en"}, {"en", "en", "en", "en"}},
}

// noun is a word in both languages. A weak noun adds n in every case but the
// nominative.
type noun struct {
	en, ens string
	de, des string // singular, plural nominative
	gender  gender
	person  bool
	weak    bool
}

type adjective struct{ en, de string }

// inflect writes determiner, adjective and noun.
func (n noun) inflect(det determiner, adj *adjective, c grammaticalCase, many bool) pair {
	column, en, de := n.gender, n.en, n.de
	if many {
		column, en, de = manyOf, n.ens, n.des
		if c == dativeCase && !strings.HasSuffix(de, "n") && !strings.HasSuffix(de, "s") {
			de += "n"
		}
	} else if n.weak && c != nominative {
		de += "n"
	}
	german := articles[det][c][column] + " "
	if adj != nil {
		table := endings[1]
		if det == definite {
			table = endings[0]
		}
		german += strings.TrimSuffix(adj.de, "e") + table[c][column] + " "
		en = adj.en + " " + en
	}
	return pair{[...]string{"the " + en, article(en), "my " + en}[det], german + de}
}

// form is the person and number a verb agrees with.
type form int

const (
	third form = iota
	firstSingular
	plural // first or third
)

type subject struct {
	pair
	form form
}

// verb has the forms the sentences need, in both languages.
type verb struct {
	base, s, done                   string // see, sees, seen
	infinitive, ich, er, participle string
}

// of is the verb of a subject.
func (v verb) of(f form) pair {
	return [...]pair{third: {v.s, v.er}, firstSingular: {v.base, v.ich}, plural: {v.base, v.infinitive}}[f]
}

// preposition governs one case.
type preposition struct {
	pair
	governs grammaticalCase
}

func (c *grammaticalCase) UnmarshalText(b []byte) error {
	return named(b, c, "nominative", "accusative", "dative")
}

func (g *gender) UnmarshalText(b []byte) error {
	return named(b, g, "masculine", "feminine", "neuter")
}

func (f *form) UnmarshalText(b []byte) error { return named(b, f, "third", "first-singular", "plural") }

func (n *noun) UnmarshalJSON(b []byte) error {
	return tuple(b, &n.en, &n.ens, &n.de, &n.des, &n.gender, &n.person, &n.weak)
}

func (a *adjective) UnmarshalJSON(b []byte) error { return tuple(b, &a.en, &a.de) }

func (p *pair) UnmarshalJSON(b []byte) error { return tuple(b, &p.en, &p.de) }

func (s *subject) UnmarshalJSON(b []byte) error { return tuple(b, &s.en, &s.de, &s.form) }

func (p *preposition) UnmarshalJSON(b []byte) error { return tuple(b, &p.en, &p.de, &p.governs) }

func (v *verb) UnmarshalJSON(b []byte) error {
	return tuple(b, &v.base, &v.s, &v.done, &v.infinitive, &v.ich, &v.er, &v.participle)
}
