package files

import (
	"slices"
	"testing"
)

// The first row of every text stays, before the limit, and keeps its id.
func TestDedupe(t *testing.T) {
	const content = "a,b,c\nx,1,p\nx,1,q\nx,2,p\n x,1,p\ny,1,p\nx,1,p\n"
	for _, tt := range []struct {
		name   string
		fields []string
		limit  int
		rank   bool
		ids    []string
		copies int
	}{
		{name: "off", ids: []string{"1", "2", "3", "4", "5", "6"}},
		{name: "one field; a blank makes another text", fields: []string{"a"}, ids: []string{"1", "4", "5"}, copies: 3},
		{name: "two fields", fields: []string{"a", "b"}, ids: []string{"1", "3", "4", "5"}, copies: 2},
		{name: "all, in any order", fields: []string{"c", "b", "a"}, ids: []string{"1", "2", "3", "4", "5"}, copies: 1},
		{name: "before the limit", fields: []string{"a"}, limit: 2, ids: []string{"1", "4"}, copies: 2},
		{name: "before the draw", fields: []string{"a"}, limit: 2, rank: true, ids: []string{"4", "5"}, copies: 3},
	} {
		o := Options{Dedupe: tt.fields, Limit: tt.limit,
			Mapping: Mapping{Fields: map[string]string{"a": "a", "b": "b", "c": "c"}}}
		if tt.rank {
			o.Rank = func(id string) uint64 { return uint64('9' - id[0]) }
		}
		set, err := load(t, "x.csv", content, o)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, e := range set.Examples {
			ids = append(ids, e.ID)
		}
		if !slices.Equal(ids, tt.ids) || set.Copies != tt.copies {
			t.Errorf("%s: rows %v and %d copies, want %v and %d", tt.name, ids, set.Copies, tt.ids, tt.copies)
		}
	}
}
