package dataset

import (
	"slices"
	"testing"
)

// In one kind of file a name has one meaning.
func TestNamesHaveOneMeaning(t *testing.T) {
	// A question is also an example's text; an answer is a class where the classes are what is compared.
	twice := map[string][]string{"target": {"label", "to"}, "student_class": {"student", "class"},
		"student_prediction": {"student", "class"}}
	for _, kind := range []FileKind{DataFile, Questions, Log, Recording} {
		meaning := map[string][]string{}
		for _, role := range Roles(kind) {
			for _, name := range Names(kind, Role(role)) {
				meaning[name] = append(meaning[name], role)
			}
		}
		for name, roles := range meaning {
			if slices.Sort(roles); len(roles) > 1 && !slices.Equal(roles, slices.Sorted(slices.Values(twice[name]))) {
				t.Errorf("kind %d: %q is %v", kind, name, roles)
			}
		}
	}
	if got := Find([]string{"A", "Beta", "confidence"}, Names(Log, "confidence"), "confidence"); got != "Beta" {
		t.Errorf("found %q, want Beta", got)
	}
}
