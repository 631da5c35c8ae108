package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports"
)

// study is a study of drawn records: two models on one dataset of some classes, with the rows that analysis always has.
func study(name string, records, classes int, soft bool) (*result.Results, []result.Record) {
	rng := rand.New(rand.NewPCG(7, uint64(records+classes)))
	labels := make([]string, classes)
	for k := range labels {
		labels[k] = string(rune('a' + k))
	}
	d := result.Dataset{Name: name, Task: "classification", Rule: "label", Labels: labels, Metrics: []string{"accuracy"},
		Budget: result.Budget{Target: "master", Records: records / 2}, Costs: []result.Cost{{Value: 1}, {Value: 8}},
		Counts: result.Counts{Records: records, Used: records, Fit: records / 2, Test: records - records/2}}
	c := result.Cascade{Name: "s+m", Models: []string{"s", "m"}, Setting: "non-oracle", Target: "master",
		Objective: "deferrals", CostModel: "fixed", Summary: "mean"}
	var list []result.Record
	for i := range records {
		beta := math.Round(50*rng.Float64()) / 50 // ties
		wrong := func(p float64) float64 {
			if soft {
				return math.Round(1000*p*rng.Float64()) / 1000
			}
			if rng.Float64() < p {
				return 1
			}
			return 0
		}
		part := result.PartFit
		if i >= records/2 {
			part = result.PartTest
		}
		class := labels[rng.IntN(max(1, classes-1))] // the last is never said
		student := result.RecordAnswer{Model: "s", Class: class, Beta: beta, Error: wrong(0.7 - 0.6*beta), Cost: 1}
		master := result.RecordAnswer{Model: "m", Class: labels[0], Error: wrong(0.1), Cost: 4 + 8*rng.Float64()}
		list = append(list, result.Record{Cascade: c.Name, Dataset: name, ID: fmt.Sprint("r", i), Part: part,
			Models: []result.RecordAnswer{student, master}})
	}
	for _, x := range []struct {
		policy, charge string
		deferred       float64
	}{{"none", "cascade", 0}, {"all", "router", 1}, {"single", "cascade", 0.4}, {"multi", "cascade", 0.35}} {
		at := infer.Interval{Value: x.deferred, Low: x.deferred, High: x.deferred, Level: 0.95, N: d.Counts.Test}
		saved := 100 * (1 - 1.0/8 - x.deferred)
		if x.charge == "router" {
			saved = 0
		}
		d.Rows = append(d.Rows, result.Row{Policy: x.policy, Title: x.policy, Charge: x.charge, Deferred: at,
			Saved:   infer.Interval{Value: saved, Low: saved, High: saved, Level: 0.95, N: d.Counts.Test},
			Metrics: map[string]infer.Interval{"accuracy": {Value: 0.9, Low: 0.8, High: 1, Level: 0.95}}})
	}
	c.Datasets = []result.Dataset{d}
	return &result.Results{Version: result.Version, Name: "drawn", Level: 0.95, Cascades: []result.Cascade{c},
		Models: []result.Model{{Name: "s", ID: "s"}, {Name: "m", ID: "m"}}}, list
}

