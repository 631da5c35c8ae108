package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/dataset"
)

// Texts that are too long for memory together say the same as those in memory, whole or sampled.
func TestTextsApart(t *testing.T) {
	defer func(before int) { inMemory = before }(inMemory)
	inMemory = 1 << 16
	const rows, long = 40, 3000
	text := func(i int) string { return fmt.Sprintf("%d %s ü", i%35, strings.Repeat(string(rune('a'+i%26)), long)) }
	for _, how := range []struct {
		name   string
		change func(*Options)
	}{
		{"whole", func(*Options) {}},
		{"a sample", func(o *Options) {
			o.Limit, o.Rank = 33, func(id string) uint64 { return uint64(len(id)) ^ uint64(id[len(id)-1]) }
		}},
		{"the beginning", func(o *Options) { o.Limit = 38 }},
	} {
		t.Run(how.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.jsonl")
			var b strings.Builder
			for i := range rows {
				fmt.Fprintf(&b, `{"id":"q%d","t":%q,"n":"%d","part":"fit"}`+"\n", i, text(i), i)
			}
			if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			o := Options{Name: "d", Path: path,
				Mapping: Mapping{ID: "id", Part: "part", Fields: map[string]string{"text": "t", "n": "n"}}}
			how.change(&o)
			set, err := Load(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if set.Texts == nil {
				t.Fatal("the texts are in memory")
			}
			var same []dataset.Example
			for i, e := range set.Examples {
				var k int
				if _, err := fmt.Sscanf(e.ID, "q%d", &k); err != nil || e.Row != k+1 || e.Part != "fit" || e.Fields != nil {
					t.Fatalf("example %d: %+v", i, e)
				}
				got, n := set.Fields(i)["text"], set.Fields(i)["n"]
				if got != text(k) || n != fmt.Sprint(k) {
					t.Fatalf("example %s has the text %.20q… and n %q", e.ID, got, n)
				}
				e.Fields = map[string]string{"text": got, "n": n}
				same = append(same, e)
			}
			if want := dataset.Hash(same); set.Hash != want {
				t.Errorf("hash %s, in memory %s", set.Hash, want)
			}
		})
	}
}
