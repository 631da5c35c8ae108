package sufficiency

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"infnet/metrics/infer"
)

const rowsFile = "testdata/validity.csv"

// keep adds a row to the file.
func keep(t *testing.T, r row, got tally) {
	t.Helper()
	f, err := os.OpenFile(filepath.FromSlash(rowsFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	w := csv.NewWriter(f)
	line := []string{*stream, r.table, strconv.Itoa(r.n), r.law, r.name}
	for _, v := range []int{got.studies, got.found, got.undecided, got.helps, got.cubic, got.projected} {
		line = append(line, strconv.Itoa(v))
	}
	if err := w.Write(line); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	if err := f.Close(); err != nil || w.Error() != nil {
		t.Fatal(err, w.Error())
	}
}

// recordedRows are those of the file, by name, in its order under "".
func recordedRows(t *testing.T) map[string][]line {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(rowsFile))
	if err != nil {
		if os.IsNotExist(err) {
			return nil
		}
		t.Fatal(err)
	}
	all, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]line{}
	for _, x := range all[1:] {
		l := line{stream: x[0], table: x[1], n: x[2], law: x[3], name: x[4]}
		for i, to := range []*int{&l.studies, &l.found, &l.undecided, &l.helps, &l.cubic, &l.projected} {
			if *to, err = strconv.Atoi(x[5+i]); err != nil {
				t.Fatal(err)
			}
		}
		out[""] = append(out[""], l)
		if l.stream == *stream {
			out[strings.Join(x[1:5], "|")] = []line{l}
		}
	}
	return out
}

// line is a row of the file.
type line struct {
	stream, table, n, law, name string
	tally
}

// What VALIDITY.md says of the recorded counts: every kind of row is there, and no true null is found so often that all
// of its 95 % interval is above 0.07 but for the row that the page names; nor are the rows of a table together.
func TestRecordedLevel(t *testing.T) {
	sums, above := map[string]*tally{}, 0
	for _, l := range recordedRows(t)[""] {
		if sums[l.table] == nil {
			sums[l.table] = &tally{}
		}
		sums[l.table].studies += l.studies
		sums[l.table].found += l.found
		iv, err := infer.ClopperPearson(l.found, l.studies, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if l.table != "effects" && l.table != "plain" && iv.Low > 0.07 {
			above++
			t.Logf("%s %s %s: %v", l.n, l.law, l.name, iv)
		}
	}
	if above != 1 {
		t.Errorf("%d rows are above 0.07; the page names one", above)
	}
	for _, table := range []string{"hard", "models", "arms", "effects", "plain"} {
		switch sum := sums[table]; {
		case sum == nil:
			t.Errorf("%s has no rows of %s", rowsFile, table)
		case table != "effects" && table != "plain" && sum.found > sum.studies*7/100:
			t.Errorf("%s: %d of %d true nulls are found", table, sum.found, sum.studies)
		}
	}
}
