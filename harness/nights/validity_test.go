package nights_test

import (
	"encoding/csv"
	"errors"
	"os"
	"slices"
	"strconv"
	"testing"

	"infnet/metrics/infer"
)

// What HISTORY.md says of the counts of the simulation holds: each valid arm keeps the level, and it is all there.
func TestRecordedLevel(t *testing.T) {
	file, err := os.Open("testdata/nights.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	arms := 0
	for _, line := range lines[1:] {
		of := func(column string) string { return line[slices.Index(lines[0], column)] }
		count, errCount := strconv.Atoi(of("histories"))
		before, errBefore := strconv.Atoi(of("before"))
		if err := errors.Join(errCount, errBefore); err != nil {
			t.Fatal(err)
		}
		share, err := infer.ClopperPearson(before, count, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if count < 1000 {
			t.Errorf("%v: only %d histories", line, count)
		}
		if of("effect") == "0" && of("naive") == "false" {
			arms++
			if share.Low > 0.05 {
				t.Errorf("%v alarms in %v to %v", line, share.Low, share.High)
			}
		}
	}
	if arms < 24 {
		t.Errorf("%d arms", arms)
	}
}
