package nights_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"infnet/metrics/infer"
)

// row is a line of testdata/nights.csv.
type row map[string]string

func (r row) number(t *testing.T, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("column %s of testdata/nights.csv: %v", column, err)
	}
	return v
}

func simulated(t *testing.T) (rows []row) {
	t.Helper()
	file, err := os.Open("testdata/nights.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		r := row{}
		for i, name := range lines[0] {
			r[name] = line[i]
		}
		rows = append(rows, r)
	}
	return rows
}

// What HISTORY.md says of the counts of the simulation holds: each valid arm keeps the level, and it is all there.
func TestRecordedLevel(t *testing.T) {
	arms := 0
	for _, r := range simulated(t) {
		count, before := int(r.number(t, "histories")), int(r.number(t, "before"))
		share, err := infer.ClopperPearson(before, count, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if count < 1000 {
			t.Errorf("%v: only %d histories", r, count)
		}
		if r["effect"] == "0" && r["naive"] == "false" {
			arms++
			if share.Low > 0.05 {
				t.Errorf("%v alarms in %v to %v", r, share.Low, share.High)
			}
		}
	}
	if arms < 24 {
		t.Errorf("%d arms", arms)
	}
}
