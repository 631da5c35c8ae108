package table_test

import (
	"strings"
	"testing"

	"infnet/reports/table"
)

// Names that begin in the same way, as those of cascades with the same student do, are told apart, and each keeps its
// segment.
func TestSegments(t *testing.T) {
	long := strings.Repeat("a", 40)
	x := table.Segments{}
	for i, c := range []struct{ name, want string }{
		{"a.b", "a-b"}, {"a:b", "a-b-2"}, {"a+b", "a-b-3"}, {"a:b", "a-b-2"}, {"a.b", "a-b"}, {"a-b-2", "a-b-2-2"},
		{long + "b", long}, {long + "c", long + "-2"}, {long, long + "-3"}, {"日本", "x"}, {"語", "x-2"},
	} {
		if got := x.Of(c.name); got != c.want {
			t.Errorf("%d: %s is %s, want %s", i, c.name, got, c.want)
		}
	}
}
