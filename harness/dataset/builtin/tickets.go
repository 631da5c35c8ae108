package builtin

import (
	"math/rand/v2"
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
func tickets() Source {
	labels := make([]Label, len(ticketWords.Queues))
	for i, q := range ticketWords.Queues {
		labels[i] = Label{q.name, " " + q.name}
	}
	return Source{
		Name:        "tickets",
		Task:        "classification",
		Labels:      labels,
		Prompt:      "Ticket: {text}\nQueue:",
		Fields:      []string{"text"},
		MaxTokens:   1,
		Description: "five-way routing of support tickets; where two matters are named, the one asked decides",
		depths:      []int{26, 24, 22, 17, 11},
		write:       writeTicket,
	}
}

func writeTicket(r *rand.Rand, class, depth int) composite {
	var parts []string
	if chance(r, 0.4) {
		parts = append(parts, ticketWords.Slots.fill(r, one(r, ticketWords.Greetings)))
	}
	if chance(r, 0.03) {
		parts = append(parts, capital(ticketWords.Slots.fill(r, one(r, ticketWords.Vague))))
	} else {
		parts = append(parts, ticket(r, class, depth))
	}
	if chance(r, 0.3) {
		parts = append(parts, ticketWords.Slots.fill(r, one(r, ticketWords.Thanks)))
	}
	text := strings.Join(parts, " ")
	return composite{fields: map[string]string{"text": text}, key: text}
}

func ticket(r *rand.Rand, class, depth int) string {
	others := several(r, otherThan(class), 2)
	asked, other, third := ticketWords.Queues[class], ticketWords.Queues[others[0]], ticketWords.Queues[others[1]]
	complaint := func(q queue) string { return ticketWords.Slots.fill(r, one(r, q.complaints)) }
	named := func(q queue) string { return one(r, q.matters) }
	switch depth {
	case 0:
		return sentence(complaint(asked))
	case 1:
		frame := one(r, ticketWords.SetAside)
		return frame.fill(named(other), complaint(asked))
	case 2:
		first, second := asked, other
		if chance(r, 0.5) {
			first, second = other, asked
		}
		return sentence(complaint(first)) + also(r, complaint(second)) + " " +
			one(r, ticketWords.ByName).fill(named(asked), named(other))
	case 3:
		first, second := asked, other
		pointer := one(r, ticketWords.PointFirst)
		if chance(r, 0.5) {
			first, second, pointer = other, asked, one(r, ticketWords.PointSecond)
		}
		return sentence(complaint(first)) + also(r, complaint(second)) + " " + pointer
	}
	first, second, pointer := asked, other, one(r, ticketWords.OfTheOthersFirst)
	if chance(r, 0.5) {
		first, second, pointer = other, asked, one(r, ticketWords.OfTheOthersSecond)
	}
	all := []queue{first, second}
	at := r.IntN(3)
	all = append(all[:at], append([]queue{third}, all[at:]...)...)
	return sentence(complaint(all[0])) + " " + sentence(complaint(all[1])) + also(r, complaint(all[2])) + " " +
		capital(strings.ReplaceAll(pointer, "GONE", named(third)))
}

// also adds one more complaint, with or without a word that says so.
func also(r *rand.Rand, complaint string) string {
	if chance(r, 0.3) {
		return " " + sentence(complaint)
	}
	return " " + one(r, ticketWords.Alsos) + " " + complaint + "."
}

func otherThan(class int) []int {
	var out []int
	for i := range ticketWords.Queues {
		if i != class {
			out = append(out, i)
		}
	}
	return out
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
