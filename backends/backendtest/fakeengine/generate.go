package fakeengine

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

type generation struct {
	*Server
	words   Vocabulary
	body    map[string]any
	top     int
	named   bool // tokens are called by their numbers
	short   bool // the list is the token itself and padding
	text    string
	made    int
	content []any
	names   []string
	lps     []any
	tops    []any
}

func (g *generation) run(prompt string, most int) string {
	said := ""
	for range most {
		lps := g.words.Truth(prompt + said)
		best := slices.Index(lps, slices.Max(lps))
		end := g.words[best] == "<e>"
		if !end || g.EOS {
			g.made++
			g.report(best, lps)
		}
		if end {
			return "stop"
		}
		stops, _ := g.body["stop"].([]any)
		for _, stop := range stops {
			if i := strings.Index(said+g.words.Word(best), stop.(string)); i >= 0 {
				g.text += (said + g.words.Word(best))[len(said):max(i, len(said))]
				return "stop"
			}
		}
		said += g.words.Word(best)
		g.text += g.words.Word(best)
	}
	return "length"
}

func (g *generation) echo(prompt string) {
	g.text = prompt
	ids, words := g.words.Split(prompt)
	before := ""
	for i, id := range ids {
		var lp any
		if i > 0 && id < len(g.words) {
			lp = g.words.Truth(before)[id]
		} else if i > 0 {
			lp = -7.5
		}
		before += words[i]
		g.names, g.lps, g.tops = append(g.names, words[i]), append(g.lps, lp), append(g.tops, nil)
	}
}

func (g *generation) name(i int) string {
	if g.named {
		return "token_id:" + strconv.Itoa(i)
	}
	return g.words.Word(i)
}

func (g *generation) report(at int, lps []float64) {
	order := make([]int, len(lps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(math.Copysign(1, lps[b]-lps[a])) })
	order = order[:min(g.top, len(order))]
	if ids, ok := g.body["logprob_token_ids"].([]any); ok && g.TokenIDs {
		order = []int{at}
		for _, id := range ids {
			if n := int(id.(float64)); n != at {
				order = append(order, n)
			}
		}
	}
	if g.short { // vLLM's first runner: token 0 at −∞ fills the row
		lps, order = slices.Clone(lps), []int{at}
		if at != 0 {
			lps[0], order = -9999, []int{at, 0}
		}
	}
	score := func(i int) float64 {
		if i >= len(lps) { // a character
			return -20
		}
		return lps[i]
	}
	entry := func(i int, text string) map[string]any {
		if g.Owner == "m" {
			return map[string]any{"token": g.name(i), "logprob": score(i)}
		}
		e := map[string]any{"token": g.name(i), "logprob": score(i), "bytes": nil}
		if g.Bytes {
			b := []int{}
			for _, c := range []byte(text) {
				b = append(b, int(c))
			}
			e["bytes"] = b
		}
		if g.IDs {
			e["id"] = i
		}
		return e
	}
	e := entry(at, g.words.Word(at))
	list, table := []any{}, map[string]float64{g.name(at): lps[at]}
	for _, i := range order {
		list = append(list, entry(i, g.name(i))) // vLLM: where tokens have numbers for names, the bytes are the name's
		table[g.name(i)] = score(i)
	}
	e["top_logprobs"] = list
	g.content = append(g.content, e)
	g.names, g.lps, g.tops = append(g.names, g.name(at)), append(g.lps, lps[at]), append(g.tops, table)
}
