package tensor

import (
	"math"
	"runtime"
	"testing"

	gomlx "github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	"pgregory.net/rapid"
)

// run computes a graph of float32 tensors.
func run(t interface{ Fatal(...any) }, b gomlx.Backend, f func([]*graph.Node) *graph.Node, in ...any) []float32 {
	e, err := graph.NewExec(b, f)
	if err != nil {
		t.Fatal(err)
	}
	var own []any // a tensor belongs to the backend that sees it first
	for _, x := range in {
		c, err := x.(*tensors.Tensor).LocalClone()
		if err != nil {
			t.Fatal(err)
		}
		own = append(own, c)
	}
	out, err := e.Exec(own...)
	if err != nil {
		t.Fatal(err)
	}
	return tensors.MustCopyFlatData[float32](out[0])
}

// reference is GoMLX's own backend in Go, an implementation by others.
func reference(t interface{ Fatal(...any) }) gomlx.Backend {
	b, err := simplego.New("ops_sequential") // side by side it can lock itself out where there are few processors
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func draw(t *rapid.T, label string, dims ...int) *tensors.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rapid.IntRange(-64, 64).Draw(t, label)) / 16
	}
	return tensors.FromFlatDataAndDimensions(x, dims...)
}

func near(t interface{ Fatalf(string, ...any) }, got, want []float32) {
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= 1e-5+1e-5*math.Abs(float64(want[i]))) {
			t.Fatalf("number %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestOperationsAgreeWithGoMLX(t *testing.T) {
	for _, tt := range []struct {
		name string
		f    func(x []*graph.Node) *graph.Node
		dims func(a, b, c, d int) [][]int
	}{
		{name: "a linear layer", dims: func(a, b, c, d int) [][]int { return [][]int{{a, b}, {c, b}} },
			f: func(x []*graph.Node) *graph.Node { return graph.DotGeneral(x[0], []int{1}, nil, x[1], []int{1}, nil) }},
		{name: "its gradient by the input", dims: func(a, b, c, d int) [][]int { return [][]int{{a, b}, {b, c}} },
			f: func(x []*graph.Node) *graph.Node { return graph.DotGeneral(x[0], []int{1}, nil, x[1], []int{0}, nil) }},
		{name: "its gradient by the weights", dims: func(a, b, c, d int) [][]int { return [][]int{{b, a}, {b, c}} },
			f: func(x []*graph.Node) *graph.Node { return graph.DotGeneral(x[0], []int{0}, nil, x[1], []int{0}, nil) }},
		{name: "scores of heads", dims: func(a, b, c, d int) [][]int { return [][]int{{a, b, c, d}, {a, b + 1, c, d}} },
			f: func(x []*graph.Node) *graph.Node {
				return graph.DotGeneral(x[0], []int{3}, []int{0, 2}, x[1], []int{3}, []int{0, 2})
			}},
		{name: "values of heads", dims: func(a, b, c, d int) [][]int { return [][]int{{a, c, b, b}, {a, b, c, d}} },
			f: func(x []*graph.Node) *graph.Node {
				return graph.DotGeneral(x[0], []int{3}, []int{0, 1}, x[1], []int{1}, []int{0, 2})
			}},
		{name: "their gradient", dims: func(a, b, c, d int) [][]int { return [][]int{{a, c, b, d}, {a, c, b, b}} },
			f: func(x []*graph.Node) *graph.Node {
				return graph.DotGeneral(x[0], []int{2}, []int{0, 1}, x[1], []int{2}, []int{0, 1})
			}},
		{name: "repeated axes", dims: func(a, b, c,
			d int) [][]int {
			return [][]int{{a, b, c, d}, {a, 1, 1, d}, {1, b, c, 1}}
		},
			f: func(x []*graph.Node) *graph.Node { return graph.Sub(graph.Add(x[0], x[1]), graph.Mul(x[1], x[2])) }},
		{name: "scalars", dims: func(a, b, c, d int) [][]int { return [][]int{{a, b}, {}} },
			f: func(x []*graph.Node) *graph.Node { return graph.Max(graph.MulScalar(x[0], 3), x[1]) }},
		{name: "a row and a column", dims: func(a, b, c, d int) [][]int { return [][]int{{1, a}, {b, 1}} },
			f: func(x []*graph.Node) *graph.Node { return graph.Div(x[0], graph.AddScalar(graph.Mul(x[1], x[1]), 1)) }},
		{name: "sums of inner and outer axes", dims: func(a, b, c, d int) [][]int { return [][]int{{a, b, c, d}} },
			f: func(x []*graph.Node) *graph.Node {
				parts := []*graph.Node{graph.ReduceSum(x[0], 0, 2), graph.Transpose(graph.ReduceSum(x[0], 0, 2), 0, 1)}
				return graph.Add(graph.ReduceAllSum(graph.Mul(parts[0], parts[0])), graph.ReduceSum(x[0], 1, 3))
			}},
		{name: "sums of rows", dims: func(a, b, c, d int) [][]int { return [][]int{{a * b, c}} },
			f: func(x []*graph.Node) *graph.Node { return graph.ReduceSum(x[0], 0) }},
		{name: "maxima", dims: func(a, b, c, d int) [][]int { return [][]int{{a, b, c}} },
			f: func(x []*graph.Node) *graph.Node { return graph.ReduceMax(x[0], -1) }},
		{name: "transposition", dims: func(a, b, c, d int) [][]int { return [][]int{{a, b, c, d}} },
			f: func(x []*graph.Node) *graph.Node { return graph.TransposeAllAxes(x[0], 0, 2, 3, 1) }},
		{name: "functions", dims: func(a, b, c, d int) [][]int { return [][]int{{a, b}} },
			f: func(x []*graph.Node) *graph.Node {
				s := graph.AddScalar(graph.Mul(x[0], x[0]), 0.5)
				return graph.Add(graph.Add(graph.Exp(graph.Neg(s)), graph.Erf(x[0])),
					graph.Add(graph.Log(graph.Sqrt(s)), graph.Tanh(graph.Sign(x[0]))))
			}},
		{name: "gradient of a maximum", dims: func(a, b, c, d int) [][]int { return [][]int{{a, b}} },
			f: func(x []*graph.Node) *graph.Node {
				return graph.Gradient(graph.ReduceAllSum(graph.Mul(x[0], graph.Max(x[0], graph.ZerosLike(x[0])))), x[0])[0]
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := func(s string) int { return rapid.IntRange(1, 20).Draw(t, s) }
				a := n("a")
				if a > 6 { // the reference is slow
					a = 2
				}
				var in []any
				for _, dims := range tt.dims(a, n("b"), min(3, n("c")), n("d")) {
					in = append(in, draw(t, "x", dims...))
				}
				near(t, run(t, New(2), tt.f, in...), run(t, reference(t), tt.f, in...))
			})
		})
	}
}

