package analyze

import (
	"slices"
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/harness/result/note"
)

// The study by hand: the master errs twice on the fit part, as the single threshold does, so that the master alone
// is the rival. At a tenth of the master's price the cascade is cheaper; at twice its price the row says that it is
// not, and below which ratio it would be: 1 less the share that the test part defers.
func TestRowsNameABestSingleModel(t *testing.T) {
	for _, tt := range []struct {
		name, student string
		ratio         float64
		verdict       string
	}{
		{name: "a cheap student", student: "price_in  = 1_000_000\nprice_out = 2_000_000", ratio: .1, verdict: "cheaper"},
		{name: "a student above its master", student: "price_in  = 20_000_000\nprice_out = 40_000_000", ratio: 2,
			verdict: "costlier"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(handTOML, "price_in  = 1_000_000\nprice_out = 2_000_000", tt.student, 1)
			if !strings.Contains(text, tt.student) {
				t.Fatal("the study has other prices")
			}
			_, d := analysed(t, handInput(t, load(t, text), byHand, nil))
			row := rowNamed(t, d, Single)
			v := row.Rival
			if v == nil || v.First != "master" || v.P != 0 || v.Verdict != tt.verdict {
				t.Fatalf("rival %+v, want the master alone, %s", v, tt.verdict)
			}
			near(t, "price ratio", v.Ratio, tt.ratio)
			near(t, "break-even", v.BreakEven.Value, 1-row.Deferred.Value)
			near(t, "cost share", v.Cost.Value, tt.ratio+row.Deferred.Value)
			noted := slices.ContainsFunc(row.Notes, func(n result.Note) bool { return n.Kind == note.Rival{}.Kind() })
			if noted != (tt.verdict == "costlier") {
				t.Errorf("note: %v", noted)
			}
			if none := rowNamed(t, d, "none"); none.Rival != nil {
				t.Errorf("the student alone has the rival %+v", none.Rival)
			}
		})
	}
}
