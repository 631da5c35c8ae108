package local

import (
	"context"

	"infnet/backends/runtime/transformer"
)

// cacheBudget bounds the floats of the caches a worker holds (128 MiB), unless
// one sequence alone needs more.
const cacheBudget = 32 << 20

// firstRoom is how many new tokens a cache has room for before it grows.
const firstRoom = 1024

// generateRows bounds the sequences that are continued together.
const generateRows = 64

// prefix is what all prompts of a call begin with, computed once.
type prefix struct {
	cache  *transformer.Cache
	length int
}

// sharePrefix finds and computes the longest common prefix. At least the last
// token of every prompt stays out of it.
func (m *Model) sharePrefix(ctx context.Context, jobs []*job) (prefix, error) {
	if len(jobs) < 2 || m.noPrefix {
		return prefix{}, nil
	}
	n := len(jobs[0].tokens) - 1
	for _, j := range jobs[1:] {
		n = min(n, len(j.tokens)-1)
		for i := range n {
			if j.tokens[i] != jobs[0].tokens[i] {
				n = i
				break
			}
		}
	}
	if n == 0 {
		return prefix{}, nil
	}
	p := prefix{m.net.NewCache(n), n}
	err := m.workers.Each(ctx, 1, func(w *worker, _ int) error {
		for at := 0; at < n; at += transformer.ChunkRows {
			tokens := jobs[0].tokens[at:min(at+transformer.ChunkRows, n)]
			if _, err := w.Forward(ctx, []transformer.Segment{{Cache: p.cache, Tokens: tokens, Pos: at}}); err != nil {
				return err
			}
		}
		return nil
	})
	return p, err
}

// groups splits jobs into what a worker takes at a time: classifications by
// chunks of tokens, generations by sequences, each in the order they came in,
// so that every thread gets some.
func (m *Model) groups(jobs []*job, shared int) [][]*job {
	var classify, generate []*job
	tokens := 0
	for _, j := range jobs {
		if j.generates() {
			generate = append(generate, j)
		} else {
			classify = append(classify, j)
			tokens += len(j.tokens) - shared
		}
	}
	rows := min(transformer.ChunkRows, max(1, (tokens+m.workers.Threads()-1)/m.workers.Threads()))
	out := m.pack(classify, rows, func(j *job) int { return len(j.tokens) - shared })
	sequences := min(generateRows, max(1, (len(generate)+m.workers.Threads()-1)/m.workers.Threads()))
	return append(out, m.pack(generate, sequences, func(*job) int { return 1 })...)
}

// pack fills groups up to limit in size and to the budget in cache.
func (m *Model) pack(jobs []*job, limit int, size func(*job) int) [][]*job {
	var out [][]*job
	begin, full, floats := 0, 0, 0
	for i, j := range jobs {
		s, c := size(j), m.net.CacheSize(j.positions())
		if i > begin && (full+s > limit || floats+c > cacheBudget) {
			out = append(out, jobs[begin:i])
			begin, full, floats = i, 0, 0
		}
		full, floats = full+s, floats+c
	}
	if begin < len(jobs) {
		out = append(out, jobs[begin:])
	}
	return out
}

type worker struct {
	*transformer.Worker
	net    *transformer.Network
	memory []float32 // of the caches of the group at hand
	logits []float32
}

func newWorker(n *transformer.Network) *worker { return &worker{Worker: n.NewWorker(), net: n} }
