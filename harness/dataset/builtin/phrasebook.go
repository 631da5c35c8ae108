package builtin

import (
	"math/rand/v2"
	"strings"
)

// phrasebook is English to German. The sentences are built in both languages
// at once, so that the reference is right by rule. Depth counts what the
// German needs and the English hides:
//
//	0  one or two clauses without an object: the gender of the article
//	1  an object in the accusative
//	2  adjectives, possessives and plurals: endings that follow gender, number and case
//	3  datives: indirect objects, dative verbs, prepositions; the verb second after a time
//	4  the verb or half of it at the end: modal, perfect, a clause with because or that
func phrasebook() Source {
	return Source{
		Name:        "phrasebook",
		Task:        "translation",
		Prompt:      "English: {source}\nGerman:",
		Fields:      []string{"source"},
		MaxTokens:   48,
		Description: "English sentences to put into German, with case, gender, number and word order",
		depths:      []int{20, 22, 22, 20, 16},
		write:       writePhrase,
	}
}

func writePhrase(r *rand.Rand, _, depth int) composite {
	t := translator{r, depth}
	var p pair
	switch depth {
	case 0:
		p = t.intransitive()
		if chance(r, 0.6) {
			q := t.intransitive()
			join := one(r, []pair{{" and ", " und "}, {", but ", ", aber "}})
			p = pair{p.en + join.en + q.en, p.de + join.de + q.de}
		}
	case 1, 2, 3:
		p = t.main()
		if depth == 1 && chance(r, 0.4) {
			q := t.intransitive()
			p = pair{p.en + " and " + q.en, p.de + " und " + q.de}
		}
	default:
		p = t.deep()
	}
	en, de := sentence(p.en), sentence(p.de)
	return composite{fields: map[string]string{"source": en}, key: en, references: []string{de}}
}

// pair is the same words in both languages.
type pair struct{ en, de string }

// translator builds sentences of one depth.
type translator struct {
	*rand.Rand
	depth int
}

// intransitive is a clause without an object, perhaps with an adverb.
func (t translator) intransitive() pair {
	s, v := t.subject(), one(t.Rand, intransitives)
	if chance(t.Rand, 0.2) {
		animal, _ := translator{t.Rand, 0}.nounPhrase(one(t.Rand, animals), nominative)
		s = subject{animal, third}
	}
	p := pair{s.en + " " + v.en(s.form), s.de + " " + v.de(s.form)}
	if chance(t.Rand, 0.75) {
		a := one(t.Rand, adverbs)
		p = pair{p.en + " " + a.en, p.de + " " + a.de}
	}
	return p
}

// main is a main clause with its objects, perhaps with a time in front.
func (t translator) main() pair {
	s := t.subject()
	v, objects := t.predicate()
	if chance(t.Rand, 0.35) {
		when := one(t.Rand, times)
		if t.depth >= 3 && chance(t.Rand, 0.6) {
			return pair{when.en + " " + s.en + " " + v.en(s.form) + " " + objects.en,
				when.de + " " + v.de(s.form) + " " + s.de + " " + objects.de}
		}
		return pair{s.en + " " + v.en(s.form) + " " + objects.en + " " + when.en,
			s.de + " " + v.de(s.form) + " " + when.de + " " + objects.de}
	}
	return pair{s.en + " " + v.en(s.form) + " " + objects.en, s.de + " " + v.de(s.form) + " " + objects.de}
}

