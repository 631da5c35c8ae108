package router

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"infnet/harness/split"
)

// spy learns nothing but who it was shown.
type spy struct {
	mu   sync.Mutex
	seen []map[string]bool
}

// Scores of the spy: of a record it trained on, and of any other.
const known, unknown = 0.75, 0.25

func (s *spy) learner() Learner {
	return Learner{Name: "spy", Learn: func(_ context.Context, t Task, apply []Sample) (Learned, error) {
		ids := map[string]bool{}
		for _, x := range t.Samples {
			ids[x.ID] = true
		}
		s.mu.Lock()
		s.seen = append(s.seen, ids)
		s.mu.Unlock()
		trained := maps.Clone(ids)
		_, held := t.HoldOut(HeldOut)
		for _, i := range held {
			delete(trained, t.Samples[i].ID)
		}
		out := Learned{Report: Report{Records: len(ids)}, FLOPs: 1}
		for _, x := range apply {
			score := unknown
			if trained[x.ID] {
				score = known
			}
			out.Scores = append(out.Scores, score)
		}
		return out, nil
	}}
}

// No record is scored by a fit that saw it, nor by one that saw its group.
func TestCrossFitScoresOutOfFold(t *testing.T) {
	task := reviews(60, true)
	items := make([]split.Item, len(task.Samples))
	for i := range task.Samples {
		task.Samples[i].Group = fmt.Sprint("g", i/3)
		items[i] = split.Item{ID: task.Samples[i].ID, Group: task.Samples[i].Group}
	}
	folds, err := split.KFold(split.FoldOptions{Seed: 1, Name: "x", K: 5}, items)
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 4} {
		s := &spy{}
		task.Threads = threads
		reported := 0
		task.Progress = func(done, total int) { reported = done * 100 / total }
		_, held := Task{Samples: task.Samples, Labels: task.Labels, Seed: task.Seed,
			Name: task.Name + "/fit-6"}.HoldOut(HeldOut)
		taught := task.Samples[(slices.Max(held)+1)%60] // some record, unless it is held out
		for slices.ContainsFunc(held, func(i int) bool { return task.Samples[i].ID == taught.ID }) {
			taught = task.Samples[(slices.IndexFunc(task.Samples, func(x Sample) bool { return x.ID == taught.ID })+1)%60]
		}
		f, err := CrossFit(t.Context(), s.learner(), task, folds, []Sample{{ID: "new"}, taught})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range f.OutOfFold {
			if math.Abs(p-unknown) > 1e-9 {
				t.Errorf("record %d was scored by a fit that saw it", i)
			}
		}
		if math.Abs(f.Applied[0]-unknown) > 1e-9 || math.Abs(f.Applied[1]-known) > 1e-9 || len(f.Applied) != 2 ||
			len(s.seen) != 6 || len(f.Folds) != 5 || f.All.Records != 60 || f.FLOPs != 1 || reported != 100 {
			t.Errorf("%+v, %d fits, reported %d %%", f, len(s.seen), reported)
		}
	}
	task.Labels = slices.Repeat([]float64{0}, 60)
	f, err := CrossFit(t.Context(), (&spy{}).learner(), task, folds, []Sample{{ID: "new"}})
	if err != nil || !f.Constant || f.Applied[0] != 0 || !strings.Contains(f.All.Note, "nothing was learned") {
		t.Errorf("one label: %+v, %v", f, err)
	}
}

// FitOnce is one fit of all samples, which scores them and the others, in their
// order, as Learn does alone.
func TestFitOnce(t *testing.T) {
	task := reviews(300, true)
	train, apply := task.only(span(0, 200)), task.Samples[200:]
	got, err := FitOnce(t.Context(), NewLight(), train, apply)
	if err != nil {
		t.Fatal(err)
	}
	alone := train
	alone.Name += "/fit"
	want, err := NewLight().Learn(t.Context(), alone, task.Samples)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(slices.Concat(got.OutOfFold, got.Applied), want.Scores) || got.All.Digest != want.Report.Digest ||
		len(got.Folds) != 0 || got.FLOPs <= 0 || got.Constant {
		t.Errorf("%+v", got.All)
	}
	if again, err := FitOnce(t.Context(), NewLight(), shuffled(train, 3), apply); err != nil ||
		!slices.Equal(again.Applied, got.Applied) {
		t.Errorf("in another order other scores (%v)", err)
	}
	for i := range train.Labels {
		train.Labels[i] = 1
	}
	if one, err := FitOnce(t.Context(), NewLight(), train, apply); err != nil || !one.Constant || one.Applied[0] != 1 ||
		len(one.OutOfFold) != 200 {
		t.Errorf("one label: %+v, %v", one, err)
	}
	if _, err := FitOnce(t.Context(), NewLight(), Task{}, apply); err == nil {
		t.Error("nothing was learned from no records, and no error")
	}
}
