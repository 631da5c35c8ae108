package published

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
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
		"datasets.csv": "dataset,source,task,score1,score2,direction,limit,fit,order,max_tokens\n" +
			"films,hf:a/b:train,classification,accuracy,f1-macro,,8000,0.8,file,1\n",
		"models.csv": "model,id,shape\nsmall,o/small,gemma3-1b\nlarge,o/large,gemma3-4b\n",
		"results.csv": "table,dataset,student,master,policy,score1,score2,saved_pct\ntab:x,films,small,large,None " +
			"Deferred,0.80,0.80,75.00\ntab:x,films,small,large,All Deferred,0.90,0.90,0\n",
		"sufficiency.csv": "dataset,student,master,extra,mse_null,mse_null_sd,mse_full,mse_full_sd,delta_mse,p,p_sd\n" +
			"films,small,large,embeddings,0.20,0.01,0.15,0.01,0.05,0.0909,0.001\n",
		"statements.csv": "place,quantity,table,dataset,value\nhere,permutations,tab:sufficiency,,10\n",
		"protocol.csv":   "fact,value\nrandom,numpy:42\n",
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
		{name: "letters", file: "results.csv", from: "75.00", to: "1e2",
			want: "results.csv, line 2: column 8: \"1e2\" is no decimal"},
		{name: "other header", file: "models.csv", from: "model,", to: "name,",
			want: "models.csv: want the columns model,id,shape"},
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
	for _, g := range b.Groups() {
		rows += len(g.Rows)
	}
	for _, tab := range b.Tables {
		tests += len(tab.Tests)
	}
	if got, want := []int{len(b.Tables), rows, tests, len(b.Datasets), len(b.Models)}, []int{17, 238, 24, 6,
		6}; !slices.Equal(got, want) {
		t.Errorf("tables, rows, tests, datasets, models: %v, want %v", got, want)
	}
	for i := range b.Tables {
		pairs, datasets, n := b.Tables[i].Covers()
		if len(pairs) == 0 || len(datasets) == 0 || n < 4 {
			t.Errorf("%s covers %v, %v, %d rows", b.Tables[i].Label, pairs, datasets, n)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"0.84", "97", "-4.12", "", ".", "--1", "1_0", "0x1p4", "NaN"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := Parse(s)
		if err == nil && !(n.Unit > 0 && n.Unit <= 1 && n.Half() < n.Unit) {
			t.Errorf("%q has a last digit worth %v", s, n.Unit)
		}
	})
}
