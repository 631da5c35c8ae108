package finetune

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	gomlx "github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/simplego"

	"infnet/harness/finetune/tensor"
)

// expected is a file that testdata/make_fixtures.py wrote with transformers
// 5.23.0 and torch 2.15.0.
type expected struct {
	Rate    float64 `json:"learning_rate"`
	Batches []struct {
		Tokens [][]int32 `json:"tokens"`
		Kinds  [][]int32 `json:"kinds"`
		Used   []int     `json:"used"`
		Label  []int     `json:"label"`
	} `json:"batches"`
	Losses []float64          `json:"losses"`
	Norms  map[string]float64 `json:"gradient_norms"`
}

func readExpected(t testing.TB, file string) (out expected) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (x expected) batch(i int) *batch {
	in := x.Batches[i]
	b := &batch{rows: len(in.Tokens), length: len(in.Tokens[0]), used: in.Used, label: in.Label}
	for r := range in.Tokens {
		b.tokens = append(b.tokens, in.Tokens[r]...)
		b.kinds = append(b.kinds, in.Kinds[r]...)
	}
	return b
}

// The first twenty losses of training and the gradients of the first step are
// PyTorch's.
func TestTrainsAsPyTorchDoes(t *testing.T) {
	for _, name := range []string{"bert", "distilbert"} {
		t.Run(name, func(t *testing.T) {
			l, err := Open(Options{Name: name, Folder: os.DirFS("testdata/" + name)})
			if err != nil {
				t.Fatal(err)
			}
			follow(t, l.arch, l.weights, readExpected(t, "testdata/"+name+"/expected.json"), 1e-4)
		})
	}
}

// A step is the same on GoMLX's own backend.
func TestAgreesWithGoMLXsBackend(t *testing.T) {
	l, err := Open(Options{Name: "bert", Folder: os.DirFS("testdata/bert")})
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := simplego.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	var losses []float64
	var gradients []weights
	for _, backend := range []gomlx.Backend{tensor.New(2), theirs} {
		e, err := newExecutor(l.arch, backend)
		if err != nil {
			t.Fatal(err)
		}
		loss, g, err := e.step(l.weights, readExpected(t, "testdata/bert/expected.json").batch(0))
		if err != nil {
			t.Fatal(err)
		}
		losses, gradients = append(losses, loss), append(gradients, g)
	}
	if math.Abs(losses[0]-losses[1]) > 1e-6 {
		t.Errorf("loss %v, there %v", losses[0], losses[1])
	}
	for i, s := range l.arch.slots() {
		for k, v := range gradients[0][i] {
			if d := math.Abs(float64(v - gradients[1][i][k])); d > 1e-6 {
				t.Fatalf("gradient %d of %s is %v, there %v", k, s.name, v, gradients[1][i][k])
			}
		}
	}
}

// follow trains on the batches of a fixture and compares.
func follow(t *testing.T, a arch, w weights, want expected, tolerance float64) {
	t.Helper()
	backend := tensor.New(2)
	e, err := newExecutor(a, backend)
	if err != nil {
		t.Fatal(err)
	}
	opt, worst := newAdamW(a.slots()), 0.0
	for i := range want.Batches {
		loss, g, err := e.step(w, want.batch(i))
		if err != nil {
			t.Fatal(err)
		}
		worst = max(worst, math.Abs(loss-want.Losses[i]))
		if math.Abs(loss-want.Losses[i]) > tolerance {
			t.Errorf("step %d: loss %.7f, PyTorch %.7f", i, loss, want.Losses[i])
		} else {
			t.Logf("step %2d: loss %.7f, PyTorch %.7f", i, loss, want.Losses[i])
		}
		if i == 0 {
			for k, s := range a.slots() {
				n := norm(g[k])
				if d := math.Abs(n - want.Norms[s.name]); d > 1e-4*want.Norms[s.name]+1e-6 {
					t.Errorf("gradient of %s: norm %.7g, PyTorch %.7g", s.name, n, want.Norms[s.name])
				}
			}
		}
		opt.step(w, g, want.Rate*(1-float64(i)/float64(len(want.Batches))))
	}
	t.Logf("largest difference of a loss: %.2g", worst)
}

func norm(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// real opens the sentence encoder all-MiniLM-L6-v2, which is not part of this
// repository.
func real(t testing.TB) *Learner {
	t.Helper()
	dir := os.Getenv("INFNET_MINILM")
	if dir == "" {
		t.Skip("INFNET_MINILM is not set: name a folder of all-MiniLM-L6-v2 to fine-tune real weights")
	}
	l, err := Open(Options{Name: "minilm", Folder: os.DirFS(dir)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A few steps on real weights give PyTorch's losses.
func TestTrainsRealWeightsAsPyTorchDoes(t *testing.T) {
	l := real(t)
	w := l.weights.clone()
	for i, s := range l.arch.slots() { // the head of testdata/make_fixtures.py
		switch s.name {
		case "classifier.weight":
			w[i] = make([]float32, s.size())
			for k := range w[i] {
				w[i][k] = float32((k/l.arch.Hidden*31+k%l.arch.Hidden*17)%64-32) / 1024
			}
		case "classifier.bias":
			w[i] = make([]float32, s.size())
		}
	}
	follow(t, l.arch, w, readExpected(t, "testdata/minilm.json"), 1e-4)
}
