package folder

import (
	"strings"
	"testing"
)

// Names have at most 80 letters, and a pair of a chain has those of up to eight models: file systems hold 255, of which
// a temporary file's own part takes up to 40.
func TestPolicyNamesFit(t *testing.T) {
	model := func(letter string) string { return strings.Repeat(letter, 80) }
	long := strings.Join([]string{model("a"), model("b"), model("c"), model("d"), model("e"), model("f")}, "+")
	for _, c := range []struct{ name, cascade, dataset, policy, want string }{
		{"short names are whole", "small+large", "reviews", "multi", "small-large--reviews--multi"},
		{"a pair of models with paths", model("a") + "+large", "reviews", "single", model("a") + "-large--reviews--single"},
		{"two long models on a long dataset", model("a") + "+" + model("b"), model("d"), "multi-beta-logistic", ""},
		{"a pair of a long chain", long + " (" + model("a") + "+" + model("f") + ")", model("d"), "multi-beta-logistic", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := policyName(c.cascade, c.dataset, c.policy)
			if c.want != "" && got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if len(got) > 200 {
				t.Errorf("%d letters: %s", len(got), got)
			}
			if !strings.HasSuffix(got, "--"+c.dataset+"--"+c.policy) {
				t.Errorf("the dataset and the policy are not at the end of %s", got)
			}
			if other := policyName(strings.Replace(c.cascade, "a", "z", 1), c.dataset, c.policy); other == got {
				t.Errorf("two cascades have the file %s", got)
			}
			middle := len(c.cascade) / 2
			if other := policyName(c.cascade[:middle]+"x"+c.cascade[middle+1:], c.dataset, c.policy); other == got {
				t.Errorf("two cascades that differ in the middle have the file %s", got)
			}
		})
	}
}