func all(list []result.Record) iter.Seq2[result.Record, error] {
	return func(yield func(result.Record, error) bool) {
		for _, r := range list {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func build(t *testing.T, in Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := Build(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// blockOf reads a block of the page.
func blockOf(t *testing.T, page, id string, into any) {
	t.Helper()
	m := regexp.MustCompile(`(?s)<script type="application/json" id="` + id + `">(.*?)</script>`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no block %s", id)
	}
	if err := json.Unmarshal([]byte(m[1]), into); err != nil {
		t.Fatalf("block %s: %v", id, err)
	}
}

func TestEqualBytes(t *testing.T) {
	r, list := study("drawn", 400, 4, false)
	in := Input{Results: r, Records: all(list), Command: "infnet run x.toml", Texts: 1 << 20}
	if first, second := build(t, in), build(t, in); first != second {
		t.Error("two pages of one run differ")
	}
}

// The policy names every script and the style by the hash of what the page really holds, and allows no connection.
func TestPolicyNamesWhatThePageHolds(t *testing.T) {
	r, list := study("drawn", 60, 2, false)
	page := build(t, Input{Results: r, Records: all(list)})
	m := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatal("no policy")
	}
	policy := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(m[1])
	for _, want := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "img-src data:",
		"require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %q: %s", want, policy)
		}
	}
	for _, unwanted := range []string{"unsafe", "connect-src", "http", "*"} {
		if strings.Contains(policy, unwanted) {
			t.Errorf("the policy has %q: %s", unwanted, policy)
		}
	}
	held := 0
	for _, x := range regexp.MustCompile(`(?s)<(?:script|style)>(.*?)</(?:script|style)>`).FindAllStringSubmatch(page, -1) {
		held++
		if !strings.Contains(policy, digest(x[1])) {
			t.Errorf("the policy does not name this text:\n%.200s", x[1])
		}
	}
	if held != len(scripts)+1 {
		t.Errorf("%d scripts and styles, want %d", held, len(scripts)+1)
	}
	if found := regexp.MustCompile(`<[^>]+ (style|on[a-z]+|src|srcset)=`).FindString(withoutScripts(page)); found != "" {
		t.Errorf("an attribute that the policy forbids: %s", found)
	}
}

func withoutScripts(page string) string {
	return regexp.MustCompile(`(?s)<(script|style)[^>]*>.*?</(script|style)>`).ReplaceAllString(page, "")
}

// hostile are names that would become markup, script or another direction of writing.
var hostile = []string{`</script><script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`,
	"a\u2028b\u2029c", "\u202egnp.exe", "emoji 🦊 & co", `'quoted' "twice"`, "{{.Study}}", "<!--", "]]>", "\x00null\x7f", "עברית",
	"javascript:alert(1)", "=1+1", "a\xffb", strings.Repeat("long", 300)}

// Names become text wherever they appear, and elements, scripts and comments stay as many as with harmless names.
func TestNamesBecomeNoMarkup(t *testing.T) {
	tags := regexp.MustCompile(`<(/?[a-zA-Z]+|!)`)
	r, list := study("plain", 60, 3, false)
	count := func(r *result.Results, list []result.Record) map[string]int {
		seen := map[string]int{}
		for _, m := range tags.FindAllString(build(t, Input{Results: r, Records: all(list), Command: "infnet run " + r.Name,
			Texts: 1 << 20}), -1) {
			seen[m]++
		}
		return seen
	}
	want := count(r, list)
	for _, name := range hostile {
		t.Run(name[:min(len(name), 20)], func(t *testing.T) {
			r, list := study(name, 60, 3, false)
			r.Name, r.Warnings = name, []string{"plain"}
			c := &r.Cascades[0]
			c.Name, c.Models = name, []string{name, name + "2"}
			r.Models[0].Name, r.Models[0].ID, r.Models[1].Served = name, name, name
			d := &c.Datasets[0]
			d.Labels = []string{name, "b", "c"}
			d.Rows[2].Title = name
			d.Rows[2].Notes = []result.Note{{Kind: "x", Text: name}}
			for i := range list {
				list[i].Cascade, list[i].ID, list[i].Prompt = name, name, name
				list[i].Models[0].Class, list[i].Models[0].Text = name, name
			}
			got := count(r, list)
			for _, tag := range []string{"<script", "</script", "<!", "<img", "<svg", "<style"} {
				if got[tag] != want[tag] {
					t.Errorf("%d of %s, want %d", got[tag], tag, want[tag])
				}
			}
		})
	}
}

func TestInertEndsNoElement(t *testing.T) {
	text, err := json.Marshal(strings.Join(hostile, "|"))
	if err != nil {
		t.Fatal(err)
	}
	got := inert.Replace(string(text))
	if strings.ContainsAny(got, "<>&\u2028\u2029") {
		t.Errorf("not inert: %s", got)
	}
	var a, b string
	if json.Unmarshal(text, &a) != nil || json.Unmarshal([]byte(got), &b) != nil || a != b {
		t.Errorf("%q became %q", a, b)
	}
}

// States in which a study may be: each gives a page, and the page says what is the matter.
func TestOddStates(t *testing.T) {
	fresh := func() (*result.Results, []result.Record) { return study("drawn", 60, 3, false) }
	for _, tt := range []struct {
		name   string
		change func(r *result.Results, in *Input)
		want   string
		not    string
	}{
		{name: "no cascades", change: func(r *result.Results, in *Input) { r.Cascades, in.Records = nil, all(nil) },
			want: "The study has no results", not: `id="explore"`},
		{name: "no records file", change: func(_ *result.Results, in *Input) { in.Records = nil }, want: "no records.jsonl"},
		{name: "incomplete", change: func(r *result.Results, _ *Input) { r.Cascades[0].Incomplete = true },
			want: "are missing than the study allows"},
		{name: "no record of the fit part", change: func(r *result.Results, in *Input) {
			counts := &r.Cascades[0].Datasets[0].Counts
			counts.Used, counts.Fit, counts.Test, in.Records = 0, 0, 0, all(nil)
		}, want: "No record of the fit part"},
		{name: "the master costs nothing", change: func(r *result.Results, _ *Input) {
			r.Cascades[0].Datasets[0].Costs[1].Value = 0
		}, want: `id="explore"`, not: `"ratio":`},
		{name: "a chain", change: func(r *result.Results, in *Input) {
			counts := &r.Cascades[0].Datasets[0].Counts
			counts.Used, counts.Fit, counts.Test, in.Records = 0, 0, 0, all(nil)
			r.Cascades[0].Models = []string{"s", "x", "m"}
		}, want: "three models or more", not: `id="sliders"`},
		{name: "no thresholds", change: func(r *result.Results, _ *Input) {
			r.Cascades[0].Datasets[0].Rows = r.Cascades[0].Datasets[0].Rows[:2]
		}, want: "The study fits no thresholds here"},
		{name: "no command", change: func(_ *result.Results, in *Input) { in.Command = "" }, not: "The command that makes"},
		{name: "a warning", change: func(r *result.Results, _ *Input) { r.Warnings = []string{"beware of this"} },
			want: "beware of this"},
		{name: "an infeasible target", change: func(r *result.Results, _ *Input) {
			r.Cascades[0].Datasets[0].Budget.Target = "1"
		}, want: `id="explore"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, list := fresh()
			in := Input{Results: r, Records: all(list), Command: "infnet run x"}
			tt.change(r, &in)
			page := build(t, in)
			var d data
			blockOf(t, page, "data", &d)
			page += inflated(t, d.Groups)
			if !strings.Contains(page, tt.want) {
				t.Errorf("the page lacks %q", tt.want)
			}
			if tt.not != "" && strings.Contains(page, tt.not) {
				t.Errorf("the page has %q", tt.not)
			}
		})
	}
}

// A drift between the parts, and what makes the numbers be about something else, take the colour of what is good from
// a card; that the test part is small does not.
func TestDoubtedCards(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*result.Dataset)
		want   bool
	}{
		{"small", func(*result.Dataset) {}, false},
		{"drift", func(d *result.Dataset) { d.Split.Warnings = []string{"the error differs"} }, true},
		{"reversed", func(d *result.Dataset) { d.Notes = []result.Note{{Kind: "reversed", Text: "wrong way"}} }, true},
	} {
		r, _ := study("drawn", 60, 3, false)
		tc.change(&r.Cascades[0].Datasets[0])
		if all := cards(r); len(all) != 1 || len(caveats(r, all)) == 0 || all[0].Doubted != tc.want {
			t.Errorf("%s: %+v, want doubted %t", tc.name, all, tc.want)
		}
	}
}

// A card has the saving, or how much more ours costs, and both errors, rounded to a tenth of a percent, and intervals
// only where they are wider than a point.
func TestCardNumbers(t *testing.T) {
	estimate := func(v, low, high float64) infer.Interval { return infer.Interval{Value: v, Low: low, High: high} }
	r, _ := study("drawn", 400, 3, false)
	rows := r.Cascades[0].Datasets[0].Rows
	rows[1].Error = estimate(0.07, 0.07, 0.07)
	ours := &rows[3] // multi
	ours.Error = estimate(0.0725, 0.039, 0.115)
	for _, tt := range []struct {
		saved      infer.Interval
		want, more figureOf // by hand
	}{
		{saved: estimate(16.41, 10.66, 22.94), want: figureOf{"16.4", "[10.7, 22.9]"}},
		{saved: estimate(-20, -22, 1), want: figureOf{"-20.0", "[-22.0, 1.0]"}, more: figureOf{"20.0", "[-1.0, 22.0]"}},
		{saved: estimate(math.NaN(), 0, 0)},
	} {
		ours.Saved = tt.saved
		c := cards(r)[0]
		if math.IsNaN(tt.saved.Value) {
			if c.Policy != "" || len(c.Words) == 0 {
				t.Errorf("without numbers: %+v", c)
			}
			continue
		}
		if c.Policy != "multi" || c.More != tt.more || c.Saved != tt.want ||
			c.Ours != (figureOf{"7.2", "[3.9, 11.5]"}) || c.Alone != (figureOf{Value: "7.0"}) || c.Word == "" {
			t.Errorf("saved %v: %+v, want %+v", tt.saved, c, tt.want)
		}
	}
}

// Up to four outcomes are cards; more are rows of a table, and each has its sentence.
func TestManyOutcomesAreATable(t *testing.T) {
	for datasets, want := range map[int]string{1: `class="cards n1"`, mostCards: `class="cards n4"`,
		mostCards + 1: `id="outcomes"`} {
		r, _ := study("drawn", 60, 3, false)
		d := r.Cascades[0].Datasets[0]
		r.Cascades[0].Datasets = nil
		for i := range datasets {
			d.Name = fmt.Sprint("set ", i)
			r.Cascades[0].Datasets = append(r.Cascades[0].Datasets, d)
		}
		page := build(t, Input{Results: r})
		if !strings.Contains(page, want) {
			t.Errorf("%d datasets: no %s", datasets, want)
		}
		for _, c := range cards(r) {
			if n := strings.Count(page, "<bdi>"+c.Name+"</bdi>"); n < 1 {
				t.Errorf("%d datasets: %s is not there", datasets, c.Name)
			}
		}
	}
}

// Every table and every figure has a number, in the order of the page, and is there once.
func TestNumberedInOrder(t *testing.T) {
	r, list := study("drawn", 60, 3, false)
	page := build(t, Input{Results: r, Records: all(list)})
	for _, what := range []string{`<span class="number">Table (\d+)\.`, `<figcaption><span class="number">Figure (\d+)\.`} {
		for i, m := range regexp.MustCompile(what).FindAllStringSubmatch(page, -1) {
			if m[1] != fmt.Sprint(i+1) {
				t.Errorf("%s: %s at place %d", what, m[1], i+1)
			}
		}
	}
	if n := strings.Count(page, `<span class="number">Table `); n != len(reports.Tables(r)) || n == 0 {
		t.Errorf("%d tables, want %d", n, len(reports.Tables(r)))
	}
}
