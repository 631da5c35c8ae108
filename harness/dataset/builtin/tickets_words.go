package builtin

// queue is where a ticket goes: what people complain of, and how the matter
// is named when they come back to it.
type queue struct {
	name       string
	complaints []string
	matters    []string
}

// The words of words/tickets.json; the queues are in class order.
var (
	queues []queue

	greetings, thanks, vague, alsos     []string
	setAside, byName                    []frame
	pointFirst, pointSecond             []string
	ofTheOthersFirst, ofTheOthersSecond []string
	ticketSlots                         slots
)

func (q *queue) UnmarshalJSON(b []byte) error { return tuple(b, &q.name, &q.complaints, &q.matters) }
