package router

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"infnet/harness/calc"
)

// Features of a text are counts of its n-grams, hashed into 2^20 columns:
//
//	words       1 and 2 in a row; a word is a run of letters and digits, lower case
//	characters  3 to 5 in a row inside a word with a blank at each end
//
// and of a record whose answer is known also those of the answer, its number of
// words, and where that is at most 3 the pairs of a word of the query with the
// answer. They let a linear model learn that "dreadful" contradicts "positive".
// Each block has its own columns. A count c weighs 1 + ln c, times the rarity of
// the column among the training records, and each block of a record has length 1
// (K. Weinberger et al., Feature hashing for large scale
// multitask learning, ICML 2009, who also give the sign by which collisions
// cancel; weights as in scikit-learn's TfidfTransformer with sublinear_tf).
const (
	columnBits = 20
	columns    = 1 << columnBits

	shortestGram, longestGram = 3, 5
	fewWords                  = 3  // of an answer that is paired with words
	longAnswer                = 32 // words: longer answers count as this long
)

const (
	queryWords = iota
	queryCharacters
	answerWords
	answerCharacters
	pairs
	blocks
)

// count is how often a column occurs in a block of a record. Equal ones are one entry.
type count struct {
	at uint32  // the column, then blockBits of the block
	n  float32 // signed
}

const blockBits = 3

func (c count) column() uint32 { return c.at >> blockBits }
func (c count) block() uint8   { return uint8(c.at & (1<<blockBits - 1)) }

// Counted returns samples whose texts are counted. Every fit and every score of the n-grams' learner counts the texts
// that it is given; those of counted samples are not counted again.
func Counted(samples []Sample, answered bool, threads int) []Sample {
	out := slices.Clone(samples)
	var group sync.WaitGroup
	for k := range threads {
		group.Go(func() {
			for i := k; i < len(out); i += threads {
				out[i].counts = counts(out[i], answered)
			}
		})
	}
	group.Wait()
	return out
}

// counts returns the features of a sample, by column.
func counts(s Sample, answered bool) []count {
	if s.counts != nil {
		return s.counts
	}
	var g grams
	query := words(s.Query)
	g.text(query, queryWords, queryCharacters)
	if answered {
		answer := words(s.Answer)
		g.text(answer, answerWords, answerCharacters)
		g.add(answerWords, hash(answerWords, fmt.Sprintf("\x00length %d", min(len(answer), longAnswer))))
		if len(answer) <= fewWords {
			whole := hash(pairs, strings.Join(answer, " "))
			for _, w := range query {
				g.add(pairs, mix(whole+hash(pairs, w)))
			}
		}
	}
	return g.merged()
}

// words splits a text into runs of letters and digits, lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// grams are unmerged features: count.at and the sign in one number, so that equal
// ones are adjacent once sorted.
type grams []uint32

const negative = 1

func (g *grams) add(block uint8, h uint64) {
	*g = append(*g, uint32(h&(columns-1))<<(blockBits+1)|uint32(block)<<1|uint32(h>>63)*negative)
}

// text counts the n-grams of a text.
func (g *grams) text(list []string, words, characters uint8) {
	var at []int // where the characters of a word begin, and its end
	for i, w := range list {
		h := hash(words, w)
		g.add(words, h)
		if i > 0 {
			g.add(words, mix(hash(words, list[i-1])+h<<1))
		}
		padded := " " + w + " "
		at = at[:0]
		for k := range padded {
			at = append(at, k)
		}
		at = append(at, len(padded))
		for size := shortestGram; size <= longestGram; size++ {
			for k := 0; k+size < len(at); k++ {
				g.add(characters, hash(characters, padded[at[k]:at[k+size]]))
			}
		}
	}
}

// merged adds up equal columns, in ascending order. Two blocks never share an
// entry, even where their hashes collide.
func (g grams) merged() []count {
	slices.Sort(g)
	distinct := 0
	for k, x := range g {
		if k == 0 || x>>1 != g[k-1]>>1 {
			distinct++
		}
	}
	out := make([]count, 0, distinct)
	for k, x := range g {
		n := float32(1)
		if x&negative != 0 {
			n = -1
		}
		if k > 0 && x>>1 == g[k-1]>>1 {
			out[len(out)-1].n += n
			continue
		}
		out = append(out, count{at: x >> 1, n: n})
	}
	return slices.DeleteFunc(out, func(c count) bool { return c.n == 0 })
}

// hash is FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo), of a block and a
// text, mixed so that its low bits are as good as its high ones.
func hash(block uint8, text string) uint64 {
	h := uint64(14695981039346656037)
	h = (h ^ uint64(block)) * 1099511628211
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return mix(h)
}

// mix is the finaliser of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, Fast
// splittable pseudorandom number generators, OOPSLA 2014).
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// vocabulary is the columns kept in training, and their rarity.
type vocabulary struct {
	place  []int32   // by column: place among those kept, −1 = not kept
	rarity []float64 // by place
}

// rareBelow is the number of records a column must occur in to be kept: a column
// that occurs once says nothing about other records.
const rareBelow = 2

// learn keeps the columns that occur in enough of the records, with the rarity
//
//	ln((1+N)/(1+n)) + 1   of a column in n of N records
func learn(records [][]count) *vocabulary {
	in := make([]int32, columns)
	for _, r := range records {
		before := uint32(columns)
		for _, c := range r {
			if c.column() != before {
				in[c.column()]++
			}
			before = c.column()
		}
	}
	v := &vocabulary{place: in}
	for c, n := range in {
		in[c] = -1
		if n >= rareBelow {
			in[c] = int32(len(v.rarity))
			v.rarity = append(v.rarity, calc.Log(float64(1+len(records))/float64(1+n))+1)
		}
	}
	return v
}

// row weighs a record's counts. places ascend; equal ones, of two blocks, may
// follow each other.
func (v *vocabulary) row(record []count) (places []int32, values []float32) {
	var length [blocks]float64
	places, values = make([]int32, 0, len(record)), make([]float32, 0, len(record))
	weight, block := make([]float64, 0, len(record)), make([]uint8, 0, len(record))
	for _, c := range record {
		at := v.place[c.column()]
		if at < 0 {
			continue
		}
		w := countWeight(math.Abs(float64(c.n))) * v.rarity[at]
		length[c.block()] += float64(w * w)
		if c.n < 0 {
			w = -w
		}
		places, weight, block = append(places, at), append(weight, w), append(block, c.block())
	}
	for b, sum := range length {
		length[b] = math.Sqrt(sum)
	}
	for k, w := range weight {
		values = append(values, float32(w/length[block[k]]))
	}
	return places, values
}

func countWeight(n float64) float64 {
	if n == 1 { // most are
		return 1
	}
	return 1 + calc.Log(n)
}

// features is the number of a record's counts whose columns are kept.
func (v *vocabulary) features(record []count) (n int) {
	for _, c := range record {
		if v.place[c.column()] >= 0 {
			n++
		}
	}
	return n
}
