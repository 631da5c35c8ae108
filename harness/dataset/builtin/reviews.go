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
	v := one(r, venues)
	c := &critic{r, v, several(r, v.aspects, len(v.aspects))}
	good := class == 1
	var parts []string
	if chance(r, 0.45) {
		parts = append(parts, capital(reviewSlots.fill(r, one(r, v.openers))))
	}
	parts = append(parts, c.review(good, depth))
	if chance(r, 0.2) {
		parts = append(parts, reviewSlots.fill(r, one(r, reviewClosers)))
	}
	text := strings.Join(parts, " ")
	return composite{fields: map[string]string{"text": text}, key: text}
}

func (c *critic) review(good bool, depth int) string {
	switch depth {
	case 0:
		return c.plain(good)
	case 1:
		switch k := c.IntN(10); {
		case k < 2:
			return c.mixed(good)
		case k < 4:
			return c.irony(good)
		case k < 7:
			return c.contrast(c.judge(!good, 0), c.judge(good, 0))
		}
		return sentence(c.judge(good, 1))
	case 2:
		switch c.IntN(5) {
		case 0:
			return sentence(c.judge(good, 2))
		case 1:
			return c.contrast(c.judge(!good, 0), c.judge(good, 1))
		case 2:
			return c.contrast(c.judge(!good, 1), c.judge(good, 0))
		}
		return c.verdict(good, 0)
	case 3:
		switch c.IntN(4) {
		case 0:
			return c.contrast(c.judge(!good, 1), c.judge(good, 2))
		case 1:
			return sentence(c.judge(!good, c.IntN(2))) + " " + c.irony(good)
		}
		return c.verdict(good, 1)
	}
	switch c.IntN(3) {
	case 0:
		return c.hearsay(good)
	case 1:
		return sentence(c.judge(!good, 1)) + " " +
			one(c.Rand, []string{"Something else decided it for me.", "But that is not what I will remember.",
				"One thing outweighs all that."}) + " " + c.verdict(good, 1)
	}
	return c.verdict(good, 2)
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
	was, were := "was", "were"
	if a.plural {
		was = were
	}
	switch negations {
	case 0:
		if chance(c.Rand, 0.2) {
			verb := one(c.Rand, liked[b2i(good)])
			return "I " + verb + " " + a.noun
		}
		return a.noun + " " + was + " " + one(c.Rand, degrees) + word
	case 1:
		return strings.NewReplacer("NOUN", a.noun, "WAS", was, "ADJ", word).Replace(one(c.Rand, negated))
	}
	return strings.NewReplacer("NOUN", a.noun, "WAS", was, "ADJ", word).Replace(one(c.Rand, twiceNegated))
}

// word is an adjective for the aspect: one of its own or one that fits all.
func (c *critic) word(a aspect, good bool) string {
	own, all := a.bad, append(append([]string{}, strongBad...), mildBad...)
	if good {
		own, all = a.good, append(append([]string{}, strongGood...), mildGood...)
	}
	if chance(c.Rand, 0.55) {
		return one(c.Rand, own)
	}
	return one(c.Rand, all)
}

// contrast joins a conceded clause and the one that counts.
func (c *critic) contrast(conceded, counts string) string {
	switch c.IntN(6) {
	case 0:
		return sentence("although " + conceded + ", " + counts)
	case 1:
		return sentence("even though " + conceded + ", " + counts)
	case 2:
		return sentence(counts + ", although " + conceded)
	case 3:
		return sentence(conceded + ", but " + counts)
	case 4:
		return sentence(conceded) + " Still, " + counts + " and that is what matters to me."
	}
	return sentence("granted, "+conceded) + " In the end, however, " + counts + "."
}

// irony says the opposite of what is meant: mock praise of a misfortune, or a
// mock complaint about a pleasure.
func (c *critic) irony(good bool) string {
	if good {
		return reviewSlots.fill(c.Rand, one(c.Rand, mockBlame)) + " " +
			reviewSlots.fill(c.Rand, one(c.Rand, c.venue.pleasures)) + "."
	}
	return reviewSlots.fill(c.Rand, one(c.Rand, mockPraise)) + " " +
		reviewSlots.fill(c.Rand, one(c.Rand, c.venue.misfortunes)) + "."
}

// verdict reports what somebody else said, with this many negations in it,
// and then says whether that was right.
func (c *critic) verdict(good bool, negations int) string {
	right := chance(c.Rand, 0.4)
	claim := c.judge(good == right, negations)
	who := one(c.Rand, witnesses)
	report := sentence(who.name + " " + one(c.Rand,
		[]string{"told me that", "said that", "warned me that", "swore that", "wrote that", "insisted that"}) + " " + claim)
	return report + " " + strings.ReplaceAll(one(c.Rand, rulings[b2i(right)]), "WHO", capital(who.pronoun))
}

// hearsay is a verdict about a verdict: two people, the second judged by the
// writer, the first by the second.
func (c *critic) hearsay(good bool) string {
	secondRight, firstRight := chance(c.Rand, 0.5), chance(c.Rand, 0.5)
	claim := c.judge((good == secondRight) == firstRight, 0)
	pair := several(c.Rand, witnesses, 2)
	middle := " was wrong to say that "
	if firstRight {
		middle = " was right to say that "
	}
	report := sentence(pair[1].name + " " + one(c.Rand, []string{"told me that", "thinks that", "says that"}) + " " +
		pair[0].name + middle + claim)
	return report + " " + strings.ReplaceAll(one(c.Rand, rulings[b2i(secondRight)]), "WHO", capital(pair[1].pronoun))
}

// mixed praises one aspect and blames another in the same breath. The stronger word is the writer's
// opinion; between equals it is undecidable.
func (c *critic) mixed(good bool) string {
	strong := [2][]string{strongBad, strongGood}
	mild := [2][]string{mildBad, mildGood}
	win, lose := one(c.Rand, strong[b2i(good)]), one(c.Rand, mild[b2i(!good)])
	if chance(c.Rand, 0.5) {
		lose = one(c.Rand, strong[b2i(!good)])
	}
	a, b := c.next(), c.next()
	if chance(c.Rand, 0.5) {
		win, lose = lose, win
	}
	return sentence(be(a) + win + " and " + be(b) + lose)
}

func be(a aspect) string {
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
