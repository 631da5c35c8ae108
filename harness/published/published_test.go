package published

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/harness/seed"
)

// real reads the numbers that come with infnet.
func real(t *testing.T) *Book {
	t.Helper()
	b, err := Read(os.DirFS("../../experiments/paper"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A cell that cannot be read is named: its file, its line, its column.
func TestReadNamesTheMistake(t *testing.T) {
	for _, tt := range []struct{ name, file, from, to, want string }{
		{name: "no decimal", file: "results.csv", from: "99.09", to: "9x.09",
			want: `results.csv, line 2, column saved_pct: "9x.09" is no decimal`},
		{name: "letters", file: "results.csv", from: "99.09", to: "1e2", want: `"1e2" is no decimal`},
		{name: "a column less", file: "models.csv", from: "model,", to: "name,",
			want: "models.csv, line 2: there is no column model"},
		{name: "a cell less", file: "models.csv", from: "gemma3-1b,", to: "", want: "models.csv: "},
		{name: "part of a record", file: "datasets.csv", from: "8000", to: "80.5",
			want: `datasets.csv, line 2, column limit: "80.5" is no whole number`},
		{name: "no file", file: "sufficiency.csv", want: "sufficiency.csv"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := fstest.MapFS{}
			for _, name := range []string{"datasets", "models", "results", "statements", "protocol", "sufficiency"} {
				text, err := os.ReadFile("../../experiments/paper/" + name + ".csv")
				if err != nil {
					t.Fatal(err)
				}
				files[name+".csv"] = &fstest.MapFile{Data: text}
			}
			if text := string(files[tt.file].Data); tt.from == "" {
				delete(files, tt.file)
			} else {
				files[tt.file].Data = []byte(strings.Replace(text, tt.from, tt.to, 1))
			}
			if _, err := Read(files); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

// The files fit each other: every group is of a dataset and of models that are known, and has each policy once.
func TestFilesFitEachOther(t *testing.T) {
	b := real(t)
	models := map[string]bool{}
	for _, m := range b.Models {
		models[m.Name] = m.ID != ""
	}
	policies := []string{None, All, Random, "FrugalGPT", "HybridLLM", "Ours"}
	for _, table := range b.Tables {
		for _, g := range table.Groups {
			if b.Dataset(g.Dataset) == nil || !models[g.Student] || !models[g.Master] {
				t.Errorf("%s: %s, %s, %s: not all known", table.Table, g.Dataset, g.Student, g.Master)
			}
			seen := map[string]bool{}
			for _, r := range g.Rows {
				if seen[r.Policy] || !slices.Contains(policies, r.Policy) {
					t.Errorf("%s, %s: policy %q is unknown, or there twice", table.Table, g.Dataset, r.Policy)
				}
				seen[r.Policy] = true
			}
			if Row(&g, None) == nil && table.Table != Sufficiency {
				t.Errorf("%s, %s has no row of the student alone", table.Table, g.Dataset)
			}
		}
	}
}

// The first two sections of AUDIT.md. A random row is one draw of NumPy's generator per test record, deferred where it
// is below one half: the printed difference to the None row is that share, within a unit of each last digit, as some
// are cut and not rounded. Where it is not, the random row implies another None row: those of statements.csv.
func TestRandomRowsAreOneDraw(t *testing.T) {
	b := real(t)
	start, err := strconv.ParseUint(strings.TrimPrefix(b.Protocol["random"], "numpy:"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	fit, rows := 0, 0
	for _, table := range b.Tables {
		for _, g := range table.Groups {
			random, none := Row(&g, Random), Row(&g, None)
			if random == nil {
				continue
			}
			d, numbers := b.Dataset(g.Dataset), seed.NewNumPy(start)
			n := d.Limit - int(math.Floor(d.Fit*float64(d.Limit)+1e-9))
			deferred := 0
			for range n {
				if numbers.Float64() < 0.5 {
					deferred++
				}
			}
			implied := random.Saved.Value + 100*float64(deferred)/float64(n)
			rows++
			stated, contradicts := b.stated("implied-saved", table.Table, g.Dataset)
			if math.Abs(none.Saved.Value-implied) <= 2*(none.Saved.Slack+random.Saved.Slack)+1e-9 {
				fit++
			} else if math.Abs(stated-implied) > 1e-9 {
				t.Errorf("%s, %s: the random row implies %v, stated %v", table.Table, g.Dataset, implied, stated)
			}
			if contradicts == (math.Abs(none.Saved.Value-implied) <= 2*(none.Saved.Slack+random.Saved.Slack)+1e-9) {
				t.Errorf("%s, %s: a saving is implied where the printed one fits, or none where it does not", table.Table,
					g.Dataset)
			}
		}
	}
	if fit != 38 || rows != 40 { // as AUDIT.md says
		t.Errorf("%d of %d random rows fit", fit, rows)
	}
}

// What AUDIT.md counts in the printed numbers is counted here again, in the sections that need nothing but them.
func TestAuditCountsTheseNumbers(t *testing.T) {
	b := real(t)
	page, err := os.ReadFile("../../experiments/paper/AUDIT.md")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string][2]int{}
	count := func(sentence string, is bool) {
		n := counts[sentence]
		n[1]++
		if is {
			n[0]++
		}
		counts[sentence] = n
	}
	for _, table := range b.Tables {
		for _, g := range table.Groups {
			none, all, random := Row(&g, None), Row(&g, All), Row(&g, Random)
			for _, x := range g.Tests {
				count("p-values", x.P.Value+x.P.Slack < 1./11) // ten permutations: (1 + k)/11
				off := math.Abs(x.Null.Value - x.Full.Value - x.Delta.Value)
				count("differences", off > x.Null.Slack+x.Full.Slack+3*x.Delta.Slack+1e-9) // cut off or rounded
			}
			if none == nil {
				continue
			}
			count("groups lack rows", len(g.Rows) < 6)
			for i := range none.Scores {
				x, y, r := none.Scores[i], all.Scores[i], random.Scores[i]
				count("scores", r.Value >= max(x.Value, y.Value)+2*r.Slack-1e-9 ||
					r.Value <= min(x.Value, y.Value)-2*r.Slack+1e-9)
			}
			saved := none.Saved.Value
			if v, wrong := b.stated("implied-saved", table.Table, g.Dataset); wrong {
				saved = v
			}
			for _, r := range g.Rows {
				if r.Policy != None && r.Policy != All && r.Policy != Random && r.Saved.Value == saved {
					count("rows that defer nothing", r.Scores[0].Value != none.Scores[0].Value ||
						r.Scores[1].Value != none.Scores[1].Value)
				}
			}
		}
	}
	for sentence, n := range counts {
		if want := fmt.Sprintf("%d of %d %s", n[0], n[1], sentence); !strings.Contains(string(page), want) {
			t.Errorf("AUDIT.md does not say %q", want)
		}
	}
}

func TestTableByName(t *testing.T) {
	b := real(t)
	for _, name := range []string{"tab:add_res16", "add_res16"} {
		if tab, err := b.Table(name); err != nil || tab.Table != "tab:add_res16" {
			t.Errorf("%s is %v, %v", name, tab, err)
		}
	}
	if _, err := b.Table("tab:ad_res16"); err == nil || !strings.Contains(err.Error(), `did you mean "tab:add_res16"?`) {
		t.Errorf("error %v names no nearest table", err)
	}
}

// The paper has two tables of policies in its text, fourteen in its appendix,
// and the one of the sufficiency test.
func TestEverythingPublishedIsHere(t *testing.T) {
	b := real(t)
	rows, tests := 0, 0
	for _, tab := range b.Tables {
		for _, g := range tab.Groups {
			rows, tests = rows+len(g.Rows), tests+len(g.Tests)
		}
	}
	if got, want := []int{len(b.Tables), rows, tests, len(b.Datasets), len(b.Models)}, []int{17, 238, 24, 6,
		6}; !slices.Equal(got, want) {
		t.Errorf("tables, rows, tests, datasets, models: %v, want %v", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"0.84", "97", "-4.12", "", ".", "--1", "1_0", "0x1p4", "NaN"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := Parse(s)
		if err == nil && !(n.Slack > 0 && n.Slack <= 0.5) {
			t.Errorf("%q may be off by %v", s, n.Slack)
		}
	})
}
