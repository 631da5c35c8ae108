package builtin

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// phrasebook is English to German. The sentences are built in both languages at once, so that the reference is right
// by rule. Depth counts what the German needs and the English hides:
//
//	0  one or two clauses without an object: the gender of the article
//	1  an object in the accusative
//	2  adjectives, possessives and plurals: endings that follow gender, number and case
//	3  datives: indirect objects, dative verbs, prepositions; the verb second after a time
//	4  the verb or half of it at the end: modal, perfect, a clause with because or that
var phrasebook = load[struct {
	Source                                  Source
	PersonNouns, ThingNouns, PlaceNouns     []noun
	Animals                                 []noun // they do what needs no object, and may be helped or thanked
	PersonAdjectives, ThingAdjectives       []pair
	Adverbs, Times                          []pair
	Pronouns                                []subject
	SubjectNames                            []string
	Intransitives, Transitives, DativeVerbs []verb
	Givings, Modals, Knowing                []verb
	Have                                    verb
	Prepositions                            []preposition
	Orders                                  map[string]pair
	Articles, Endings                       map[string]table // by determiner: the possessive is "my"
}]("phrasebook")

func writePhrase(r *rand.Rand, _, depth int) composite {
	t := translator{r, depth}
	var p pair
	switch depth {
	case 0:
		p = t.intransitive()
		if chance(r, 0.6) {
			q := t.intransitive()
			join := one(r, []pair{{" and", " und"}, {", but", ", aber"}})
			p = pair{p.En + join.En, p.De + join.De}.then(q)
		}
	case 1, 2, 3:
		p = t.main()
		if depth == 1 && chance(r, 0.4) {
			p = p.then(pair{"and", "und"}).then(t.intransitive())
		}
	default:
		p = t.deep()
	}
	en, de := sentence(p.En), sentence(p.De)
	return composite{fields: map[string]string{"source": en}, key: en, references: []string{de}}
}

// pair is the same words in both languages.
type pair struct{ En, De string }

// noun is a word in both languages.
type noun struct {
	En, Ens, De, Des string // singular, plural nominative
	Gender           string
	Person           bool
	Weak             bool // adds n in every case but the nominative
}

// verb has the forms the sentences need: the base and the infinitive, the participle, and by person and number.
type verb struct {
	Base, Done pair
	Forms      map[string]pair // third, first-singular, plural
}

type subject struct {
	pair
	Form string // of the verb
}

// preposition governs one case.
type preposition struct {
	pair
	Governs string
}

// table is what follows a determiner, or stands for it, by case and by gender or "plural". The genitive is not taught.
type table map[string]map[string]string

// then is a pair with another behind it.
func (p pair) then(q pair) pair { return pair{p.En + " " + q.En, p.De + " " + q.De} }

// words are the parts of a sentence, by their letters in the orders of words/phrasebook.json.
type words map[string]pair

// in puts the words in an order of each language.
func (w words) in(name string) pair {
	var en, de []string
	for letter, p := range w {
		en, de = append(en, letter, p.En), append(de, letter, p.De)
	}
	order := phrasebook.Orders[name]
	return pair{strings.NewReplacer(en...).Replace(order.En), strings.NewReplacer(de...).Replace(order.De)}
}

// translator builds sentences of one depth.
type translator struct {
	*rand.Rand
	depth int
}

// intransitive is a clause without an object, perhaps with an adverb.
func (t translator) intransitive() pair {
	s, v := t.subject(), one(t.Rand, phrasebook.Intransitives)
	if chance(t.Rand, 0.2) {
		animal, _ := translator{t.Rand, 0}.nounPhrase(one(t.Rand, phrasebook.Animals), "nominative")
		s = subject{animal, "third"}
	}
	p := s.pair.then(v.Forms[s.Form])
	if chance(t.Rand, 0.75) {
		p = p.then(one(t.Rand, phrasebook.Adverbs))
	}
	return p
}

// main is a main clause with its objects, perhaps with a time in front.
func (t translator) main() pair {
	s := t.subject()
	v, objects := t.predicate()
	parts := words{"S": s.pair, "V": v.Forms[s.Form], "O": objects}
	if !chance(t.Rand, 0.35) {
		return parts.in("plain")
	}
	parts["T"] = one(t.Rand, phrasebook.Times)
	if t.depth >= 3 && chance(t.Rand, 0.6) {
		return parts.in("time first")
	}
	return parts.in("time")
}

