package place

import "testing"

func TestParent(t *testing.T) {
	for path, want := range map[string]string{
		"datasets[0].labels[1].word": "datasets[0].labels[1]",
		"datasets[0]":                "datasets",
		"datasets":                   "",
		`a."b.c[0]"`:                 "a",
		`a."b\".c".d`:                `a."b\".c"`,
		`"x.y"`:                      "",
	} {
		if got := Parent(path); got != want {
			t.Errorf("Parent(%s) = %q, want %q", path, got, want)
		}
	}
}

// Positions of every way to write a key down.
func TestPositions(t *testing.T) {
	text := "a = 1\nb.c = 2\n[t]\nd = { e = 3, f.g = [4,\n 5] }\n[[u]]\nh = 6\n[[u]]\nh = 7\n[u.v]\nw = 8\n[[u.x]]\ny " +
		"= 'é' # 9\n[[u.x]]\n\"z z\" = [{ q = 10 }]\n"
	x, p := Read("f", []byte(text))
	if p != nil {
		t.Fatal(p)
	}
	for path, want := range map[string][2]Span{ // by hand: key, value
		"a":                    {{1, 1, 1}, {1, 5, 1}},
		"b.c":                  {{2, 3, 1}, {2, 7, 1}},
		"t.d.e":                {{4, 7, 1}, {4, 11, 1}},
		"t.d.f.g[1]":           {{5, 2, 1}, {5, 2, 1}}, // an element has no key: its value
		"u[0].h":               {{7, 1, 1}, {7, 5, 1}},
		"u[1].h":               {{9, 1, 1}, {9, 5, 1}},
		"u[1].v.w":             {{11, 1, 1}, {11, 5, 1}},
		"u[1].x[0].y":          {{13, 1, 1}, {13, 5, 3}},
		`u[1].x[1]."z z"[0].q`: {{15, 12, 1}, {15, 16, 2}},
		"u[1].missing":         {{8, 3, 1}, {8, 3, 1}},
	} {
		if got := x.Key(path); got != want[0] {
			t.Errorf("key %s at %+v, want %+v", path, got, want[0])
		}
		if got := x.Value(path); got != want[1] {
			t.Errorf("value %s at %+v, want %+v", path, got, want[1])
		}
	}
}
