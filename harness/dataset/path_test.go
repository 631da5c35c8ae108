package dataset

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParsePath(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Path
		says string // in the error; "" = none
	}{
		{text: "text", want: Path{{Key: "text", IsKey: true}}},
		{text: "translation.de", want: Path{{Key: "translation", IsKey: true}, {Key: "de", IsKey: true}}},
		{text: "a[0][12].b", want: Path{{Key: "a", IsKey: true}, {Index: 0}, {Index: 12}, {Key: "b", IsKey: true}}},
		{text: "größe, in cm", want: Path{{Key: "größe, in cm", IsKey: true}}},
		{text: "", says: "a name is missing"},
		{text: ".a", says: "a name is missing"},
		{text: "a..b", says: "a name is missing"},
		{text: "[0]", says: "a name is missing"},
		{text: "a[-1]", says: "want a number from 0"},
		{text: "a[2147483648]", says: "want a number from 0"}, // 2³¹: no index on a 32-bit machine
		{text: "a[0", says: "want a number from 0"},
		{text: "a[0]b", says: `"b" after an index`},
	} {
		got, err := ParsePath(tt.text)
		if tt.says != "" {
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%q: error %v, want one with %q", tt.text, err, tt.says)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
		} else if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, d)
		}
		if CheckPath(tt.text) != nil {
			t.Errorf("%q: CheckPath refuses what ParsePath reads", tt.text)
		}
	}
}
