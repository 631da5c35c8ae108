package lexical_test

import (
	"math"
	"slices"
	"testing"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/lexical"
)

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

func TestConformance(t *testing.T) {
	backendtest.RunEmbedder(t, func(*testing.T) backends.Embedder { return lexical.Embedder{} },
		backendtest.EmbedderOptions{Texts: []string{"a film", "a book", "the play", "two\nlines", "five words and one more"},
			Unit: true})
}
