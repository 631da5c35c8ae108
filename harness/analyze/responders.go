package analyze

import (
	"fmt"
	"maps"
	"slices"

	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
)

// answeredBy counts a model's answers by the model name that the server reported.
func answeredBy(t records.Table, s *spec.Study, model string) []result.Responder {
	by := map[string]int{}
	for _, d := range s.Datasets {
		if a := t[records.AnswersID{Model: model, Dataset: d.Name}]; a != nil {
			for i := range a.Len() {
				tally(by, a, i)
			}
		}
	}
	return responders(by)
}

// batched counts a model's answers that came in batch files, and all of them.
func batched(t records.Table, s *spec.Study, model string) (n, of int) {
	for _, d := range s.Datasets {
		if a := t[records.AnswersID{Model: model, Dataset: d.Name}]; a != nil {
			for i := range a.Len() {
				if a.Cause(i) == "" {
					of++
					n += fromBatch(a, i)
				}
			}
		}
	}
	return n, of
}

// fromBatch is 1 for an answer that came in a batch file.
func fromBatch(a *records.Answers, i int) int {
	if a.Head(i).Batch != "" {
		return 1
	}
	return 0
}

// unconfirmed says why it is not certain who answers, where n of a model's answers came in batch files.
func unconfirmed(known string, n, of int) string {
	const nobody = "came in batch files, where no server can be asked who answers"
	switch {
	case n == 0:
		return known
	case n == of:
		return "all answers " + nobody
	case known != "":
		known += ", and "
	}
	return known + fmt.Sprintf("%d of %d answers ", n, of) + nobody
}

// contents says what the answers of each model to each dataset are.
func contents(t records.Table, s *spec.Study) (out []result.AnswersContent) {
	for _, m := range s.Models {
		for _, d := range s.Datasets {
			if a := t[records.AnswersID{Model: m.Name, Dataset: d.Name}]; a != nil {
				n, hash := a.Content()
				out = append(out, result.AnswersContent{Model: m.Name, Dataset: d.Name, Answers: n, Hash: hash})
			}
		}
	}
	return out
}

func tally(by map[string]int, answers *records.Answers, i int) {
	if name := answers.Head(i).Model; name != "" {
		by[name]++
	}
}

func responders(by map[string]int) (out []result.Responder) {
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out = append(out, result.Responder{Name: name, Answers: by[name]})
	}
	return out
}

// identities returns notes on what is not certain of models: who answers, at which price, how sure they are.
func identities(r *records.Records) (notes []result.Note) {
	var several []note.Names
	var doubtful []note.Doubtful
	var hidden []note.Share
	var prices []note.BatchPrice
	for m, name := range r.Cascade.Models {
		by := map[string]int{}
		batch, of, sure := 0, 0, 0
		for i, used := range r.Used {
			if !used {
				continue
			}
			tally(by, r.Models[m].Answers, i)
			batch, of = batch+fromBatch(r.Models[m].Answers, i), of+1
			if m < r.Last() && confidence.Hidden(r.Models[m].At(i)) {
				sure++
			}
		}
		if 10*sure >= max(of, 1) {
			hidden = append(hidden, note.Share{Model: name, Count: sure, Of: of})
		}
		if len(by) > 1 {
			names := note.Names{Model: name}
			for _, x := range responders(by) {
				names.Names = append(names.Names, note.Counted{Name: x.Name, Count: x.Answers})
			}
			several = append(several, names)
		}
		if why := unconfirmed(r.Models[m].Facts.Unconfirmed, batch, of); why != "" {
			doubtful = append(doubtful, note.Doubtful{Model: name, Why: why})
		}
		discount := r.Models[m].Spec.BatchDiscount
		if r.Study.Cost.Model == cost.Price && (batch > 0 || r.Study.Cost.Batch && discount > 0) {
			prices = append(prices, note.BatchPrice{Model: name, Batched: batch, Of: of, Discount: discount})
		}
	}
	if several != nil {
		notes = append(notes, note.Responders(several))
	}
	if doubtful != nil {
		notes = append(notes, note.Unconfirmed(doubtful))
	}
	if hidden != nil {
		notes = append(notes, note.Hidden(hidden))
	}
	if prices != nil {
		notes = append(notes, note.BatchPrices(r.Study.Cost.Batch, prices))
	}
	return notes
}
