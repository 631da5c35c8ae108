package pipeline

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// heard notes what is shown.
type heard struct {
	Silent
	said *[]string
	what string
	done int
}

func (h heard) Begin(t Task) Meter {
	*h.said = append(*h.said, "start "+t.Name)
	return &heard{said: h.said, what: t.Name}
}

func (h *heard) Add(n, _ int) { h.done += n }

func (h *heard) Finish(context.Context) {
	*h.said = append(*h.said, fmt.Sprintf("end %s %d", h.what, h.done))
}

// Computations that run side by side begin and end once each; one that says twice that it is done does not begin again,
// one that goes back does.
func TestStepsSideBySide(t *testing.T) {
	var said []string
	s := Steps{Events: heard{said: &said}}
	for _, p := range []struct {
		what string
		done int
	}{{"a", 1}, {"b", 1}, {"a", 2}, {"b", 3}, {"b", 3}, {"a", 2}, {"a", 1}} {
		s.Progress(p.what, p.done, 3)
	}
	s.Finish()
	s.Progress("c", 1, 3)
	want := []string{"start a", "start b", "end b 3", "end a 2", "start a", "end a 1"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
}
