package builtin

// aspect is a thing a review speaks of, with adjectives that suit only it.
type aspect struct {
	noun      string
	plural    bool
	good, bad []string
}

// venue is a kind of place or product that is reviewed.
type venue struct {
	openers     []string
	aspects     []aspect
	misfortunes []string // after mock praise
	pleasures   []string // after a mock complaint
}

// witness is somebody whose verdict is reported.
type witness struct{ name, pronoun string }

var (
	strongGood = []string{"wonderful", "superb", "excellent", "brilliant", "delightful", "outstanding"}
	mildGood   = []string{"good", "nice", "pleasant", "decent"}
	strongBad  = []string{"awful", "terrible", "dreadful", "horrible", "appalling", "dismal"}
	mildBad    = []string{"poor", "weak", "disappointing", "mediocre"}
	degrees    = []string{"", "", "", "really ", "truly ", "simply ", "quite "}
	liked      = [2][]string{
		{"hated", "disliked", "could not stand", "regretted"},
		{"loved", "enjoyed", "adored", "admired"},
	}
	negated = []string{
		"NOUN WAS not ADJ", "NOUN WAS not ADJ at all", "NOUN WAS never ADJ", "nobody could call NOUN ADJ",
		"NOUN WAS anything but ADJ", "NOUN WAS far from ADJ", "I cannot say that NOUN WAS ADJ", "I would not call NOUN ADJ",
	}
	twiceNegated = []string{
		"nobody could say that NOUN WAS not ADJ", "it would be wrong to say that NOUN WAS not ADJ",
		"I do not believe that NOUN WAS anything but ADJ", "there was never a moment when NOUN WAS not ADJ",
		"I cannot claim that NOUN WAS far from ADJ", "it is not true that NOUN WAS never ADJ",
	}
	witnesses = []witness{
		{"my sister", "she"}, {"my brother", "he"}, {"my wife", "she"}, {"my husband", "he"}, {"a friend", "she"}, {"my neighbour", "he"},
		{"my colleague", "she"}, {"my father", "he"}, {"my mother", "she"}, {"my cousin", "he"}, {"the critic", "he"}, {"our guide", "she"},
	}
	rulings = [2][]string{
		{"WHO was wrong.", "WHO could not have been more wrong.", "That is not what I found.", "Not true.", "I disagree.", "WHO must have meant another one.", "It turned out otherwise."},
		{"WHO was right.", "WHO could not have been more right.", "That is exactly what I found.", "How true.", "I agree.", "And so it was.", "It turned out just so."},
	}
	mockPraise = []string{
		"Oh great,", "How lovely:", "Just what I needed:", "Well done, everyone:", "Five stars for", "What a treat:", "Many thanks for",
		"I could not have been happier with", "My favourite part was", "Nothing says luxury like", "Do come if you love",
	}
	mockBlame = []string{
		"My only complaint:", "What a disaster:", "I blame them entirely:", "One star less because", "Be warned:", "The one thing I hold against them:",
		"I shall never forgive them:", "A serious problem:", "Terrible, really:", "Stay away if you have no time, because",
	}
	reviewClosers = []string{
		"That is all I have to say.", "Make of that what you will.", "We were there on {day}.", "I paid with my own money.",
		"This is my first review.", "I may add photos later.", "So much for our {day}.", "Your view may differ.",
	}
	reviewSlots = slots{
		"day":    {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
		"month":  {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		"who":    {"my sister", "my brother", "my wife", "my husband", "two friends", "my parents", "a colleague", "the children", "my cousin", "our neighbours", "my aunt", "an old friend"},
		"kin":    {"my parents", "the children", "our neighbours", "two friends", "my cousins", "my sisters", "my brothers", "my colleagues"},
		"often":  {"once more", "for the second time", "for the third time", "every month", "every week", "with my sister", "with my brother", "on a bigger screen"},
		"feast":  {"a birthday", "an anniversary", "a quiet evening", "a family dinner", "a long weekend", "a business lunch", "a first date", "our holiday"},
		"number": {"twenty", "thirty", "forty", "fifty", "sixty", "ninety"},
		"dish":   {"soup", "salad", "pie", "curry", "pasta", "stew", "tea", "coffee"},
		"few":    {"two", "three", "four", "five"},
		"again":  {"again", "once more", "for the second time", "for the third time", "as usual"},
	}
)

var venues = []venue{
	{
		openers: []string{"We came here for {feast} in {month}.", "I had dinner here with {who} last {day}.", "We booked a table for {few} on a {day} in {month}.", "I took {who} here for {feast}."},
		aspects: []aspect{
			{"the soup", false, []string{"tasty", "fresh"}, []string{"bland", "cold", "salty"}},
			{"the service", false, []string{"friendly", "attentive", "quick"}, []string{"rude", "slow", "careless"}},
			{"the waiter", false, []string{"charming", "friendly", "patient"}, []string{"rude", "grumpy", "impatient"}},
			{"the wine", false, []string{"smooth", "rich"}, []string{"sour", "watery"}},
			{"the dessert", false, []string{"tasty", "light"}, []string{"stale", "bland"}},
			{"the portions", true, []string{"generous", "filling"}, []string{"tiny", "stingy"}},
			{"the fish", false, []string{"fresh", "tender"}, []string{"dry", "stale"}},
			{"the bread", false, []string{"crisp", "fresh"}, []string{"stale", "soggy"}},
			{"the music", false, []string{"soothing", "charming"}, []string{"deafening", "annoying"}},
			{"the terrace", false, []string{"sunny", "charming"}, []string{"noisy", "cramped"}},
		},
		misfortunes: []string{"{number} minutes of waiting for a glass of water", "a hair in my {dish}", "a cold {dish} that came back cold {again}", "a {dish} spilt over my new coat", "a bill with {few} things we never ordered", "an evening spent beside the toilets {again}", "the taste of burnt {dish} for {few} days"},
		pleasures:   []string{"I can no longer enjoy my own {dish}", "my plate was empty before I could take a photo", "now {kin} want to come back every {day}", "I ate so much {dish} that I could hardly walk home", "they nearly had to throw us out after {few} hours", "I have dreamt of their {dish} every night since {day}"},
	},
	{
		openers: []string{"We stayed for {few} nights in {month}.", "I spent {feast} here with {who}.", "We arrived late on a {day} in {month}.", "I booked {few} rooms for {who} and myself."},
		aspects: []aspect{
			{"the room", false, []string{"spotless", "spacious", "cosy"}, []string{"filthy", "cramped", "stuffy"}},
			{"the bed", false, []string{"soft", "comfortable"}, []string{"lumpy", "uncomfortable"}},
			{"the breakfast", false, []string{"generous", "fresh", "tasty"}, []string{"stingy", "stale", "bland"}},
			{"the staff", true, []string{"friendly", "helpful", "attentive"}, []string{"rude", "unhelpful", "careless"}},
			{"the view", false, []string{"stunning", "breathtaking"}, []string{"gloomy", "ugly"}},
			{"the pool", false, []string{"spotless", "refreshing"}, []string{"filthy", "freezing"}},
			{"the lobby", false, []string{"elegant", "cosy"}, []string{"shabby", "gloomy"}},
			{"the towels", true, []string{"fresh", "soft"}, []string{"damp", "filthy"}},
			{"the garden", false, []string{"peaceful", "charming"}, []string{"neglected", "ugly"}},
			{"the shower", false, []string{"refreshing", "reliable"}, []string{"freezing", "leaky"}},
		},
		misfortunes: []string{"{few} nights without hot water", "a drill outside our window from six o'clock on {day}", "a lift that was broken {again}", "{number} minutes at the desk before anyone looked up", "somebody else's hair in the bath {again}", "a view of {few} bins and a wall", "a party next door that ended on {day} at dawn"},
		pleasures:   []string{"after {few} nights I did not want to go home", "my own bed feels like a plank now", "we slept so well that we missed {feast}", "{kin} now refuse to stay anywhere else", "we left on {day} with tears in our eyes", "we came for {few} nights and had to stay for ten"},
	},
	{
		openers: []string{"I saw this film with {who} on {day}.", "We watched it on a rainy {day} in {month}.", "I went to see it after {feast}.", "I spent {few} hours in the cinema with {who}."},
		aspects: []aspect{
			{"the plot", false, []string{"gripping", "clever"}, []string{"confusing", "predictable", "silly"}},
			{"the acting", false, []string{"moving", "convincing"}, []string{"wooden", "clumsy"}},
			{"the ending", false, []string{"moving", "satisfying", "clever"}, []string{"predictable", "silly", "rushed"}},
			{"the dialogue", false, []string{"witty", "sharp"}, []string{"clumsy", "wooden", "tedious"}},
			{"the music", false, []string{"moving", "haunting"}, []string{"annoying", "deafening"}},
			{"the jokes", true, []string{"witty", "funny"}, []string{"stale", "silly"}},
			{"the pictures", true, []string{"stunning", "breathtaking"}, []string{"ugly", "blurry"}},
			{"the hero", false, []string{"charming", "convincing"}, []string{"wooden", "annoying"}},
			{"the villain", false, []string{"sinister", "convincing"}, []string{"silly", "clumsy"}},
			{"the first act", false, []string{"gripping", "funny"}, []string{"tedious", "confusing"}},
		},
		misfortunes: []string{"{number} minutes of people staring at a lake", "{few} hours that I will never get back", "an ending that I guessed after {number} seconds", "the soundest sleep I have had since {month}", "the same joke {again}", "a plot with {few} holes in every scene", "a hero who forgets his own name {again}"},
		pleasures:   []string{"I laughed so much that {who} moved to another row", "it was over after what felt like {few} minutes", "now I must see it {often}", "I have had no sleep since {day} for thinking about it", "I ran out of handkerchiefs after {number} minutes", "every film I have seen since {month} looks grey beside it"},
	},
	{
		openers: []string{"I bought this phone for {who} in {month}.", "It arrived on a {day} in {month}.", "I have used it every day since {month}.", "{few} weeks ago I gave this phone to {who}."},
		aspects: []aspect{
			{"the battery", false, []string{"reliable", "durable"}, []string{"feeble", "unreliable"}},
			{"the screen", false, []string{"sharp", "bright"}, []string{"blurry", "dim"}},
			{"the camera", false, []string{"sharp", "quick"}, []string{"blurry", "slow"}},
			{"the sound", false, []string{"clear", "rich"}, []string{"tinny", "muffled"}},
			{"the keyboard", false, []string{"comfortable", "quick"}, []string{"clumsy", "sticky"}},
			{"the case", false, []string{"sturdy", "elegant"}, []string{"flimsy", "ugly"}},
			{"the buttons", true, []string{"sturdy", "handy"}, []string{"sticky", "wobbly"}},
			{"the manual", false, []string{"clear", "helpful"}, []string{"confusing", "useless"}},
			{"the speed", false, []string{"impressive", "amazing"}, []string{"sluggish", "annoying"}},
			{"the price", false, []string{"fair", "reasonable"}, []string{"outrageous", "unfair"}},
		},
		misfortunes: []string{"a battery that lasts {number} minutes", "a screen that went black {again}", "{few} calls to a helpline that never answers", "a charger that melted on {day}", "an update that deleted {few} years of photos", "a phone that restarts {again} whenever I need it", "a crack that appeared after {few} days in a drawer"},
		pleasures:   []string{"I have not spoken to {who} since {day} because I cannot put it down", "{kin} keep stealing it from me", "my old phone looks like a brick now", "I keep forgetting where I put the charger, as I need it every {few} days", "now I take {number} photos of every {dish}", "I had to buy {few} more for the family"},
	},
}
