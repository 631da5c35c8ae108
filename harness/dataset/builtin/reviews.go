package builtin

import (
	"math/rand/v2"
	"strings"
)

// reviews is two-way sentiment. The label is what the writer thinks in the
// end. Depth counts what turns or overrides the sentiment on the surface:
//
//	0  said plainly
//	1  one negation, one contrast, plain irony, or a mixed opinion
//	2  a contrast with a negation in it, a double negation, someone else's verdict confirmed or denied
//	3  a denied verdict that holds a negation, a contrast of such, irony behind praise that is meant
//	4  a verdict about a verdict, or contrast, verdict and negation together
//
// One row of depth 1 in five is mixed: two aspects that disagree, where the stronger word decides and, between words
// of equal strength (half of them), a coin: 2.6 % of all rows.
var reviews = load[struct {
	Source                       Source
	Strong, Mild, Liked, Rulings [2][]string // of bad and of good
	Mock                         [2][]string // mock praise, which is bad, and mock complaints
	Negated                      [2][]string // once and twice
	Turns                        [][]string  // by depth
	Contrasts                    []frame     // A is conceded, B counts
	Degrees, Outweighing         []string
	Reports, Hearsays, Closers   []string
	Slots                        slots
	Witnesses                    []witness
	Venues                       []venue
}]("reviews")

// venue is a kind of place or product that is reviewed.
type venue struct {
	Openers   []string
	Aspects   []aspect
	Surprises [2][]string // misfortunes and pleasures
}

// aspect is a thing a review speaks of, with adjectives that suit only it, bad and good.
type aspect struct {
	Noun   string
	Plural bool
	Words  [2][]string
}

// witness is somebody whose verdict is reported.
type witness struct{ Name, Pronoun string }

// critic writes one review of one venue.
type critic struct {
	*rand.Rand
	venue   venue
	aspects []aspect // those not yet spoken of, shuffled
}

func writeReview(r *rand.Rand, class, depth int) composite {
	v := one(r, reviews.Venues)
	c := &critic{r, v, several(r, v.Aspects, len(v.Aspects))}
	good := class == 1
	var parts []string
	if chance(r, 0.45) {
		parts = append(parts, capital(reviews.Slots.fill(r, one(r, v.Openers))))
	}
	parts = append(parts, c.review(good, depth))
	if chance(r, 0.2) {
		parts = append(parts, reviews.Slots.fill(r, one(r, reviews.Closers)))
	}
	text := strings.Join(parts, " ")
	return composite{fields: map[string]string{"text": text}, key: text}
}

// review draws a turn of this depth, in the words of words/reviews.json: what is done, and with how many negations.
func (c *critic) review(good bool, depth int) string {
	turn := reviews.Turns[depth][0]
	if len(reviews.Turns[depth]) > 1 {
		turn = one(c.Rand, reviews.Turns[depth])
	}
	words := strings.Fields(turn)
	var n [2]int
	for i, w := range words[1:] {
		n[i] = int(w[0] - '0')
	}
	switch words[0] {
	case "plain":
		text := sentence(c.judge(good, 0))
		if chance(c.Rand, 0.35) {
			text += " " + sentence(c.judge(good, 0))
		}
		return text
	case "say":
		return sentence(c.judge(good, n[0]))
	case "mixed":
		return c.mixed(good)
	case "irony":
		return c.irony(good)
	case "contrast":
		conceded, counts := c.judge(!good, n[0]), c.judge(good, n[1])
		return one(c.Rand, reviews.Contrasts).fill(conceded, counts)
	case "verdict":
		return c.verdict(good, n[0])
	case "hearsay":
		return c.hearsay(good)
	case "meant": // irony behind praise that is meant
		return sentence(c.judge(!good, c.IntN(2))) + " " + c.irony(good)
	case "outweighed":
		return sentence(c.judge(!good, 1)) + " " + one(c.Rand, reviews.Outweighing) + " " + c.verdict(good, 1)
	}
	panic("builtin: no turn " + turn)
}

