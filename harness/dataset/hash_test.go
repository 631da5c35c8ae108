package dataset

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

var hashed = []Example{
	{ID: "a", Row: 1, Fields: map[string]string{"text": "größe", "n": ""}, Class: -1, References: []string{"x", ""},
		Group: "g"},
	{ID: "b", Row: 7, Class: 2},
}

func TestHashVector(t *testing.T) {
	// testdata/hash.py, Python 3 struct and hashlib; must never change, or no stored answer is found again.
	const want = "8785e51fddc02efe9a6faf0481c52eaa98d1271630a7e7ca98a459c32f190a6a"
	if got := Hash(hashed); got != want {
		t.Errorf("Hash = %s, want %s", got, want)
	}
	if got, want := Hash(nil), "afbc15055dea06a470c481d7aca952b5472c0a052124c732bb5b30d2e2a10d36"; got != want {
		t.Errorf("Hash of nothing = %s, want %s", got, want)
	}
	moved := slices.Clone(hashed)
	moved[1].Row = 99
	if Hash(moved) != want {
		t.Error("the row number is part of the hash")
	}
}

// By hand: the hash of the set behind a word, and the id of what was taken out.
func TestWithout(t *testing.T) {
	set, _ := New("d", slices.Clone(hashed))
	want := fmt.Sprintf("%x", sha256.Sum256([]byte("without\x00"+set.Hash+"\x00a")))
	if set.Without(map[int]bool{0: true}); set.Hash != want || set.Shown != 1 || len(set.Examples) != 1 ||
		set.Examples[0].ID != "b" {
		t.Errorf("%+v, want the hash %s", set, want)
	}
}

func TestNew(t *testing.T) {
	set, err := New("d", hashed)
	if err != nil || set.Hash != Hash(hashed) || set.Name != "d" {
		t.Errorf("%+v, error %v", set, err)
	}
	tests := []struct {
		name     string
		examples []Example
		want     string
	}{
		{"nothing", nil, "empty dataset"},
		{"no id", []Example{{}}, "example 1 has no id"},
		{"same id", []Example{{ID: "a"}, {ID: "b"}, {ID: "a"}}, `examples 1 and 3 share the id "a"`},
		{"field", []Example{{ID: "a", Fields: map[string]string{"text": "\xff"}}}, `field "text" is not valid UTF-8`},
		{"reference", []Example{{ID: "a", References: []string{"\x00"}}}, "a reference contains a NUL character"},
		{"group", []Example{{ID: "a", Group: "\xff"}}, "the group is not valid UTF-8"},
	}
	for _, tt := range tests {
		if _, err := New("d", tt.examples); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
	if _, err := New("d", nil); !errors.Is(err, ErrEmpty) {
		t.Errorf("%v is not ErrEmpty", err)
	}
}
