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

// reviewWords are those of words/reviews.json; where there are two lists, that of negative reviews comes first.
var reviewWords = load[struct {
	StrongGood, MildGood, StrongBad, MildBad, Degrees []string

	Turns                 [][]string // by depth
	Contrasts             []frame    // A is conceded, B counts
	Outweighing           []string
	Reports, Hearsays     []string
	Liked, Rulings        [2][]string
	Negated, TwiceNegated []string
	Witnesses             []witness
	MockPraise, MockBlame []string
	Closers               []string
	Slots                 slots
	Venues                []venue
}]("reviews")

func (a *aspect) UnmarshalJSON(b []byte) error { return tuple(b, &a.noun, &a.plural, &a.good, &a.bad) }

func (v *venue) UnmarshalJSON(b []byte) error {
	return tuple(b, &v.openers, &v.aspects, &v.misfortunes, &v.pleasures)
}

func (w *witness) UnmarshalJSON(b []byte) error { return tuple(b, &w.name, &w.pronoun) }
