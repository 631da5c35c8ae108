package builtin

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// tickets is five-way routing of support tickets. The label is the matter that the writer wants to
// be dealt with. Depth counts the matters that must be distinguished:
//
//	0  one matter
//	1  a second matter is named, and set aside
//	2  two complaints; the last sentence says by name which one is asked
//	3  two complaints; the one asked is pointed at ("the former", "the second point")
//	4  three complaints; one is withdrawn, one of the other two is pointed at
//
// About one ticket in thirty is so vague that a coin decides its queue.
var tickets = load[struct {
	Source Source
	Queues []struct { // in class order: what people complain of, and how they name the matter when they come back to it
		Complaints, Matters []string
	}
	Greetings, Thanks, Vague, Alsos     []string
	SetAside, ByName                    []frame
	PointFirst, PointSecond             []string
	OfTheOthersFirst, OfTheOthersSecond []string
	Slots                               slots
}]("tickets")

func writeTicket(r *rand.Rand, class, depth int) composite {
	var parts []string
	if chance(r, 0.4) {
		parts = append(parts, tickets.Slots.fill(r, one(r, tickets.Greetings)))
	}
	if chance(r, 0.03) {
		parts = append(parts, capital(tickets.Slots.fill(r, one(r, tickets.Vague))))
	} else {
		parts = append(parts, ticket(r, class, depth))
	}
	if chance(r, 0.3) {
		parts = append(parts, tickets.Slots.fill(r, one(r, tickets.Thanks)))
	}
	text := strings.Join(parts, " ")
	return composite{fields: map[string]string{"text": text}, key: text}
}

func ticket(r *rand.Rand, class, depth int) string {
	var others []int
	for i := range tickets.Queues {
		if i != class {
			others = append(others, i)
		}
	}
	others = several(r, others, 2)
	asked, other, third := class, others[0], others[1]
	complaint := func(queue int) string { return tickets.Slots.fill(r, one(r, tickets.Queues[queue].Complaints)) }
	named := func(queue int) string { return one(r, tickets.Queues[queue].Matters) }
	switch depth {
	case 0:
		return sentence(complaint(asked))
	case 1:
		return one(r, tickets.SetAside).fill(named(other), complaint(asked))
	case 2:
		first, second := asked, other
		if chance(r, 0.5) {
			first, second = other, asked
		}
		return sentence(complaint(first)) + also(r, complaint(second)) + " " +
			one(r, tickets.ByName).fill(named(asked), named(other))
	case 3:
		first, second := asked, other
		pointer := one(r, tickets.PointFirst)
		if chance(r, 0.5) {
			first, second, pointer = other, asked, one(r, tickets.PointSecond)
		}
		return sentence(complaint(first)) + also(r, complaint(second)) + " " + pointer
	}
	first, second, pointer := asked, other, one(r, tickets.OfTheOthersFirst)
	if chance(r, 0.5) {
		first, second, pointer = other, asked, one(r, tickets.OfTheOthersSecond)
	}
	all := slices.Insert([]int{first, second}, r.IntN(3), third)
	return sentence(complaint(all[0])) + " " + sentence(complaint(all[1])) + also(r, complaint(all[2])) + " " +
		capital(strings.ReplaceAll(pointer, "GONE", named(third)))
}

// also adds one more complaint, with or without a word that says so.
func also(r *rand.Rand, complaint string) string {
	if chance(r, 0.3) {
		return " " + sentence(complaint)
	}
	return " " + one(r, tickets.Alsos) + " " + complaint + "."
}

// frame is a sentence or two about a matter A and a matter or complaint B.
type frame string

// fill puts a and b in their places and a capital at every start.
func (f frame) fill(a, b string) string {
	text := strings.NewReplacer("A_", a, "B_", b).Replace(string(f))
	parts := strings.Split(text, ". ")
	for i, p := range parts {
		parts[i] = capital(p)
	}
	return strings.Join(parts, ". ")
}
