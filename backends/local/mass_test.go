package local

import (
	"math"
	"path/filepath"
	"testing"

	"infnet/backends"
	"infnet/backends/runtime/kernel"
)

// The mass on the labels of every family against the softmax over the whole
// vocabulary, computed here in float64 from the head's rows one by one. Labels
// that are next to nothing of the vocabulary get a confidence all the same: it
// speaks of them alone, and the mass says so.
func TestLabelMassAgainstTheWholeSoftmax(t *testing.T) {
	folders := []string{"testdata/tiny", "testdata/mixed"}
	for _, f := range families {
		folders = append(folders, folderOf(f))
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			m := load(t, folder, 1)
			r := backends.Request{Mode: backends.Raw, Prompt: "the film is good", Labels: colours}
			a := ask(t, m, r)[0]
			if a.Failure != nil || a.LabelMass == nil {
				t.Fatalf("mass %v, failure %v", a.LabelMass, a.Failure)
			}
			var said backends.Answer
			j := m.prepare(&r, &said)
			j.cache = m.net.NewCache(j.positions())
			want := math.NaN()
			err := newWorker(m.net).prefill(t.Context(), []*job{j}, 0, func(_ int, hidden []float32) {
				want = wholeSoftmax(m.net.Head, hidden, j.labels)
			})
			if err != nil {
				t.Fatal(err)
			}
			got, ok := a.Mass()
			if !ok || got.Low != got.High || math.Abs(got.Low-want) > 1e-6*want {
				t.Errorf("mass %v, the softmax over the vocabulary puts %v on the labels", got, want)
			}
			beta := 0.0
			for _, l := range a.Labels {
				beta = max(beta, math.Exp(l.Logprob))
			}
			if beta < 1/float64(len(colours)) || got.Low > 0.5 {
				t.Errorf("confidence %v and mass %v: these weights are random, and few of their tokens are labels", beta, got.Low)
			}
		})
	}
}

// wholeSoftmax is the share of the labels in Σ exp(z) over all outputs.
func wholeSoftmax(head *kernel.Matrix, hidden []float32, labels []int32) float64 {
	row, z := make([]float32, head.K), make([]float64, head.N)
	top := math.Inf(-1)
	for v := range z {
		head.Row(row, v)
		for k, x := range row {
			z[v] += float64(x) * float64(hidden[k])
		}
		top = max(top, z[v])
	}
	all, on := 0.0, 0.0
	for v := range z {
		all += math.Exp(z[v] - top)
	}
	for _, t := range labels {
		on += math.Exp(z[t] - top)
	}
	return on / all
}
