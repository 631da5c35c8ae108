package builtin

// queue is where a ticket goes: what people complain of, and how the matter
// is named when they come back to it.
type queue struct {
	name       string
	complaints []string
	matters    []string
}

// ticketWords are those of words/tickets.json; the queues are in class order.
var ticketWords = load[struct {
	Queues                              []queue
	Greetings, Thanks, Vague, Alsos     []string
	SetAside, ByName                    []frame
	PointFirst, PointSecond             []string
	OfTheOthersFirst, OfTheOthersSecond []string
	Slots                               slots
}]("tickets")

func (q *queue) UnmarshalJSON(b []byte) error { return tuple(b, &q.name, &q.complaints, &q.matters) }
