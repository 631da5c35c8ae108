package analyze

import (
	"infnet/harness/doubt"
	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/task"
)

// doubts asks what looks like a mistake of the study: of the texts as they were
// split, and of the answers of every two models that follow each other, over
// all used records. Each question is a footnote of the table.
func (b *Bench) doubts() {
	list := b.Sheet.Texts(b.Roles.Parts).Doubts
	for m := range b.Last() {
		list = append(list, doubt.Pair(b.doubted(m), b.doubted(m+1), b.gold(), b.labelNames())...)
	}
	for _, d := range list {
		b.out.Notes = append(b.out.Notes, result.Note{Kind: note.Kind(d.Kind), Text: d.Text})
	}
	if n := b.Set.Copies; n > 0 {
		b.out.Counts.Copies = n
		b.out.Notes = append(b.out.Notes, result.NewNote(note.Copies{Rows: n}))
	}
}

// doubted are a model's answers to the used records. Where the master's answers
// are the references it is right by definition, and nothing is asked about it.
func (b *Bench) doubted(m int) doubt.Answers {
	a := doubt.Answers{Model: b.Cascade.Models[m], Given: b.ConfidenceName(m) == "given"}
	oracle, probabilities := b.in.Study.Policy.Setting == policy.Oracle, true
	for i, used := range b.Used {
		if !used {
			continue
		}
		a.Beta = append(a.Beta, b.Models[m].Readings[i].Beta)
		probabilities = probabilities && !b.Models[m].Given[i].NoLogprobs
		a.Cost = append(a.Cost, b.Models[m].Costs[i])
		a.Text = append(a.Text, b.Models[m].Texts[i])
		if b.Dataset.Task == task.Classification {
			a.Class = append(a.Class, b.Models[m].Readings[i].Class)
		}
		if !oracle {
			a.Right = append(a.Right, b.Models[m].Grades[i].Correct)
		}
	}
	if !probabilities {
		a.Beta = nil
	}
	return a
}

// gold are the reference classes of the used records, nil where there are none.
func (b *Bench) gold() []int {
	if b.Dataset.Task != task.Classification || b.in.Study.Policy.Setting == policy.Oracle {
		return nil
	}
	var out []int
	for i, used := range b.Used {
		if used {
			out = append(out, b.References[i].Class)
		}
	}
	return out
}

// Notes are the footnotes of the bench's table.
func (b *Bench) Notes() []result.Note { return b.out.Notes }

func (b *Bench) labelNames() []string {
	var out []string
	for _, l := range b.Dataset.Labels {
		out = append(out, l.Word)
	}
	return out
}