func (c *critic) next() aspect {
	a := c.aspects[0]
	c.aspects = append(c.aspects[1:], a)
	return a
}

// judge is a clause about one aspect that means good or bad through this many
// negations: the word in it has the other polarity when they are odd.
func (c *critic) judge(good bool, negations int) string {
	a := c.next()
	word := c.word(a, good != (negations%2 == 1))
	if negations == 0 {
		if chance(c.Rand, 0.2) {
			return "I " + one(c.Rand, reviews.Liked[b2i(good)]) + " " + a.Noun
		}
		return a.was() + one(c.Rand, reviews.Degrees) + word
	}
	said := strings.ReplaceAll(one(c.Rand, reviews.Negated[negations-1]), "NOUN WAS ", a.was())
	return strings.ReplaceAll(strings.ReplaceAll(said, "NOUN", a.Noun), "ADJ", word)
}

// word is an adjective for the aspect: one of its own or one that fits all.
func (c *critic) word(a aspect, good bool) string {
	if chance(c.Rand, 0.55) {
		return one(c.Rand, a.Words[b2i(good)])
	}
	strong, mild := reviews.Strong[b2i(good)], reviews.Mild[b2i(good)]
	i := c.IntN(len(strong) + len(mild))
	if i >= len(strong) {
		return mild[i-len(strong)]
	}
	return strong[i]
}

// irony says the opposite of what is meant: mock praise of a misfortune, or a mock complaint about a pleasure.
func (c *critic) irony(good bool) string {
	opening := reviews.Slots.fill(c.Rand, one(c.Rand, reviews.Mock[b2i(good)]))
	return opening + " " + reviews.Slots.fill(c.Rand, one(c.Rand, c.venue.Surprises[b2i(good)])) + "."
}

// verdict reports what somebody else said, with this many negations in it, and then says whether that was right.
func (c *critic) verdict(good bool, negations int) string {
	right := chance(c.Rand, 0.4)
	claim := c.judge(good == right, negations)
	who := one(c.Rand, reviews.Witnesses)
	return sentence(who.Name+" "+one(c.Rand, reviews.Reports)+" "+claim) + " " + c.ruling(right, who)
}

// ruling says whether a witness was right.
func (c *critic) ruling(right bool, who witness) string {
	return strings.ReplaceAll(one(c.Rand, reviews.Rulings[b2i(right)]), "WHO", capital(who.Pronoun))
}

// hearsay is a verdict about a verdict: two people, the second judged by the writer, the first by the second.
func (c *critic) hearsay(good bool) string {
	secondRight, firstRight := chance(c.Rand, 0.5), chance(c.Rand, 0.5)
	claim := c.judge((good == secondRight) == firstRight, 0)
	pair := several(c.Rand, reviews.Witnesses, 2)
	middle := " was wrong to say that "
	if firstRight {
		middle = " was right to say that "
	}
	report := sentence(pair[1].Name + " " + one(c.Rand, reviews.Hearsays) + " " + pair[0].Name + middle + claim)
	return report + " " + c.ruling(secondRight, pair[1])
}

// mixed praises one aspect and blames another in the same breath. The stronger word is the writer's
// opinion; between equals it is undecidable.
func (c *critic) mixed(good bool) string {
	win, lose := one(c.Rand, reviews.Strong[b2i(good)]), one(c.Rand, reviews.Mild[b2i(!good)])
	if chance(c.Rand, 0.5) {
		lose = one(c.Rand, reviews.Strong[b2i(!good)])
	}
	a, b := c.next(), c.next()
	if chance(c.Rand, 0.5) {
		win, lose = lose, win
	}
	return sentence(a.was() + win + " and " + b.was() + lose)
}

// was is the aspect with its verb.
func (a aspect) was() string {
	if a.Plural {
		return a.Noun + " were "
	}
	return a.Noun + " was "
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
