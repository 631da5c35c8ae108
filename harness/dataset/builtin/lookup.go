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
// No two people share a home, a job or a thing, so every question has one
// answer.
func lookup() Source {
	return Source{
		Name:        "lookup",
		Task:        "qa",
		Prompt:      "Passage: {context}\nQuestion: {question}\nAnswer:",
		Fields:      []string{"context", "question"},
		MaxTokens:   8,
		Description: "questions about a small passage, one and two hops; the answer is a span",
		depths:      []int{32, 24, 18, 14, 12},
		write:       writeLookup,
	}
}

// person is somebody in a passage, with what is true of them by the {names} of words/lookup.json.
type person map[string]string

// tell fills in what is true of a person.
func (p person) tell(text string) string {
	for name, v := range p {
		text = strings.ReplaceAll(text, "{"+name+"}", v)
	}
	return text
}

// relation is a kind of fact, in words: plain, with what is usually named last in front, and asked in both directions;
// "" = nobody asks for it alone.
type relation struct {
	plain             []string
	turned, ask, back string
}

func (r *relation) UnmarshalJSON(b []byte) error {
	return tuple(b, &r.plain, &r.turned, &r.ask, &r.back)
}

// hops is a question through two facts, and what its answer is.
type hops struct{ first, second, ask, answer string }

func (h *hops) UnmarshalJSON(b []byte) error { return tuple(b, &h.first, &h.second, &h.ask, &h.answer) }

func writeLookup(r *rand.Rand, _, depth int) composite {
	if depth == 0 {
		return oneOfEach(r)
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
		h := one(r, lookupWords.TwoHops)
		told, question, answer = []string{h.first, h.second}, p.tell(h.ask), p[h.answer]
	}
	var facts []string
	for _, p := range people {
		for _, what := range told {
			facts = append(facts, fact(r, p, what, chance(r, turned)))
		}
	}
	return passage(r, facts, question, answer)
}

// oneOfEach tells where one person lives, what another does and what a third
// owns, and asks for one of the three.
func oneOfEach(r *rand.Rand) composite {
	people := cast(r, len(asked))
	var facts []string
	for i, what := range asked {
		facts = append(facts, fact(r, people[i], what, false))
	}
	i := r.IntN(len(asked))
	question, answer := ask(people[i], asked[i], false)
	return passage(r, facts, question, answer)
}

// asked are the relations that a question may ask for alone.
var asked = []string{"home", "job", "thing"}

// fact writes a fact about a person; if turned, what is usually named last comes first.
func fact(r *rand.Rand, p person, what string, turned bool) string {
	said := lookupWords.Relations[what].plain[0]
	if n := len(lookupWords.Relations[what].plain); n > 1 {
		said = lookupWords.Relations[what].plain[r.IntN(n)]
	}
	if turned {
		said = lookupWords.Relations[what].turned
	}
	return sentence(p.tell(said))
}

// ask asks for what is true of a person, or for the person by it.
func ask(p person, what string, back bool) (question, answer string) {
	if back {
		return p.tell(lookupWords.Relations[what].back), p["name"]
	}
	return p.tell(lookupWords.Relations[what].ask), p[what]
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
	names, homes := several(r, lookupWords.PersonNames, count), several(r, lookupWords.HomeNames, count)
	jobs, nouns := several(r, lookupWords.JobNames, count), several(r, lookupWords.ThingNames, count)
	rooms := several(r, lookupWords.RoomNames, count)
	people := make([]person, count)
	for i := range people {
		t := nouns[i]
		if chance(r, 0.4) {
			t = one(r, lookupWords.Colours) + " " + t
		}
		people[i] = person{"name": names[i], "home": homes[i], "job": jobs[i], "a job": article(jobs[i]), "thing": t,
			"room": rooms[i], "friend": names[(i+1)%count], "friend's home": homes[(i+1)%count],
			"friend's job": jobs[(i+1)%count]}
	}
	return people
}

// lookupWords are those of words/lookup.json.
var lookupWords = load[struct {
	PersonNames, HomeNames, JobNames, ThingNames, Colours, RoomNames []string

	Relations map[string]relation
	TwoHops   []hops
}]("lookup")
