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
// One row of depth 1 in five is mixed: two aspects that disagree, where the
// stronger word decides and, between words of equal strength (half of them), a
// coin: 2.6 % of all rows.
func reviews() Source {
	return Source{
		Name:        "reviews",
		Task:        "classification",
		Labels:      []Label{{"negative", " negative"}, {"positive", " positive"}},
		Prompt:      "Review: {text}\nSentiment:",
		Fields:      []string{"text"},
		MaxTokens:   1,
		Description: "two-way sentiment with negation, contrast and irony of growing depth",
		depths:      []int{22, 26, 24, 17, 11},
		write:       writeReview,
	}
}

// critic writes one review of one venue.
type critic struct {
	*rand.Rand
	venue   venue
	aspects []aspect // those not yet spoken of, shuffled
}

func writeReview(r *rand.Rand, class, depth int) composite {
	v := one(r, reviewWords.Venues)
	c := &critic{r, v, several(r, v.aspects, len(v.aspects))}
	good := class == 1
	var parts []string
	if chance(r, 0.45) {
		parts = append(parts, capital(reviewWords.Slots.fill(r, one(r, v.openers))))
	}
	parts = append(parts, c.review(good, depth))
	if chance(r, 0.2) {
		parts = append(parts, reviewWords.Slots.fill(r, one(r, reviewWords.Closers)))
	}
	text := strings.Join(parts, " ")
	return composite{fields: map[string]string{"text": text}, key: text}
}

// review draws a turn of this depth, in the words of words/reviews.json: what is done, and with how many negations.
func (c *critic) review(good bool, depth int) string {
	turn := reviewWords.Turns[depth][0]
	if len(reviewWords.Turns[depth]) > 1 {
		turn = one(c.Rand, reviewWords.Turns[depth])
	}
	words := strings.Fields(turn)
	var n [2]int
	for i, w := range words[1:] {
		n[i] = int(w[0] - '0')
	}
	switch words[0] {
	case "plain":
		return c.plain(good)
	case "say":
		return sentence(c.judge(good, n[0]))
	case "mixed":
		return c.mixed(good)
	case "irony":
		return c.irony(good)
	case "contrast":
		conceded, counts := c.judge(!good, n[0]), c.judge(good, n[1])
		return one(c.Rand, reviewWords.Contrasts).fill(conceded, counts)
	case "verdict":
		return c.verdict(good, n[0])
	case "hearsay":
		return c.hearsay(good)
	case "meant": // irony behind praise that is meant
		return sentence(c.judge(!good, c.IntN(2))) + " " + c.irony(good)
	case "outweighed":
		return sentence(c.judge(!good, 1)) + " " + one(c.Rand, reviewWords.Outweighing) + " " + c.verdict(good, 1)
	}
	panic("builtin: no turn " + turn)
}

// plain says it once or twice without a turn.
func (c *critic) plain(good bool) string {
	text := sentence(c.judge(good, 0))
	if chance(c.Rand, 0.35) {
		text += " " + sentence(c.judge(good, 0))
	}
	return text
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
			return "I " + one(c.Rand, reviewWords.Liked[b2i(good)]) + " " + a.noun
		}
		return a.was() + one(c.Rand, reviewWords.Degrees) + word
	}
	said := one(c.Rand, [][]string{reviewWords.Negated, reviewWords.TwiceNegated}[negations-1])
	said = strings.ReplaceAll(strings.ReplaceAll(said, "NOUN WAS ", a.was()), "NOUN", a.noun)
	return strings.ReplaceAll(said, "ADJ", word)
}

// word is an adjective for the aspect: one of its own or one that fits all.
func (c *critic) word(a aspect, good bool) string {
	own, strong, mild := a.bad, reviewWords.StrongBad, reviewWords.MildBad
	if good {
		own, strong, mild = a.good, reviewWords.StrongGood, reviewWords.MildGood
	}
	if chance(c.Rand, 0.55) {
		return one(c.Rand, own)
	}
	i := c.IntN(len(strong) + len(mild))
	if i >= len(strong) {
		return mild[i-len(strong)]
	}
	return strong[i]
}

// irony says the opposite of what is meant: mock praise of a misfortune, or a
// mock complaint about a pleasure.
func (c *critic) irony(good bool) string {
	opening, matter := reviewWords.MockPraise, c.venue.misfortunes
	if good {
		opening, matter = reviewWords.MockBlame, c.venue.pleasures
	}
	return reviewWords.Slots.fill(c.Rand, one(c.Rand, opening)) + " " +
		reviewWords.Slots.fill(c.Rand, one(c.Rand, matter)) + "."
}

// verdict reports what somebody else said, with this many negations in it,
// and then says whether that was right.
func (c *critic) verdict(good bool, negations int) string {
	right := chance(c.Rand, 0.4)
	claim := c.judge(good == right, negations)
	who := one(c.Rand, reviewWords.Witnesses)
	return sentence(who.name+" "+one(c.Rand, reviewWords.Reports)+" "+claim) + " " + c.ruling(right, who)
}

// ruling says whether a witness was right.
func (c *critic) ruling(right bool, who witness) string {
	return strings.ReplaceAll(one(c.Rand, reviewWords.Rulings[b2i(right)]), "WHO", capital(who.pronoun))
}

// hearsay is a verdict about a verdict: two people, the second judged by the
// writer, the first by the second.
func (c *critic) hearsay(good bool) string {
	secondRight, firstRight := chance(c.Rand, 0.5), chance(c.Rand, 0.5)
	claim := c.judge((good == secondRight) == firstRight, 0)
	pair := several(c.Rand, reviewWords.Witnesses, 2)
	middle := " was wrong to say that "
	if firstRight {
		middle = " was right to say that "
	}
	report := sentence(pair[1].name + " " + one(c.Rand, reviewWords.Hearsays) + " " + pair[0].name + middle + claim)
	return report + " " + c.ruling(secondRight, pair[1])
}

// mixed praises one aspect and blames another in the same breath. The stronger word is the writer's
// opinion; between equals it is undecidable.
func (c *critic) mixed(good bool) string {
	strong := [2][]string{reviewWords.StrongBad, reviewWords.StrongGood}
	mild := [2][]string{reviewWords.MildBad, reviewWords.MildGood}
	win, lose := one(c.Rand, strong[b2i(good)]), one(c.Rand, mild[b2i(!good)])
	if chance(c.Rand, 0.5) {
		lose = one(c.Rand, strong[b2i(!good)])
	}
	a, b := c.next(), c.next()
	if chance(c.Rand, 0.5) {
		win, lose = lose, win
	}
	return sentence(a.was() + win + " and " + b.was() + lose)
}

// was is the aspect with its verb.
func (a aspect) was() string {
	if a.plural {
		return a.noun + " were "
	}
	return a.noun + " was "
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
