package published

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
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

// files are small data files that fit each other.
func files() map[string]string {
	return map[string]string{
		"datasets.csv":    "dataset,source,task,score1,score2,direction,limit,fit,order,max_tokens\nfilms,hf:a/b:train,classification,accuracy,f1-macro,,8000,0.8,file,1\n",
		"models.csv":      "model,id,shape\nsmall,o/small,gemma3-1b\nlarge,o/large,gemma3-4b\n",
		"results.csv":     "table,dataset,student,master,policy,score1,score2,saved_pct\ntab:x,films,small,large,None Deferred,0.80,0.80,75.00\ntab:x,films,small,large,All Deferred,0.90,0.90,0\n",
		"sufficiency.csv": "dataset,student,master,extra,mse_null,mse_null_sd,mse_full,mse_full_sd,delta_mse,p,p_sd\nfilms,small,large,embeddings,0.20,0.01,0.15,0.01,0.05,0.0909,0.001\n",
		"statements.csv":  "place,quantity,table,dataset,value\nhere,permutations,tab:sufficiency,,10\n",
		"protocol.csv":    "fact,value\nrandom,numpy:42\n",
	}
}

func system(f map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range f {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func TestReadNamesTheMistake(t *testing.T) {
	if _, err := Read(system(files())); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, file, from, to, want string }{
		{name: "no decimal", file: "results.csv", from: "75.00", to: "75,00", want: "results.csv"},
		{name: "letters", file: "results.csv", from: "75.00", to: "1e2", want: "results.csv, line 2: column 8: \"1e2\" is no decimal"},
		{name: "other header", file: "models.csv", from: "model,", to: "name,", want: "models.csv: want the columns model,id,shape"},
		{name: "unknown dataset", file: "results.csv", from: "tab:x,films", to: "tab:x,plays", want: `no dataset "plays"`},
		{name: "unknown model", file: "sufficiency.csv", from: "small,large", to: "small,huge", want: `no model "huge"`},
		{name: "unknown policy", file: "results.csv", from: "None Deferred", to: "Nobody", want: `"Nobody" is unknown`},
		{name: "row twice", file: "results.csv", from: "All Deferred", to: "None Deferred", want: "there twice"},
		{name: "empty cell", file: "models.csv", from: "o/small", to: "", want: "models.csv, line 2: column 2 is empty"},
		{name: "part of a record", file: "datasets.csv", from: "8000", to: "80.5", want: "no whole number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := files()
			f[tt.file] = strings.Replace(f[tt.file], tt.from, tt.to, 1)
			if _, err := Read(system(f)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
	for name := range files() {
		f := files()
		delete(f, name)
		if _, err := Read(system(f)); err == nil {
			t.Errorf("without %s there is no error", name)
		}
	}
}

func TestTableByName(t *testing.T) {
	b := real(t)
	for _, name := range []string{"tab:add_res16", "add_res16"} {
		if tab, err := b.Table(name); err != nil || tab.Label != "tab:add_res16" {
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
	for _, g := range b.groups() {
		rows += len(g.Rows)
	}
	for _, tab := range b.Tables {
		tests += len(tab.Tests)
	}
	if got, want := []int{len(b.Tables), rows, tests, len(b.Datasets), len(b.Models)}, []int{17, 238, 24, 6, 6}; !slices.Equal(got, want) {
		t.Errorf("tables, rows, tests, datasets, models: %v, want %v", got, want)
	}
	for i := range b.Tables {
		pairs, datasets, n := b.Tables[i].Covers()
		if len(pairs) == 0 || len(datasets) == 0 || n < 4 {
			t.Errorf("%s covers %v, %v, %d rows", b.Tables[i].Label, pairs, datasets, n)
		}
	}
}

// column picks one column of a finding's rows, cells joined where several.
func column(f Finding, at ...int) []string {
	var out []string
	for _, r := range f.Rows {
		var cells []string
		for _, i := range at {
			cells = append(cells, r[i])
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out
}

func audit(t *testing.T, b *Book) map[string]Finding {
	t.Helper()
	list, err := Audit(b)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Finding{}
	for _, f := range list {
		out[f.Title] = f
	}
	return out
}

// What is known of the tables from working them out by hand.
func TestAuditFindsWhatIsThere(t *testing.T) {
	found := audit(t, real(t))
	for _, tt := range []struct {
		title, found string
		columns      []int
		rows         []string
	}{
		{"Random rows are one draw of NumPy's generator", "38 of 40 random rows fit", []int{0, 2}, // numpy 2.4.6: (default_rng(42).random(n) < .5).sum()
			[]string{"sst-2 813", "fakenews 405", "emotion 813", "agnews 813", "squad 813", "wmt 813"}},
		{"None rows that the random rows contradict", "2 of 40 None rows", []int{0, 3, 4}, // 26.20 + 50.81, 40.50 + 50.81
			[]string{"tab:add_res2 98.69 77.01", "tab:add_res16 100 91.31"}},
		{"Savings that no whole number of deferred records gives", "6 of 118 cells", []int{0, 1, 3}, []string{
			"tab:multi-thres_results fakenews FrugalGPT", "tab:add_res1 sst-2 Ours", "tab:add_res1 agnews Ours",
			"tab:add_res4 fakenews Ours", "tab:add_res5 fakenews Ours", "tab:add_res16 sst-2 Ours"}},
		{"The same decisions with different scores", "4 of 26 rows that defer nothing", []int{0, 5}, []string{
			"tab:single-thres_results Ours", "tab:add_res2 FrugalGPT", "tab:add_res2 HybridLLM", "tab:add_res2 Ours"}},
		{"ΔMSE that is not the difference of its two errors", "2 of 24 differences", []int{0, 2}, []string{"emotion embeddings", "wmt output-stats"}},
		{"Rows and tables that are not there", "1 of 40 groups lack rows", []int{1}, []string{"FrugalGPT, HybridLLM", "tab:add_res6", "tab:add_res12"}},
	} {
		f := found[tt.title]
		if f.Found != tt.found {
			t.Errorf("%s: %q, want %q", tt.title, f.Found, tt.found)
		}
		if diff := cmp.Diff(tt.rows, column(f, tt.columns...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.title, diff)
		}
	}
	if got := found["p-values below the smallest possible one"].Found; got != "18 of 24 p-values" {
		t.Errorf("p-values: %s", got)
	}
	models := map[string]bool{}
	for _, s := range column(found["One model on one dataset with different scores"], 0, 1) {
		models[s] = true
	}
	for _, want := range []string{"sst-2 gemma3-12b", "agnews gemma3-12b", "sst-2 gemma3-27b", "squad gemma3-1b"} {
		if !models[want] {
			t.Errorf("%s is printed with different scores, and not found among %v", want, slices.Sorted(maps.Keys(models)))
		}
	}
}

// A number that is changed is found: each check looks at the numbers.
func TestAuditSeesEveryPlantedMistake(t *testing.T) {
	find := func(b *Book, table, dataset, policy string) *Row {
		tab, err := b.Table(table)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tab.Groups {
			for j := range tab.Groups[i].Rows {
				if tab.Groups[i].Dataset == dataset && tab.Groups[i].Rows[j].Policy == policy {
					return &tab.Groups[i].Rows[j]
				}
			}
		}
		t.Fatalf("no %s of %s in %s", policy, dataset, table)
		return nil
	}
	number := func(text string) Number {
		n, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := audit(t, real(t))
	for _, tt := range []struct {
		title string
		plant func(b *Book)
	}{
		{"None rows that the random rows contradict", func(b *Book) { find(b, "tab:add_res3", "agnews", None).Saved = number("73.82") }},
		{"Savings that no whole number of deferred records gives", func(b *Book) { find(b, "tab:add_res3", "agnews", Ours).Saved = number("70.47") }},
		{"The same decisions with different scores", func(b *Book) { find(b, "tab:add_res3", "fakenews", Ours).Scores[0] = number("0.84") }},
		{"One model on one dataset with different scores", func(b *Book) { find(b, "tab:add_res5", "emotion", None).Scores[0] = number("0.47") }},
		{"Random rows outside the two models", func(b *Book) { find(b, "tab:add_res5", "emotion", Random).Scores[0] = number("0.45") }},
		{"Savings that counting operations does not give", func(b *Book) { find(b, "tab:add_res8", "wmt", None).Saved = number("96.68") }},
		{"p-values below the smallest possible one", func(b *Book) { b.Tables[16].Tests[1].P = number("0.0902") }},
		{"ΔMSE that is not the difference of its two errors", func(b *Book) { b.Tables[16].Tests[0].Delta = number("0.0194") }},
		{"What the text says beside the tables", func(b *Book) { find(b, "tab:single-thres_results", "squad", Ours).Saved = number("26.41") }},
		{"HybridLLM, a router, is charged as a cascade", func(b *Book) { find(b, "tab:add_res8", "squad", HybridLLM).Saved = number("-9.77") }},
	} {
		t.Run(tt.title, func(t *testing.T) {
			b := real(t)
			tt.plant(b)
			if after := audit(t, b)[tt.title]; cmp.Equal(before[tt.title].Rows, after.Rows) {
				t.Errorf("the change is not seen: %v", after.Found)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"0.84", "97", "-4.12", "", ".", "--1", "1_0", "0x1p4", "NaN"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := parse(s)
		if err == nil && !(n.Unit > 0 && n.Unit <= 1 && n.Half() < n.Unit) {
			t.Errorf("%q has a last digit worth %v", s, n.Unit)
		}
	})
}