// deep puts the verb, or the part of it that carries the meaning, at the end of its German clause.
func (t translator) deep() pair {
	s := t.subject()
	v, objects := t.predicate()
	parts := words{"S": s.pair, "V": v.Forms[s.Form], "O": objects, "B": v.Base, "D": v.Done}
	switch t.IntN(4) {
	case 0:
		parts["M"] = one(t.Rand, phrasebook.Modals).Forms[s.Form]
		return parts.in("modal")
	case 1:
		parts["H"] = phrasebook.Have.Forms[s.Form]
		return parts.in("perfect")
	case 2:
		parts["C"] = translator{t.Rand, 0}.intransitive()
		return parts.in("because")
	}
	who := t.subject()
	parts["W"], parts["K"] = who.pair, one(t.Rand, phrasebook.Knowing).Forms[who.Form]
	return parts.in("that")
}

// predicate draws a verb and its objects; from depth 3 on there is a dative.
func (t translator) predicate() (verb, pair) {
	dative := t.depth == 3 || t.depth == 4 && chance(t.Rand, 0.5)
	if !dative {
		return one(t.Rand, phrasebook.Transitives), t.phrase(one(t.Rand, phrasebook.ThingNouns), "accusative")
	}
	switch t.IntN(5) {
	case 0:
		helped := slices.Concat(phrasebook.PersonNouns, phrasebook.Animals)
		return one(t.Rand, phrasebook.DativeVerbs), t.phrase(one(t.Rand, helped), "dative")
	case 1, 2:
		to := t.phrase(one(t.Rand, phrasebook.PersonNouns), "dative")
		what := t.phrase(one(t.Rand, phrasebook.ThingNouns), "accusative")
		return one(t.Rand, phrasebook.Givings), to.then(what)
	case 3:
		what, place := t.phrase(one(t.Rand, phrasebook.ThingNouns), "accusative"), one(t.Rand, phrasebook.PlaceNouns)
		de := "in " + phrasebook.Articles["definite"]["dative"][place.Gender] + " " + place.De
		where := pair{"in the " + place.En, strings.Replace(de, "in dem ", "im ", 1)} // which are drawn together
		return one(t.Rand, phrasebook.Transitives), what.then(where)
	}
	p := one(t.Rand, phrasebook.Prepositions)
	what := t.phrase(one(t.Rand, phrasebook.ThingNouns), "accusative")
	who := t.phrase(one(t.Rand, phrasebook.PersonNouns), p.Governs)
	return one(t.Rand, phrasebook.Transitives), what.then(p.pair).then(who)
}

// subject is a pronoun, a name or a noun phrase in the nominative.
func (t translator) subject() subject {
	switch k := t.IntN(10); {
	case k < 2:
		return one(t.Rand, phrasebook.Pronouns)
	case k < 4:
		name := one(t.Rand, phrasebook.SubjectNames)
		return subject{pair{name, name}, "third"}
	}
	n := one(t.Rand, phrasebook.PersonNouns)
	p, many := t.nounPhrase(n, "nominative")
	if many {
		return subject{p, "plural"}
	}
	return subject{p, "third"}
}

func (t translator) phrase(n noun, in string) pair {
	p, _ := t.nounPhrase(n, in)
	return p
}

// nounPhrase draws a determiner, perhaps an adjective, and the number, for a case.
func (t translator) nounPhrase(n noun, in string) (p pair, many bool) {
	det := "definite"
	switch k := t.IntN(10); {
	case k < 4:
		det = "indefinite"
	case k < 6 && t.depth >= 2:
		det = "possessive"
	}
	many = t.depth >= 2 && chance(t.Rand, 0.3)
	if many && det == "indefinite" {
		det = "definite"
	}
	var adj pair
	if t.depth >= 2 && chance(t.Rand, 0.5) {
		list := phrasebook.ThingAdjectives
		if n.Person {
			list = phrasebook.PersonAdjectives
		}
		adj = one(t.Rand, list)
	}
	return n.inflect(det, adj, in, many), many
}

// inflect writes determiner, adjective, where there is one, and noun.
func (n noun) inflect(det string, adj pair, in string, many bool) pair {
	column, en, de := n.Gender, n.En, n.De
	if many {
		column, en, de = "plural", n.Ens, n.Des
		if in == "dative" && !strings.HasSuffix(de, "n") && !strings.HasSuffix(de, "s") {
			de += "n"
		}
	} else if n.Weak && in != "nominative" {
		de += "n"
	}
	german := phrasebook.Articles[det][in][column] + " "
	if adj.De != "" {
		german += strings.TrimSuffix(adj.De, "e") + phrasebook.Endings[det][in][column] + " "
		en = adj.En + " " + en
	}
	english := map[string]string{"definite": "the " + en, "indefinite": article(en), "possessive": "my " + en}
	return pair{english[det], german + de}
}
