package builtin

// queue is where a ticket goes: what people complain of, and how the matter
// is named when they come back to it.
type queue struct {
	name       string
	complaints []string
	matters    []string
}

var queues = []queue{
	{"billing", []string{
		"my card was charged twice for the {item}", "the invoice for the {item} shows the wrong amount", "you billed me for {few} {items} but I took one",
		"the {month} bill has a fee on it that I do not understand", "the price on my receipt is higher than the one on your site", "I need an invoice with my company's name on it",
		"the voucher for the {item} was not counted on my bill", "there are {few} payments to you on my {month} statement and I know of one",
	}, []string{"the bill", "the invoice", "the charge", "the payment", "the fee"}},
	{"delivery", []string{
		"the {item} I ordered in {month} has not arrived", "the parcel with the {item} went to my old address", "the courier left my {item} in the rain on {day}",
		"the tracking page has said the same thing since {day}", "you promised the {item} for {day} and nobody came", "only {few} of my {items} were in the box",
		"the driver says he rang on {day}, but I was at home all day", "I would like the {item} to reach me on {day} instead",
	}, []string{"the parcel", "the delivery", "the shipment", "the courier", "the late box"}},
	{"account", []string{
		"I cannot log in since {day}", "the link to reset my password never reaches me", "please change the email address on my profile",
		"somebody else seems to have used my login on {day}", "I want to close my profile with you", "my user name is spelt wrong since {month}",
		"you locked me out after {few} wrong passwords", "I have {few} profiles with you and want to join them",
	}, []string{"the login", "the password", "my profile", "my user name", "the locked access"}},
	{"technical", []string{
		"the app crashes whenever I open the {item} page", "the {item} does not switch on any more", "the screen of the {item} flickers since {day}",
		"your website shows an error when I search for {items}", "the {item} will not connect to my phone", "the update from {month} made the {item} freeze",
		"the {item} beeps {few} times and stops", "the app has used up my battery since the update on {day}",
	}, []string{"the crash", "the error", "the fault", "the broken app", "the update"}},
	{"refund", []string{
		"I sent the {item} back in {month} and want my money", "I would like to return the {item} and be paid back", "you took the {item} back but have not returned what I paid",
		"the {item} was cancelled on {day} and I am still waiting for my money", "please pay me back for the {few} {items} I returned", "the shop on {day} said I could have my money back for the {item}",
		"I was promised half the price back because of the scratched {item}", "I have changed my mind about the {items} and want to send them back",
	}, []string{"the refund", "the return", "the money back", "the repayment", "what you owe me"}},
}

var (
	greetings = []string{
		"Hello.", "Good morning.", "Good evening.", "Dear team.", "Hi there.", "Hello, I am a customer since {month}.", "Dear team, I wrote on {day} as well.",
		"Good morning, this is my {ordinal} message.", "Hi, I am writing for {who}.", "Hello, it is about an order from {month}.", "Dear team, {who} gave me this address.",
	}
	thanks = []string{
		"Thank you.", "Many thanks in advance.", "Kind regards.", "Please answer before {day}.", "I look forward to your reply.", "You can call me on {day}.", "Please write to {who} as well.",
	}
	vague = []string{
		"something is wrong with the {item} I bought in {month}, please call me on {day}.", "I am not happy about the {item}, and {who} told me to write to you.", "could somebody get back to me about the {items} from {month}?",
		"I have a question about my {item}; I have asked {few} times since {day}.",
	}
	setAside = []frame{
		"A_ is settled by now. B_.", "This is not about A_. B_.", "You have already dealt with A_. But B_.", "Forget what I wrote about A_. B_.", "B_. I do not mind about A_.",
		"A_ was fine this time. But B_.", "B_. My colleague will write to you about A_.", "B_. Your answer was about A_, which is not what I asked.", "Last week it was A_. Now B_.", "Thank you for sorting out A_. B_.",
	}
	alsos  = []string{"Also,", "Besides,", "And", "On top of that,"}
	byName = []frame{
		"Please look into A_ first.", "What I ask you to solve is A_.", "B_ can wait. Please see to A_.", "Please see to A_. B_ can wait.", "I only need help with A_.", "Never mind B_.", "I will sort out B_ myself.",
		"It is A_ that worries me, not B_.", "My question is not about B_ but about A_.", "My bank will help me with B_, so leave that aside.",
	}
	pointFirst = []string{
		"Please deal with the first point.", "It is the former that I need help with.", "I have solved the second thing myself.", "The latter can wait.", "Please see to what I named first.", "You may ignore the second point.",
	}
	pointSecond = []string{
		"Please deal with the second point.", "It is the latter that I need help with.", "I have solved the first thing myself.", "The former can wait.", "Please see to what I named last.", "You may ignore the first point.",
	}
	ofTheOthersFirst = []string{
		"Forget GONE; of the other two, please take the former.", "GONE is settled, so look at the first of the two that remain.", "Leave GONE aside, and of the rest the second can wait.",
	}
	ofTheOthersSecond = []string{
		"Forget GONE; of the other two, please take the latter.", "GONE is settled, so look at the second of the two that remain.", "Leave GONE aside, and of the rest the first can wait.",
	}
	ticketSlots = slots{
		"item":    {"lamp", "kettle", "printer", "camera", "radio", "heater", "speaker", "tablet", "toaster", "drill", "watch", "router", "scooter", "blender"},
		"items":   {"lamps", "kettles", "printers", "cameras", "radios", "heaters", "speakers", "tablets", "toasters", "drills", "watches", "routers", "scooters", "blenders"},
		"day":     reviewSlots["day"],
		"month":   reviewSlots["month"],
		"few":     reviewSlots["few"],
		"who":     {"my sister", "my brother", "my wife", "my husband", "my mother", "my father", "a neighbour", "my company", "our school", "my office"},
		"ordinal": {"second", "third", "fourth", "fifth"},
	}
)
