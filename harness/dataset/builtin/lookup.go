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

// person is somebody in a passage with everything that is true of them.
type person struct {
	name, home, job, thing, room string
	friend                       int // index of another person
}

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
	var told []relation
	var question, answer string
	subject := r.IntN(count)
	p := people[subject]
	if depth < 3 {
		told = several(r, []relation{home, job, thing}, 2)
		question, answer = oneHop(r, p, told)
	} else {
		told, question, answer = twoHops(r, people, subject)
	}
	var facts []string
	for i := range people {
		for _, rel := range told {
			facts = append(facts, rel.tell(r, people, i, chance(r, turned)))
		}
	}
	return passage(r, facts, question, answer)
}

// oneOfEach tells where one person lives, what another does and what a third
// owns, and asks for one of the three.
func oneOfEach(r *rand.Rand) composite {
	people := cast(r, 3)
	relations := []relation{home, job, thing}
	var facts []string
	for i, rel := range relations {
		facts = append(facts, rel.tell(r, people, i, false))
	}
	i := r.IntN(len(relations))
	question, answer := relations[i].ask(people[i], false)
	return passage(r, facts, question, answer)
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
	names, homes, jobs := several(r, personNames, count), several(r, homeNames, count), several(r, jobNames, count)
	nouns, rooms := several(r, thingNames, count), several(r, roomNames, count)
	people := make([]person, count)
	for i := range people {
		t := nouns[i]
		if chance(r, 0.4) {
			t = one(r, colours) + " " + t
		}
		people[i] = person{names[i], homes[i], jobs[i], t, rooms[i], (i + 1) % count}
	}
	return people
}

// relation is a kind of fact.
type relation int

const (
	home   relation = iota // Anna lives in Bern.
	job                    // Anna is a baker.
	thing                  // Anna owns the red kite.
	place                  // The red kite is in the cellar.
	friend                 // Anna's friend is Karl.
)

// tell writes a fact about person i; if turned, what is usually named last comes first.
func (rel relation) tell(r *rand.Rand, people []person, i int, turned bool) string {
	p := people[i]
	plain, round := "", ""
	switch rel {
	case home:
		plain, round = p.name+one(r, []string{" lives in ", " has a flat in "})+p.home, p.home+" is where "+p.name+" lives"
	case job:
		plain, round = p.name+" is "+article(p.job), "the "+p.job+" is called "+p.name
	case thing:
		plain, round = p.name+" owns the "+p.thing, "the "+p.thing+" belongs to "+p.name
	case place:
		plain, round = "the "+p.thing+" is in the "+p.room, "in the "+p.room+" is the "+p.thing
	case friend:
		f := people[p.friend].name
		plain, round = p.name+"'s friend is "+f, f+" is the friend of "+p.name
	}
	if turned {
		return sentence(round)
	}
	return sentence(plain)
}

// oneHop asks for one stated relation of p, in either direction.
func oneHop(r *rand.Rand, p person, told []relation) (question, answer string) {
	back := chance(r, 0.35)
	return one(r, told).ask(p, back)
}

// ask asks for the relation of p, or for p by the relation.
func (rel relation) ask(p person, back bool) (question, answer string) {
	switch {
	case rel == home && back:
		return "Who lives in " + p.home + "?", p.name
	case rel == home:
		return "Where does " + p.name + " live?", p.home
	case rel == job && back:
		return "Who is " + article(p.job) + "?", p.name
	case rel == job:
		return "What is the job of " + p.name + "?", p.job
	case rel == thing && back:
		return "Who owns the " + p.thing + "?", p.name
	case rel == thing:
		return "What does " + p.name + " own?", p.thing
	}
	panic("builtin: nobody asks for this relation alone")
}

// twoHops asks through a second fact, and returns the relations that the passage must state.
func twoHops(r *rand.Rand, people []person, subject int) (told []relation, question, answer string) {
	p := people[subject]
	f := people[p.friend]
	switch r.IntN(8) {
	case 0:
		return []relation{job, home}, "Where does the " + p.job + " live?", p.home
	case 1:
		return []relation{thing, home}, "Where does the owner of the " + p.thing + " live?", p.home
	case 2:
		return []relation{job, thing}, "What does the " + p.job + " own?", p.thing
	case 3:
		return []relation{job, home}, "What is the job of the person in " + p.home + "?", p.job
	case 4:
		return []relation{friend, home}, "Where does the friend of " + p.name + " live?", f.home
	case 5:
		return []relation{friend, job}, "What is the job of the friend of " + p.name + "?", f.job
	case 6:
		return []relation{thing, place}, "In which room is the thing that " + p.name + " owns?", p.room
	}
	return []relation{thing, job}, "What is the job of the owner of the " + p.thing + "?", p.job
}

// The words of words/lookup.json.
var personNames, homeNames, jobNames, thingNames, colours, roomNames []string
