package pipeline

import (
	"strings"
	"testing"

	"infnet/harness/spec"
)

// Of several variables that are not set, the one of the first header by name is
// reported, every time.
func TestHeadersNameTheFirstThatIsMissing(t *testing.T) {
	m := &Model{Model: &spec.Model{Name: "far", HeadersEnv: map[string]string{
		"D": "INFNET_TEST_D", "C": "INFNET_TEST_C", "B": "INFNET_TEST_B", "A": "INFNET_TEST_A"}}}
	for range 20 {
		if _, err := headers(m); err == nil || !strings.Contains(err.Error(), "INFNET_TEST_A, the value of header A") {
			t.Fatalf("error %v, want one that names INFNET_TEST_A", err)
		}
	}
}
