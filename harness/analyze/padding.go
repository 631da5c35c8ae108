package analyze

import (
	"infnet/harness/cost"
	"infnet/harness/result"
	"infnet/harness/result/note"
)

// pad replaces a model's costs by those of padded batches, where the dataset
// asks for them. Batches are of consecutive records of one part: a record that
// fits shares no batch with one that tests, so that nothing fitted knows how
// long the test part's prompts are.
func (b *Bench) pad(m int, basis cost.Basis) error {
	padding := b.Dataset.Padding
	if padding == 0 || b.in.Study.Cost.Model != cost.TFLOPs {
		return nil
	}
	for _, part := range [][]int{b.fit, b.test} {
		counts := make([]cost.Counts, len(part))
		for k, i := range part {
			counts[k] = b.counts[m][i]
		}
		padded, err := padding.Padded(basis.Shape, counts)
		if err != nil {
			return err
		}
		for k, i := range part {
			b.costs[m][i] = padded[k]
		}
	}
	if m == b.last() {
		b.out.Notes = append(b.out.Notes, result.NewNote(note.Padding{Batch: int(padding)}))
	}
	return nil
}
