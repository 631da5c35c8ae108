package files

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestEachStreamed(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
		fails      string
	}{
		{name: "commas", text: "a,b\n1,2\n", want: []string{"1 2"}},
		{name: "semicolons", text: "a;b\n1;2\n", want: []string{"1 2"}},
		{name: "bars", text: "a|b\n1|2\n", want: []string{"1 2"}},
		{name: "tabs, in which a quote is a quote", text: "a\tb\n\"1\t2\n", want: []string{"\"1 2"}},
		{name: "a semicolon in quotes", text: "\"a;\",b\n", want: nil},
		{name: "a byte order mark", text: "\ufeffa,b\r\n1,2\r\n", want: []string{"1 2"}},
		{name: "nothing", text: "", want: nil},
		{name: "no newline at the end", text: "a,b\n1,2", want: []string{"1 2"}},
		{name: "objects, behind blank lines", text: "\n \n{\"a\":1,\"b\":2}\n\n{\"a\":3,\"b\":4}",
			want: []string{"1 2", "3 4"}},
		{name: "an object that breaks off", text: "\n{\"a\":1,\"b\":2}\n{\"a\":", want: []string{"1 2"},
			fails: "input:3: row 2: is not JSON of one object"},
		{name: "a ragged row", text: "a,b\n1,2\n3\n", want: []string{"1 2"}, fails: "has 1 cells where the header has 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			_, _, err := EachStreamed(context.Background(), "input", strings.NewReader(tt.text), func(r Row) error {
				got = append(got, fmt.Sprint(r.Values["a"], " ", r.Values["b"]))
				return nil
			})
			if (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("error %v, want %q", err, tt.fails)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("rows %q, want %q", got, tt.want)
			}
		})
	}
}
