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
			join := one(r, []pair{{" and", " und"}, {", but", ", aber"}})
			p = pair{p.en + join.en, p.de + join.de}.then(q)
		}
	case 1, 2, 3:
		p = t.main()
		if depth == 1 && chance(r, 0.4) {
			p = p.then(pair{"and", "und"}).then(t.intransitive())
		}
	default:
		p = t.deep()
	}
	en, de := sentence(p.en), sentence(p.de)
	return composite{fields: map[string]string{"source": en}, key: en, references: []string{de}}
}

// pair is the same words in both languages.
type pair struct{ en, de string }

// then is a pair with another behind it.
func (p pair) then(q pair) pair { return pair{p.en + " " + q.en, p.de + " " + q.de} }

// words are the parts of a sentence, by their letters in the orders of words/phrasebook.json.
type words map[string]pair

// in puts the words in an order of each language.
func (w words) in(name string) pair {
	var en, de []string
	for letter, p := range w {
		en, de = append(en, letter, p.en), append(de, letter, p.de)
	}
	order := phrases.Orders[name]
	return pair{strings.NewReplacer(en...).Replace(order.en), strings.NewReplacer(de...).Replace(order.de)}
}

// translator builds sentences of one depth.
type translator struct {
	*rand.Rand
	depth int
}

// intransitive is a clause without an object, perhaps with an adverb.
func (t translator) intransitive() pair {
	s, v := t.subject(), one(t.Rand, phrases.Intransitives)
	if chance(t.Rand, 0.2) {
		animal, _ := translator{t.Rand, 0}.nounPhrase(one(t.Rand, phrases.Animals), nominative)
		s = subject{animal, third}
	}
	p := s.pair.then(v.of(s.form))
	if chance(t.Rand, 0.75) {
		p = p.then(one(t.Rand, phrases.Adverbs))
	}
	return p
}

// main is a main clause with its objects, perhaps with a time in front.
func (t translator) main() pair {
	s := t.subject()
	v, objects := t.predicate()
	parts := words{"S": s.pair, "V": v.of(s.form), "O": objects}
	if !chance(t.Rand, 0.35) {
		return parts.in("plain")
	}
	parts["T"] = one(t.Rand, phrases.Times)
	if t.depth >= 3 && chance(t.Rand, 0.6) {
		return parts.in("time first")
	}
	return parts.in("time")
}

// deep puts the verb, or the part of it that carries the meaning, at the end
// of its German clause.
func (t translator) deep() pair {
	s := t.subject()
	v, objects := t.predicate()
	parts := words{"S": s.pair, "V": v.of(s.form), "O": objects, "B": {v.base, v.infinitive}, "D": {v.done, v.participle}}
	switch t.IntN(4) {
	case 0:
		parts["M"] = one(t.Rand, phrases.Modals).of(s.form)
		return parts.in("modal")
	case 1:
		parts["H"] = [...]pair{third: {"has", "hat"}, firstSingular: {"have", "habe"}, plural: {"have", "haben"}}[s.form]
		return parts.in("perfect")
	case 2:
		parts["C"] = translator{t.Rand, 0}.intransitive()
		return parts.in("because")
	}
	who := t.subject()
	parts["W"], parts["K"] = who.pair, one(t.Rand, phrases.Knowing).of(who.form)
	return parts.in("that")
}

// predicate draws a verb and its objects; from depth 3 on there is a dative.
func (t translator) predicate() (verb, pair) {
	dative := t.depth == 3 || t.depth == 4 && chance(t.Rand, 0.5)
	if !dative {
		return one(t.Rand, phrases.Transitives), t.phrase(one(t.Rand, phrases.ThingNouns), accusative)
	}
	switch t.IntN(5) {
	case 0:
		helped := append(append([]noun{}, phrases.PersonNouns...), phrases.Animals...)
		return one(t.Rand, phrases.DativeVerbs), t.phrase(one(t.Rand, helped), dativeCase)
	case 1, 2:
		to := t.phrase(one(t.Rand, phrases.PersonNouns), dativeCase)
		what := t.phrase(one(t.Rand, phrases.ThingNouns), accusative)
		return one(t.Rand, phrases.Givings), to.then(what)
	case 3:
		what, where := t.phrase(one(t.Rand, phrases.ThingNouns), accusative), t.where()
		return one(t.Rand, phrases.Transitives), what.then(where)
	}
	p := one(t.Rand, phrases.Prepositions)
	what := t.phrase(one(t.Rand, phrases.ThingNouns), accusative)
	who := t.phrase(one(t.Rand, phrases.PersonNouns), p.governs)
	return one(t.Rand, phrases.Transitives), what.then(p.pair).then(who)
}

// where is "in the garden": the dative, with "in dem" drawn together.
func (t translator) where() pair {
	n := one(t.Rand, phrases.PlaceNouns)
	de := "in " + articles[definite][dativeCase][n.gender] + " " + n.de
	return pair{"in the " + n.en, strings.Replace(de, "in dem ", "im ", 1)}
}

// subject is a pronoun, a name or a noun phrase in the nominative.
func (t translator) subject() subject {
	switch k := t.IntN(10); {
	case k < 2:
		return one(t.Rand, phrases.Pronouns)
	case k < 4:
		name := one(t.Rand, phrases.SubjectNames)
		return subject{pair{name, name}, third}
	}
	n := one(t.Rand, phrases.PersonNouns)
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
		list := phrases.ThingAdjectives
		if n.person {
			list = phrases.PersonAdjectives
		}
		a := one(t.Rand, list)
		adj = &a
	}
	return n.inflect(det, adj, c, many), many
}