func TestRowsAreTakenAndAdded(t *testing.T) {
	table := tensors.FromFlatDataAndDimensions([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	at := tensors.FromFlatDataAndDimensions([]int32{2, 0, 2}, 3, 1)
	take := func(x []*graph.Node) *graph.Node { return graph.Gather(x[0], x[1]) }
	near(t, run(t, New(1), take, table, at), []float32{5, 6, 1, 2, 5, 6})
	gradient := func(x []*graph.Node) *graph.Node {
		y := graph.Gather(x[0], x[1])
		return graph.Gradient(graph.ReduceAllSum(graph.Mul(y, y)), x[0])[0]
	}
	near(t, run(t, New(1), gradient, table, at), []float32{2, 4, 0, 0, 20, 24}) // 2·x, twice for the row taken twice
}

// Threads, and the other rows of a product, change no bit.
func TestCompanyAndThreadsChangeNoBit(t *testing.T) {
	const m, n, k = 300, 70, 130
	x, w := make([]float32, m*k), make([]float32, n*k)
	for i := range x {
		x[i] = float32(math.Sin(float64(i)))
	}
	for i := range w {
		w[i] = float32(math.Cos(float64(3 * i)))
	}
	f := func(x []*graph.Node) *graph.Node { return graph.DotGeneral(x[0], []int{1}, nil, x[1], []int{1}, nil) }
	weights := tensors.FromFlatDataAndDimensions(w, n, k)
	want := run(t, New(1), f, tensors.FromFlatDataAndDimensions(x, m, k), weights)
	for _, rows := range []int{1, 2, 95, 97, m} {
		got := run(t, New(1+rows%3+runtime.NumCPU()), f, tensors.FromFlatDataAndDimensions(x[(m-rows)*k:], rows, k), weights)
		for i, v := range got {
			if math.Float32bits(v) != math.Float32bits(want[(m-rows)*n+i]) {
				t.Fatalf("%d rows: number %d is %v, and %v in company", rows, i, v, want[(m-rows)*n+i])
			}
		}
	}
}

func TestWhatEncodersDoNotNeedIsRefused(t *testing.T) {
	_, err := graph.NewExec(New(1), func(x []*graph.Node) *graph.Node { return graph.Cos(x[0]) })
	if err != nil {
		t.Fatal(err)
	}
	e, _ := graph.NewExec(New(1), func(x []*graph.Node) *graph.Node { return graph.Cos(x[0]) })
	if _, err := e.Exec(tensors.FromFlatDataAndDimensions([]float32{1}, 1)); err == nil {
		t.Error("a cosine was computed")
	}
}
