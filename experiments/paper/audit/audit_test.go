package audit

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/published"
)

// book reads the numbers that come with infnet.
func book(t *testing.T) *published.Book {
	t.Helper()
	b, err := published.Read(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	return b
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

func audit(t *testing.T, b *published.Book) map[string]Finding {
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
	found := audit(t, book(t))
	for _, tt := range []struct {
		title, found string
		columns      []int
		rows         []string
	}{
		// numpy 2.4.6: (default_rng(42).random(n) < .5).sum()
		{"Random rows are one draw of NumPy's generator", "38 of 40 random rows fit", []int{0, 2},
			[]string{"sst-2 813", "fakenews 405", "emotion 813", "agnews 813", "squad 813", "wmt 813"}},
		{"None rows that the random rows contradict", "2 of 40 None rows", []int{0, 3, 4}, // 26.20 + 50.81, 40.50 + 50.81
			[]string{"tab:add_res2 98.69 77.01", "tab:add_res16 100 91.31"}},
		{"Savings that no whole number of deferred records gives", "6 of 118 cells", []int{0, 1, 3}, []string{
			"tab:multi-thres_results fakenews FrugalGPT", "tab:add_res1 sst-2 Ours", "tab:add_res1 agnews Ours",
			"tab:add_res4 fakenews Ours", "tab:add_res5 fakenews Ours", "tab:add_res16 sst-2 Ours"}},
		{"The same decisions with different scores", "4 of 26 rows that defer nothing", []int{0, 5}, []string{
			"tab:single-thres_results Ours", "tab:add_res2 FrugalGPT", "tab:add_res2 HybridLLM", "tab:add_res2 Ours"}},
		{"ΔMSE that is not the difference of its two errors", "2 of 24 differences", []int{0, 2},
			[]string{"emotion embeddings", "wmt output-stats"}},
		{"Rows and tables that are not there", "1 of 40 groups lack rows", []int{1},
			[]string{"FrugalGPT, HybridLLM", "tab:add_res6", "tab:add_res12"}},
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
	find := func(b *published.Book, table, dataset, policy string) *published.Row {
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
	number := func(text string) published.Number {
		n, err := published.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := audit(t, book(t))
	for _, tt := range []struct {
		title string
		plant func(b *published.Book)
	}{
		{"None rows that the random rows contradict",
			func(b *published.Book) { find(b, "tab:add_res3", "agnews", published.None).Saved = number("73.82") }},
		{"Savings that no whole number of deferred records gives",
			func(b *published.Book) { find(b, "tab:add_res3", "agnews", published.Ours).Saved = number("70.47") }},
		{"The same decisions with different scores", func(b *published.Book) {
			find(b, "tab:add_res3", "fakenews", published.Ours).Scores[0] = number("0.84")
		}},
		{"One model on one dataset with different scores",
			func(b *published.Book) { find(b, "tab:add_res5", "emotion", published.None).Scores[0] = number("0.47") }},
		{"Random rows outside the two models", func(b *published.Book) {
			find(b, "tab:add_res5", "emotion", published.Random).Scores[0] = number("0.45")
		}},
		{"Savings that counting operations does not give",
			func(b *published.Book) { find(b, "tab:add_res8", "wmt", published.None).Saved = number("96.68") }},
		{"p-values below the smallest possible one", func(b *published.Book) { b.Tables[16].Tests[1].P = number("0.0902") }},
		{"ΔMSE that is not the difference of its two errors",
			func(b *published.Book) { b.Tables[16].Tests[0].Delta = number("0.0194") }},
		{"What the text says, compared with the tables", func(b *published.Book) {
			find(b, "tab:single-thres_results", "squad", published.Ours).Saved = number("26.41")
		}},
		{"HybridLLM, a router, is charged as a cascade",
			func(b *published.Book) { find(b, "tab:add_res8", "squad", published.HybridLLM).Saved = number("-9.77") }},
	} {
		t.Run(tt.title, func(t *testing.T) {
			b := book(t)
			tt.plant(b)
			if after := audit(t, b)[tt.title]; cmp.Equal(before[tt.title].Rows, after.Rows) {
				t.Errorf("the change is not seen: %v", after.Found)
			}
		})
	}
}
