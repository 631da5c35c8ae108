package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/accept"
)

// dataset makes data of words such as "id=content" or "id=content/class".
func dataset(labels string, words ...string) *accept.Data {
	d := &accept.Data{Name: "d", Hash: labels + fmt.Sprint(words), Records: len(words)}
	if labels != "" {
		d.Labels = strings.Fields(labels)
	}
	for _, w := range words {
		id, rest, _ := strings.Cut(w, "=")
		content, class, classed := strings.Cut(rest, "/")
		d.IDs = append(d.IDs, id)
		d.Content = append(d.Content, uint32(content[0]))
		if classed {
			d.Class = append(d.Class, slices.Index(d.Labels, class))
		}
	}
	return d
}

func TestRecordsArePairedByIdAndContent(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, now *accept.Data
		fields   bool // the prompts name other fields
		of       []int
		words    string
	}{
		{name: "the same", old: dataset("", "1=a", "2=b"), now: dataset("", "1=a", "2=b"), of: []int{0, 1}},
		{name: "changed", old: dataset("", "1=a", "2=b"), now: dataset("", "1=a", "2=c"), of: []int{0, -1},
			words: "1 record has other content (2)"},
		{name: "added and gone", old: dataset("", "1=a", "2=b"), now: dataset("", "1=a", "3=c"), of: []int{0, -1},
			words: "1 record is new (3), 1 record is gone (2)"},
		{name: "renamed", old: dataset("", "1=a", "2=b"), now: dataset("", "x=b", "1=a"), of: []int{1, 0},
			words: "1 record has another id (2 → x)"},
		{name: "in another order", old: dataset("", "1=a", "2=b"), now: dataset("", "2=b", "1=a"), of: []int{1, 0},
			words: "the same records in another order"},
		{name: "numbered by row, the first gone", old: dataset("", "1=a", "2=b", "3=c"), now: dataset("", "1=b", "2=c"),
			of: []int{1, 2}, words: "1 record is gone (1), 2 records have another id (2 → 1, 3 → 2)"},
		{name: "ids exchanged", old: dataset("", "1=a", "2=b"), now: dataset("", "1=b", "2=a"), of: []int{1, 0},
			words: "2 records have another id (2 → 1, 1 → 2)"},
		{name: "copies", old: dataset("", "1=a", "2=a", "3=a"), now: dataset("", "x=a", "2=a", "y=a"), of: []int{0, 1, 2},
			words: "2 records have another id (1 → x, 3 → y)"},
		{name: "other fields", old: dataset("", "1=a", "2=b"), now: dataset("", "1=x", "2=y"), fields: true,
			of: []int{0, 1}, words: "the same ids, and contents that cannot be compared record by record"},
		{name: "another class", old: dataset("no yes", "1=a/no", "2=b/no"), now: dataset("no yes", "1=a/no", "2=b/yes"),
			of: []int{0, -1}, words: "1 record has other content (2)"},
		{name: "a class renamed", old: dataset("no yes", "1=a/no", "2=b/yes"),
			now: dataset("yes nope", "1=a/nope", "2=b/yes"), of: []int{0, 1},
			words: "the same records, with the classes in another order"},
		{name: "a class renamed, a record of it moved", old: dataset("no yes", "1=a/no", "2=b/no", "3=c/no", "4=d/yes"),
			now: dataset("nope yes", "1=a/nope", "2=b/nope", "3=c/yes", "4=d/yes"), of: []int{0, 1, -1, 3},
			words: "1 record has other content (3)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := pair(c.old, c.now, !c.fields)
			if diff := cmp.Diff(c.of, m.of); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			words := ""
			if !m.hashed {
				words, _ = m.words()
			}
			if words != c.words {
				t.Errorf("%q, want %q", words, c.words)
			}
		})
	}
}
