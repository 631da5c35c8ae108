package builtin

import (
	"math/rand/v2"
	"strings"
)

// lookup asks a question about a small passage; the answer is a span of it.
// Depth counts hops and the people among whom to look:
//
//	0  one hop, one fact of each kind: the kind of the question decides
//	1  one hop, two people
//	2  one hop, three or four people, some sentences turned round
//	3  two hops, two or three people
//	4  two hops, four people, some sentences turned round
//
// No two people share a home, a job or a thing, so every question has one answer.
var lookup = load[struct {
	Source                                                           Source
	PersonNames, HomeNames, JobNames, ThingNames, Colours, RoomNames []string

	// By name of a fact, how it is told: plain, with what is usually named last in front; and how it is asked for in both
	// directions, where it is asked for alone.
	Relations map[string]struct {
		Plain             []string
		Turned, Ask, Back string
	}
	TwoHops []struct { // questions through two facts
		Tell        []string // the facts
		Ask, Answer string
	}
}]("lookup")

// person is somebody in a passage, with what is true of them by the {names} of words/lookup.json.
type person map[string]string

// tell fills in what is true of a person.
func (p person) tell(text string) string {
	for name, v := range p {
		text = strings.ReplaceAll(text, "{"+name+"}", v)
	}
	return text
}

func writeLookup(r *rand.Rand, _, depth int) composite {
	if depth == 0 { // where one person lives, what another does and what a third owns
		people := cast(r, len(asked))
		var facts []string
		for i, what := range asked {
			facts = append(facts, fact(r, people[i], what, false))
		}
		i := r.IntN(len(asked))
		question, answer := ask(people[i], asked[i], false)
		return passage(r, facts, question, answer)
	}
	count := []int{0, 2, 3 + r.IntN(2), 2 + r.IntN(2), 4}[depth]
	people := cast(r, count)
	turned := 0.0
	if depth == 2 || depth == 4 {
		turned = 0.3
	}
	// The passage states two relations for every person; a question needs one or both.
	var told []string
	var question, answer string
	p := people[r.IntN(count)]
	if depth < 3 {
		told = several(r, asked, 2)
		back := chance(r, 0.35)
		question, answer = ask(p, one(r, told), back)
	} else {
		h := one(r, lookup.TwoHops)
		told, question, answer = h.Tell, p.tell(h.Ask), p[h.Answer]
	}
	var facts []string
	for _, p := range people {
		for _, what := range told {
			facts = append(facts, fact(r, p, what, chance(r, turned)))
		}
	}
	return passage(r, facts, question, answer)
}

// asked are the relations that a question may ask for alone.
var asked = []string{"home", "job", "thing"}

// fact writes a fact about a person; if turned, what is usually named last comes first.
func fact(r *rand.Rand, p person, what string, turned bool) string {
	plain := lookup.Relations[what].Plain
	said := plain[0]
	if n := len(plain); n > 1 { // one way draws nothing
		said = plain[r.IntN(n)]
	}
	if turned {
		said = lookup.Relations[what].Turned
	}
	return sentence(p.tell(said))
}

// ask asks for what is true of a person, or for the person by it.
func ask(p person, what string, back bool) (question, answer string) {
	if back {
		return p.tell(lookup.Relations[what].Back), p["name"]
	}
	return p.tell(lookup.Relations[what].Ask), p[what]
}

// passage shuffles the facts and joins them.
func passage(r *rand.Rand, facts []string, question, answer string) composite {
	r.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	context := strings.Join(facts, " ")
	return composite{
		fields:     map[string]string{"context": context, "question": question},
		key:        context,
		references: []string{answer},
	}
}

// cast draws people who differ in everything. Friends form a ring, so that
// everybody has one friend and is the friend of one.
func cast(r *rand.Rand, count int) []person {
	names, homes := several(r, lookup.PersonNames, count), several(r, lookup.HomeNames, count)
	jobs, nouns := several(r, lookup.JobNames, count), several(r, lookup.ThingNames, count)
	rooms := several(r, lookup.RoomNames, count)
	people := make([]person, count)
	for i := range people {
		t := nouns[i]
		if chance(r, 0.4) {
			t = one(r, lookup.Colours) + " " + t
		}
		people[i] = person{"name": names[i], "home": homes[i], "job": jobs[i], "a job": article(jobs[i]), "thing": t,
			"room": rooms[i], "friend": names[(i+1)%count], "friend's home": homes[(i+1)%count],
			"friend's job": jobs[(i+1)%count]}
	}
	return people
}
