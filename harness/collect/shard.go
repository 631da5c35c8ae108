package collect

import (
	"encoding/binary"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"infnet/backends"
)

// Shard is one of N parts of everything that is to be asked: the requests whose keys hash to it.
// The parts are disjoint, and together they are all. The zero value is everything.
type Shard struct {
	K, N int // number K, from 1, of N
}

// mostShards bounds N: a mistyped number is no division.
const mostShards = 100_000

// UnmarshalText reads "3/16".
func (s *Shard) UnmarshalText(text []byte) error {
	first, second, ok := strings.Cut(string(text), "/")
	k, errK := strconv.Atoi(first)
	n, errN := strconv.Atoi(second)
	if !ok || errK != nil || errN != nil || n > mostShards || k < 1 || k > n {
		return fmt.Errorf("%q is no shard: a shard is K/N with K from 1 to N and N up to %d, such as 3/16, the third of "+
			"sixteen", text, mostShards)
	}
	*s = Shard{k, n}
	return nil
}

// String is "3/16"; "" = everything.
func (s Shard) String() string {
	if s.N == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.K, s.N)
}

// Word is the shard in the names of files: "3-of-16".
func (s Shard) Word() string { return strings.Replace(s.String(), "/", "-of-", 1) }

// Of returns the number, from 1, of the shard of n that a key hashes to.
func Of(k backends.Key, n int) int { return int(binary.BigEndian.Uint64(k[:8])%uint64(n)) + 1 }

// Has reports whether the key hashes to the shard.
func (s Shard) Has(k backends.Key) bool { return s.N == 0 || Of(k, s.N) == s.K }

// share leaves the shard's items to each job.
func (s Shard) share(jobs []Job) []Job {
	if s.N == 0 {
		return jobs
	}
	out := make([]Job, len(jobs))
	for i, j := range jobs {
		all := j.Items
		j.Items = func(yield func(Item, error) bool) {
			for it, err := range all {
				if (err != nil || s.Has(it.Request.Key())) && !yield(it, err) {
					return
				}
			}
		}
		out[i] = j
	}
	return out
}

// shareOf leaves the shard's texts or pairs.
func shareOf[T any](s Shard, all iter.Seq[T], key func(T) backends.Key) iter.Seq[T] {
	if s.N == 0 {
		return all
	}
	return func(yield func(T) bool) {
		for item := range all {
			if s.Has(key(item)) && !yield(item) {
				return
			}
		}
	}
}

// Share is what one of N shards may spend, so that all together keep the limits. Each has the whole
// time, as they run at the same time.
func (l Limits) Share(s Shard) Limits {
	if s.N > 0 {
		if l.Tokens > 0 {
			l.Tokens = max(1, l.Tokens/int64(s.N))
		}
		l.Cost /= float64(s.N)
	}
	return l
}
