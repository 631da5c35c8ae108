package lexical_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/lexical"
)

func cosine(a, b []float32) float64 {
	dot := 0.0
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	return dot
}

func TestVectorsHaveLengthOneAndDependOnTheTextAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "texts")
		together, err := lexical.Embedder{}.Embed(context.Background(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			alone := lexical.Vector(text)
			if !slices.Equal(alone, together[i]) {
				t.Fatalf("%q has another vector in company", text)
			}
			if len(alone) != lexical.Dimension {
				t.Fatalf("%d numbers, want %d", len(alone), lexical.Dimension)
			}
			if n := math.Sqrt(cosine(alone, alone)); n != 0 && math.Abs(n-1) > 1e-6 {
				t.Fatalf("%q has length %v", text, n)
			}
		}
	})
}

func TestOverlapOfWordsIsWhatCosineMeasures(t *testing.T) {
	base := lexical.Vector("Das Wetter in Köln ist heute schön.")
	for _, c := range []struct {
		name, text string
		least      float64
		most       float64
	}{
		{name: "same text in capitals", text: "DAS WETTER IN KÖLN IST HEUTE SCHÖN", least: 0.999999, most: 1.000001},
		{name: "decomposed umlauts", text: "Das Wetter in Ko\u0308ln ist heute scho\u0308n", least: 0.999999, most: 1.000001},
		{name: "one word changed", text: "Das Wetter in Bonn ist heute schön.", least: 0.5, most: 0.95},
		{name: "inflected", text: "Die Wetter in Köln sind heute schöner.", least: 0.3, most: 0.9},
		{name: "opposite meaning, same words", text: "Das Wetter in Köln ist heute nicht schön.", least: 0.8, most: 0.999},
		{name: "no word in common", text: "my dog barks loudly at night", least: -0.25, most: 0.25},
		{name: "no word at all", text: " … !", least: 0, most: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := cosine(base, lexical.Vector(c.text)); got < c.least || got > c.most {
				t.Errorf("cosine %.4f, want between %v and %v", got, c.least, c.most)
			}
		})
	}
}

// The revision promises these bits. Values by this code, its first version:
// they guard against a change that forgets to change the revision.
func TestTheRevisionNamesTheVectors(t *testing.T) {
	v := lexical.Vector("Naïve cats, 3 naïve cats!")
	type component struct {
		i int
		v float32
	}
	var got []component
	for i, x := range v {
		if math.Abs(float64(x)) > 0.2 {
			got = append(got, component{i, x})
		}
	}
	want := []component{
		{125, -0.35151687}, {189, -0.20761153}, {321, -0.35151687}, {356, 0.29267287},
		{365, 0.35151687}, {437, -0.20761153}, {472, -0.20761153},
	}
	if lexical.Revision == "lexical-1" && !slices.Equal(got, want) {
		t.Errorf("large components %v, want %v: raise the revision if this is meant", got, want)
	}
}

func TestASingleTokenIsAUnitVectorOfTwoFamilies(t *testing.T) {
	// By hand: "ab" has the word "ab" and the grams <ab, ab>, <ab>: four
	// features, the word with weight 1/√2 of the sum, so at most 1 + 3
	// components are set.
	set := 0
	for _, x := range lexical.Vector("ab") {
		if x != 0 {
			set++
		}
	}
	if set < 2 || set > 4 {
		t.Errorf("%d components set, want 2 to 4", set)
	}
}

func TestConformance(t *testing.T) {
	backendtest.RunEmbedder(t, func(*testing.T) backends.Embedder { return lexical.Embedder{} },
		backendtest.EmbedderOptions{Texts: []string{"a film", "a book", "the play", "two\nlines", "five words and one more"},
			Unit: true})
}
