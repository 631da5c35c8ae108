package sufficiency

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	for _, x := range all {
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

// rate is k of n with its exact 95 % interval, in bold where all of it is above 0.07.
func rate(t *testing.T, k, n int) string {
	t.Helper()
	iv, err := infer.ClopperPearson(k, n, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	share := fmt.Sprintf("%.3f", iv.Value)
	if iv.Low > 0.07 {
		share = "**" + share + "**"
	}
	return fmt.Sprintf("%s | %.3f–%.3f", share, iv.Low, iv.High)
}

// The tables of VALIDITY.md are what testdata/validity.csv has.
func TestValidityPage(t *testing.T) {
	const page, rates = "VALIDITY.md", "share | 95 % |"
	tables := map[string]*strings.Builder{}
	for name, head := range map[string]string{
		"hard":  "| n | law | β | studies | found | cannot decide | " + rates,
		"arms":  "| n | β | risk and J | studies | found | cannot decide | " + rates,
		"sizes": "| n | classes | studies | found | cannot decide | most of one model | " + rates,
		"plain": "| β | risk and J | studies | found | " + rates,
		"effects": "| n | effect | studies | F | found | *J helps* | cannot decide | projected alone | of the better | " +
			rates,
	} {
		columns := strings.Count(head, "|") - 1
		tables[name] = &strings.Builder{}
		fmt.Fprintf(tables[name], "%s\n|%s\n", head, strings.Repeat("---|", columns))
	}
	var sums, every, sizes []*line // sums of the tables, in order
	most := map[string]line{}
	sum := func(list *[]*line, key string, l line) {
		i := slices.IndexFunc(*list, func(x *line) bool { return x.name == key })
		if i < 0 {
			i = len(*list)
			*list = append(*list, &line{name: key})
		}
		(*list)[i].add(l)
	}
	for _, l := range recordedRows(t)[""] {
		one := func(format string, a ...any) {
			share := rate(t, l.found, l.studies)
			if l.table == "effects" {
				share = strings.ReplaceAll(share, "**", "")
			}
			fmt.Fprintf(tables[l.table], "| "+format+" | %s |\n", append(a, share)...)
		}
		switch l.table {
		case "hard":
			one("%s | %s | %s | %d | %d | %d", l.n, l.name, l.law, l.studies, l.found, l.undecided)
		case "arms":
			if strings.HasPrefix(rate(t, l.found, l.studies), "**") { // the others are in the file, and in the sums
				one("%s | %s | %s | %d | %d | %d", l.n, l.law, l.name, l.studies, l.found, l.undecided)
			}
			sum(&sums, l.n+" | | *all*", l)
			sum(&every, "| | *all*", l)
		case "plain":
			one("%s | %s | %d | %d", l.law, l.name, l.studies, l.found)
		case "effects":
			one("%s | %s | %d | %d | %d | %d | %d | %d | %.2f", l.n, l.name, l.studies, l.cubic, l.found, l.helps,
				l.undecided, l.projected, float64(l.found)/float64(max(1, l.cubic, l.projected)))
		case "models":
			size := l.n + " | " + strings.TrimSuffix(l.name, " classes")
			if l.found > most[size].found || most[size].studies == 0 {
				most[size] = l
			}
			sum(&sizes, size, l)
		}
	}
	for _, l := range append(sums, every...) {
		fmt.Fprintf(tables["arms"], "| %s | %d | %d | %d | %s |\n", l.name, l.studies, l.found, l.undecided,
			rate(t, l.found, l.studies))
	}
	for _, l := range sizes {
		m := most[l.name]
		fmt.Fprintf(tables["sizes"], "| %s | %d | %d | %d | %d of %d | %s |\n", l.name, l.studies, l.found, l.undecided,
			m.found, m.studies, rate(t, l.found, l.studies))
	}
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := string(data)
	for name, table := range tables {
		head, rest, ok := strings.Cut(want, "<!-- "+name+" -->\n")
		_, tail, also := strings.Cut(rest, "<!-- end -->")
		if !ok || !also {
			t.Fatalf("%s has no <!-- %s --> with an end", page, name)
		}
		want = head + "<!-- " + name + " -->\n" + table.String() + "<!-- end -->" + tail
	}
	switch {
	case *update:
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	case want != string(data):
		t.Errorf("the tables of %s are not what %s has; go test ./sufficiency -update writes them", page, rowsFile)
	}
}

func (l *line) add(o line) {
	l.studies += o.studies
	l.found += o.found
	l.undecided += o.undecided
}