// deep puts the verb, or the part of it that carries the meaning, at the end
// of its German clause.
func (t translator) deep() pair {
	s := t.subject()
	v, objects := t.predicate()
	switch t.IntN(4) {
	case 0:
		m := one(t.Rand, modals)
		return pair{s.en + " " + m.en(s.form) + " " + v.base + " " + objects.en,
			s.de + " " + m.de(s.form) + " " + objects.de + " " + v.infinitive}
	case 1:
		has, hat := "has", "hat"
		switch s.form {
		case firstSingular:
			has, hat = "have", "habe"
		case plural:
			has, hat = "have", "haben"
		}
		return pair{s.en + " " + has + " " + v.done + " " + objects.en,
			s.de + " " + hat + " " + objects.de + " " + v.participle}
	case 2:
		main := translator{t.Rand, 0}.intransitive()
		return pair{main.en + " because " + s.en + " " + v.en(s.form) + " " + objects.en,
			main.de + ", weil " + s.de + " " + objects.de + " " + v.de(s.form)}
	}
	who, knows := t.subject(), one(t.Rand, knowing)
	return pair{who.en + " " + knows.en(who.form) + " that " + s.en + " " + v.en(s.form) + " " + objects.en,
		who.de + " " + knows.de(who.form) + ", dass " + s.de + " " + objects.de + " " + v.de(s.form)}
}

// predicate draws a verb and its objects; from depth 3 on there is a dative.
func (t translator) predicate() (verb, pair) {
	dative := t.depth == 3 || t.depth == 4 && chance(t.Rand, 0.5)
	if !dative {
		return one(t.Rand, transitives), t.phrase(one(t.Rand, thingNouns), accusative)
	}
	switch t.IntN(5) {
	case 0:
		helped := append(append([]noun{}, personNouns...), animals...)
		return one(t.Rand, dativeVerbs), t.phrase(one(t.Rand, helped), dativeCase)
	case 1, 2:
		to, what := t.phrase(one(t.Rand, personNouns), dativeCase), t.phrase(one(t.Rand, thingNouns), accusative)
		return one(t.Rand, givings), pair{to.en + " " + what.en, to.de + " " + what.de}
	case 3:
		what, where := t.phrase(one(t.Rand, thingNouns), accusative), t.where()
		return one(t.Rand, transitives), pair{what.en + " " + where.en, what.de + " " + where.de}
	}
	p := one(t.Rand, prepositions)
	what, who := t.phrase(one(t.Rand, thingNouns), accusative), t.phrase(one(t.Rand, personNouns), p.governs)
	return one(t.Rand, transitives), pair{what.en + " " + p.en + " " + who.en, what.de + " " + p.de + " " + who.de}
}

// where is "in the garden": the dative, with "in dem" drawn together.
func (t translator) where() pair {
	n := one(t.Rand, placeNouns)
	de := "in " + articles[definite][dativeCase][n.gender] + " " + n.de
	return pair{"in the " + n.en, strings.Replace(de, "in dem ", "im ", 1)}
}

// subject is a pronoun, a name or a noun phrase in the nominative.
func (t translator) subject() subject {
	switch k := t.IntN(10); {
	case k < 2:
		return one(t.Rand, pronouns)
	case k < 4:
		name := one(t.Rand, subjectNames)
		return subject{pair{name, name}, third}
	}
	n := one(t.Rand, personNouns)
	p, many := t.nounPhrase(n, nominative)
	if many {
		return subject{p, plural}
	}
	return subject{p, third}
}

func (t translator) phrase(n noun, c grammaticalCase) pair {
	p, _ := t.nounPhrase(n, c)
	return p
}

// nounPhrase draws a determiner, perhaps an adjective, and the number.
func (t translator) nounPhrase(n noun, c grammaticalCase) (p pair, many bool) {
	det := definite
	switch k := t.IntN(10); {
	case k < 4:
		det = indefinite
	case k < 6 && t.depth >= 2:
		det = possessive
	}
	many = t.depth >= 2 && chance(t.Rand, 0.3)
	if many && det == indefinite {
		det = definite
	}
	var adj *adjective
	if t.depth >= 2 && chance(t.Rand, 0.5) {
		list := thingAdjectives
		if n.person {
			list = personAdjectives
		}
		a := one(t.Rand, list)
		adj = &a
	}
	return n.inflect(det, adj, c, many), many
}
