package doubt

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"infnet/metrics/infer"
)

func TestExactTests(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  float64
		want float64
	}{
		// Python: sum(comb(40,x)*comb(40,40-x) for x in range(13))/comb(80,40)
		{"24 of 80 right", lower(12, 28, 28, 12), 0.0003474830425274138},
		{"tea", lower(3, 1, 1, 3), 69.0 / 70},        // by hand: 1 − C(4,4)C(4,0)/C(8,4)
		{"tea, upper", upper(3, 1, 1, 3), 17.0 / 70}, // by hand: (16 + 1)/70
		{"none", lower(0, 5, 5, 0), 1.0 / 252},       // by hand: 1/C(10,5)
		{"an empty margin", lower(0, 0, 5, 5), 1},
		{"9 of 10", infer.SignTest(9, 10), 11.0 / 1024}, // by hand: (10 + 1)/2¹⁰
		{"no toss", infer.SignTest(0, 0), 1},
	} {
		if math.Abs(tt.got-tt.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

// confused makes n records of k classes of which a model says said[gold] in
// share of the cases and any class otherwise.
func confused(n, k int, said []int, share float64) (gold, class []int) {
	rng := rand.New(rand.NewPCG(1, uint64(n*k)))
	for i := range n {
		g := i % k
		c := said[g]
		if rng.Float64() > share {
			c = rng.IntN(k)
		}
		gold, class = append(gold, g), append(class, c)
	}
	return gold, class
}

func TestLabelsInAnotherOrder(t *testing.T) {
	names := []string{"sadness", "joy", "love", "anger"}
	for _, tt := range []struct {
		name  string
		k     int
		said  []int
		share float64
		want  []string // in the text; nil = no question
	}{
		{"as they should be", 2, []int{0, 1}, 0.8, nil},
		{"four as they should be", 4, []int{0, 1, 2, 3}, 0.5, nil},
		{"a coin", 2, []int{0, 1}, 0, nil},
		{"always one class", 2, []int{0, 0}, 1, nil},
		{"one class never said", 4, []int{0, 1, 1, 3}, 0.9, nil},
		{"reversed", 2, []int{1, 0}, 0.8, []string{"in reverse order?", `labels = ["joy", "sadness"]`}},
		{"two of four swapped", 4, []int{0, 2, 1, 3}, 0.8,
			[]string{"another order?", `labels = ["sadness", "love", "joy", "anger"]`,
				`where the data say "joy" it says "love"`}},
		{"moved on by one", 4, []int{1, 2, 3, 0}, 0.8, []string{`labels = ["joy", "love", "anger", "sadness"]`}},
		{"two swaps", 4, []int{1, 0, 3, 2}, 0.8, []string{`labels = ["joy", "sadness", "anger", "love"]`}},
	} {
		gold, class := confused(120*tt.k, tt.k, tt.said, tt.share)
		d, asked := permuted(Answers{Model: "m", Class: class}, gold, names[:tt.k])
		if asked != (tt.want != nil) {
			t.Errorf("%s: asked %v: %s", tt.name, asked, d.Text)
		}
		for _, w := range tt.want {
			if !strings.Contains(d.Text, w) {
				t.Errorf("%s: %s\nwant %q in it", tt.name, d.Text, w)
			}
		}
	}
	// The numbers of a study that was called "no better than chance": 24 of 80.
	var gold, class []int
	for i := range 80 {
		gold = append(gold, i%2)
		class = append(class, 1-i%2)
		if i < 24 {
			class[i] = i % 2
		}
	}
	d, asked := permuted(Answers{Model: "m", Class: class}, gold, names[:2])
	if !asked || !strings.Contains(d.Text, "right on 24 of 80 records") || !strings.Contains(d.Text, "right on 56") {
		t.Errorf("24 of 80: %v %s", asked, d.Text)
	}
}

func TestPairQuestions(t *testing.T) {
	var rising, falling, one []float64
	var upperHalf, most []bool
	for i := range 100 {
		rising, falling = append(rising, float64(i)/100), append(falling, 1-float64(i)/100)
		one = append(one, 1)
		upperHalf, most = append(upperHalf, i >= 50), append(most, i >= 5)
	}
	text := func(s string) func(int) string { return func(int) string { return s } }
	for _, tt := range []struct {
		name            string
		student, master Answers
		want            string // kinds, by blanks
	}{
		{"five sure errors", Answers{Beta: rising, Right: upperHalf},
			Answers{Beta: falling, Right: most}, ""},
		{"all well", Answers{Beta: rising, Right: upperHalf}, Answers{Right: most}, ""},
		{"an uncertainty", Answers{Beta: falling, Right: upperHalf, Given: true}, Answers{Right: most}, "reversed"},
		{"swapped", Answers{Beta: rising, Right: most}, Answers{Right: upperHalf}, "swapped"},
		{"same weights", Answers{Beta: rising, Right: upperHalf}, Answers{Beta: rising, Right: upperHalf}, "same"},
		{"sure of everything", Answers{Beta: one, Right: most}, Answers{Beta: one, Right: most}, ""},
		{"equal confidences, other texts", Answers{Beta: rising, Right: upperHalf, Text: text("a")},
			Answers{Beta: rising, Right: upperHalf, Text: text("b")}, ""},
		{"nothing known", Answers{}, Answers{}, ""},
	} {
		var kinds []string
		for _, d := range Pair(tt.student, tt.master, nil, nil) {
			kinds = append(kinds, d.Kind)
			if d.Kind == "reversed" && tt.student.Given &&
				!strings.Contains(d.Text, "an uncertainty, a loss, or 1 − confidence?") {
				t.Errorf("%s: %s", tt.name, d.Text)
			}
		}
		if got := strings.Join(kinds, " "); got != tt.want {
			t.Errorf("%s: questions %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Studies in which nothing is reversed are asked nothing: with some skill
// never, by chance alone at most at the level of the tests.
func TestFairStudiesAreAskedNothing(t *testing.T) {
	const studies = 2000
	for _, tt := range []struct {
		name  string
		skill float64 // share of the answers that are known, the others are guessed
		most  int     // questions
	}{
		{"some skill", 0.4, 0},
		// Four tests of each study at Level: mean at most 8, and 3 standard deviations.
		{"chance alone", 0, 20},
	} {
		rng := rand.New(rand.NewPCG(7, uint64(100*tt.skill)))
		asked := 0
		for s := range studies {
			n, k := []int{30, 80, 400}[s%3], 2+s%5
			gold := make([]int, n)
			for i := range gold {
				gold[i] = min(rng.IntN(k), rng.IntN(k)) // unequal classes
			}
			model := func(skill float64) Answers {
				a := Answers{Model: "m"}
				for _, g := range gold {
					known := rng.Float64() < skill
					c, beta := g, 0.5+0.5*rng.Float64()
					if !known {
						c, beta = min(rng.IntN(k), rng.IntN(k)), rng.Float64()
					}
					a.Class, a.Beta, a.Right = append(a.Class, c), append(a.Beta, beta), append(a.Right, c == g)
				}
				return a
			}
			labels := []string{"a", "b", "c", "d", "e", "f"}[:k]
			asked += len(Pair(model(tt.skill), model(1.5*tt.skill), gold, labels))
		}
		if asked > tt.most {
			t.Errorf("%s: %d questions about %d fair studies, want at most %d", tt.name, asked, studies, tt.most)
		}
	}
}

// A test record whose text is in the fit part is counted; more than half of them are refused.
func TestTexts(t *testing.T) {
	fit, test := []int{0, 1, 2, 3}, []int{4, 5, 6, 7}
	for _, tt := range []struct {
		name, texts string
		overlap     int
	}{
		{"all well", "a b c d e f g h", 0},
		{"twice in the fit part alone", "a a c d e f g h", 0},
		{"half of the test part", "a b c d a b g h", 2},
		{"more than half", "a b c d a a b h", 3},
	} {
		f := Texts(strings.Fields(tt.texts), fit, test)
		if f.Overlap != tt.overlap || (len(f.Doubts()) > 0) != (tt.overlap > 0) {
			t.Errorf("%s: %+v, %v", tt.name, f, f.Doubts())
		}
	}
}
