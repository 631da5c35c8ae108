package audit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"infnet/harness/cost"
	"infnet/harness/published"
	"infnet/harness/spec"
)

// longest prompts and shortest ones, in tokens, for which savings are computed.
const shortestPrompt, longestPrompt = 10, 4000

// beyondWork compares the savings of the None rows with what the work of the
// two models allows.
func beyondWork(b *published.Book) (Finding, error) {
	f := Finding{
		Title: "Savings that counting operations does not give",
		Method: fmt.Sprintf("The student alone saves 100·(1 − c_s/c_m). With both costs in matrix operations per query, "+
			"from the models' shapes and as many new tokens as the dataset allows, the ratio hardly depends on the prompt: "+
			"shown is its range for prompts of %d to %d tokens. "+
			"The authors' program summarises costs with weights and multiplies by a factor of the model's size (%q), which "+
			"is no amount of computation.", shortestPrompt, longestPrompt, b.Protocol["summary"]),
		Columns: []string{"Pair", "Rows", "Printed for None, least", "most", "By operations, least", "most", "Rows beyond"},
	}
	type pair struct{ student, master string }
	var pairs []pair
	for _, g := range b.Groups() {
		if p := (pair{g.Student, g.Master}); !slices.Contains(pairs, p) {
			pairs = append(pairs, p)
		}
	}
	all, err := b.Draws()
	if err != nil {
		return f, err
	}
	beyond, total := 0, 0
	for _, p := range pairs {
		rows, out := 0, 0
		least, most := math.Inf(1), math.Inf(-1)
		low, high := math.Inf(1), math.Inf(-1)
		for _, d := range all {
			if d.Group.Student != p.student || d.Group.Master != p.master {
				continue
			}
			lo, hi, err := byWork(b, p.student, p.master, b.Dataset(d.Group.Dataset).MaxTokens)
			if err != nil {
				return f, err
			}
			saved := d.Likely()
			least, most, low, high = min(least, saved.Value), max(most, saved.Value), min(low, lo), max(high, hi)
			if rows++; saved.Value-saved.Half() > hi {
				out++
			}
		}
		beyond, total = beyond+out, total+rows
		f.Rows = append(f.Rows, []string{p.student + " / " + p.master, fmt.Sprint(rows), decimals(least, 2),
			decimals(most, 2), decimals(low, 2), decimals(high, 2), fmt.Sprint(out)})
	}
	f.Found = of(beyond, total, "None rows save more than operations allow")
	return f, nil
}

// byWork is the range of what the student alone saves, in percent, counted in
// operations.
func byWork(b *published.Book, student, master string, tokens int) (low, high float64, err error) {
	low, high = math.Inf(1), math.Inf(-1)
	for prompt := shortestPrompt; prompt <= longestPrompt; prompt *= 2 {
		var work [2]float64
		for i, name := range []string{student, master} {
			at := slices.IndexFunc(b.Models, func(m published.Model) bool { return m.Name == name })
			shape, ok := spec.KnownShape(b.Models[at].Shape)
			if !ok {
				return 0, 0, errors.New("models.csv: no known shape " + b.Models[at].Shape)
			}
			if work[i], err = cost.FLOPs(shape, prompt, tokens); err != nil {
				return 0, 0, err
			}
		}
		saved := 100 * (1 - work[0]/work[1])
		low, high = min(low, saved), max(high, saved)
	}
	return low, high, nil
}
