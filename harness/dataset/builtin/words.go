package builtin

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The tasks with their word lists, by the names of the fields that they go to.
//
//go:embed words/*.json
var files embed.FS

// load reads a task. The files come with the program, so that a mistake in one is a mistake in this package: it panics,
// and every test finds it.
func load[T any](task string) (words T) {
	b, err := files.ReadFile("words/" + task + ".json")
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		err = d.Decode(&words)
	}
	if err != nil {
		panic(fmt.Sprintf("builtin: words/%s.json: %v", task, err))
	}
	return words
}

// one draws one of the words, each as likely as the next.
func one[T any](r *rand.Rand, words []T) T { return words[r.IntN(len(words))] }

// chance is true with probability p.
func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

// weighted draws an index in proportion to the weights.
func weighted(r *rand.Rand, weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	k := r.IntN(total)
	for i, w := range weights {
		if k < w {
			return i
		}
		k -= w
	}
	panic("builtin: no weights")
}

// several draws n different words, in random order.
func several[T any](r *rand.Rand, words []T, n int) []T {
	out := make([]T, 0, n)
	for _, i := range r.Perm(len(words))[:n] {
		out = append(out, words[i])
	}
	return out
}

// slots are the lists that {names} in a template are drawn from.
type slots map[string][]string

// fill replaces each {name} by a word of that list; the words may hold
// further names. A name without a list is a mistake in this package.
func (s slots) fill(r *rand.Rand, template string) string {
	for {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			return template
		}
		shut := open + strings.IndexByte(template[open:], '}')
		words, ok := s[template[open+1:shut]]
		if !ok {
			panic("builtin: no words for " + template[open:shut+1])
		}
		template = template[:open] + one(r, words) + template[shut+1:]
	}
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string { return capital(text) + "." }

func capital(text string) string {
	c, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(c)) + text[size:]
}

// article puts "a" or "an" before a word.
func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}
