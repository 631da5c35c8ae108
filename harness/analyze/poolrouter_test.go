package analyze

import (
	"fmt"
	"slices"
	"testing"

	"infnet/harness/router"
	"infnet/harness/seed"
)

// A pool's router learns from every record where there are few, else from a drawn part; groups stay whole, and the same
// seed draws the same part.
func TestRouterPart(t *testing.T) {
	for _, tt := range []struct {
		name     string
		n, group int // records of a group; 0 = none
		from     int
	}{
		{name: "few", n: mostRouted, from: mostRouted},
		{name: "many", n: 3 * mostRouted, from: mostRouted},
		{name: "many in groups of seven", n: 7 * mostRouted, group: 7, from: (mostRouted + 6) / 7 * 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var fit []router.Sample
			for i := range tt.n {
				s := router.Sample{ID: fmt.Sprint(i)}
				if tt.group > 0 {
					s.Group = fmt.Sprint(i / tt.group)
				}
				fit = append(fit, s)
			}
			from, rest := routerPart(fit, seed.Stream(1, "test"))
			again, _ := routerPart(fit, seed.Stream(1, "test"))
			if len(from) != tt.from || !slices.Equal(from, again) {
				t.Fatalf("%d records, want %d, the same again", len(from), tt.from)
			}
			all := slices.Concat(from, rest)
			slices.Sort(all)
			if len(all) != tt.n || len(slices.Compact(all)) != tt.n {
				t.Errorf("%d of %d records", len(all), tt.n)
			}
			if len(rest) > 0 && rest[0] >= tt.from && tt.group == 0 {
				t.Error("the first records were taken, not drawn ones")
			}
			for _, i := range rest {
				if tt.group > 0 && slices.ContainsFunc(from, func(j int) bool { return fit[j].Group == fit[i].Group }) {
					t.Fatalf("group %s is divided", fit[i].Group)
				}
			}
		})
	}
}
