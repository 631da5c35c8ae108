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

// The words of words/reviews.json; where there are two lists, that of negative
// reviews comes first.
var (
	strongGood, mildGood, strongBad, mildBad, degrees []string

	turns                 [][]string // by depth
	contrasts             []frame    // A is conceded, B counts
	outweighing           []string
	said, hearsays        []string
	liked, rulings        [2][]string
	negated, twiceNegated []string
	witnesses             []witness
	mockPraise, mockBlame []string
	reviewClosers         []string
	reviewSlots           slots
	venues                []venue
)

func (a *aspect) UnmarshalJSON(b []byte) error { return tuple(b, &a.noun, &a.plural, &a.good, &a.bad) }

func (v *venue) UnmarshalJSON(b []byte) error {
	return tuple(b, &v.openers, &v.aspects, &v.misfortunes, &v.pleasures)
}

func (w *witness) UnmarshalJSON(b []byte) error { return tuple(b, &w.name, &w.pronoun) }
