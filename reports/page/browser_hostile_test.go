package page_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"infnet/harness/result"
)

// hostile are texts that have made trouble on pages, in terminals and in spreadsheets. alert and attack are what a
// script among them would call.
var hostile = []string{
	`</script><script>alert(1)</script>`,
	`</textarea></title></style><script>alert(2)</script>`,
	`<img src=x onerror=alert(3)>`,
	`<svg onload=alert(4)><a xlink:href="javascript:alert(5)">x</a></svg>`,
	`"><iframe srcdoc="<script>parent.alert(6)</script>">`,
	`' onmouseover='alert(7)' x='`,
	`javascript:alert(8)`,
	`<!--<script>`,
	`]]><![CDATA[<b>`,
	`{{.Study}} {{template "table" .}} ${alert(9)} <% x %>`,
	"`${alert(10)}` \\u003cscript\\u003e \\x3cb\\x3e &lt;b&gt; &amp;amp;",
	"line\u2028separator\u2029here\r\nand\tthere",
	"right \u202eto left\u202c \u2066isolated\u2069 \u200f \u061c",
	"null \x00 bell \x07 escape \x1b[31mred\x1b[0m delete \x7f \u0085",
	"emoji 👩‍👩‍👧‍👦 🏳️‍🌈 Z̸̡͎a̷l̴g̵o 𝔘𝔫𝔦",
	"broken \xff\xfe utf-8 \xc0\xaf \xed\xa0\x80",
	`=HYPERLINK("http://127.0.0.1:9/","x")`,
	`+cmd|' /C calc'!A0`, `@SUM(1)`, `-1+1`,
	`__proto__`, `constructor`, `toString`,
	`../../etc/passwd`, `%3Cscript%3E`, `C:\new\table`,
	`| a | b |` + "\n|---|---|", `\input{/etc/passwd} $x^2_3$ %`,
	"", " ", "\n",
}

// everything is all of them in one text.
var everything = strings.Join(hostile, " ")

// damaged is a run whose every name and text is hostile.
func damaged(t *testing.T) (*result.Results, []result.Record) {
	t.Helper()
	r, records := read(t, simulated(t))
	encoded, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"simulated-student": hostile[0] + "student", "simulated-master": hostile[2] + "master",
		"outcomes": everything, "red": hostile[4], "green": hostile[12], "blue": hostile[13], "grey": hostile[9]}
	replace := func(s string) string {
		for _, old := range []string{"simulated-student", "simulated-master", "outcomes", "red", "green", "blue", "grey"} {
			if s == old || strings.HasPrefix(old, "simulated-") || old == "outcomes" {
				s = strings.ReplaceAll(s, old, names[old])
			}
		}
		return s
	}
	var tree any
	if err := json.Unmarshal(encoded, &tree); err != nil {
		t.Fatal(err)
	}
	if encoded, err = json.Marshal(walk(tree, replace)); err != nil {
		t.Fatal(err)
	}
	if r, err = result.Decode(encoded, "hostile"); err != nil {
		t.Fatal(err)
	}
	r.Name, r.Warnings = everything, append(hostile, strings.Repeat("long ", 1000))
	d := &r.Cascades[0].Datasets[0]
	d.Notes = append(d.Notes, result.Note{Kind: "hostile", Text: everything})
	for i := range d.Rows {
		d.Rows[i].Title = fmt.Sprintf("%s%d", hostile[i], i)
		d.Rows[i].Notes = append(d.Rows[i].Notes, result.Note{Kind: "hostile", Text: everything})
	}
	for i := range records {
		x, text := &records[i], hostile[i%len(hostile)]
		x.Cascade, x.Dataset, x.Class = replace(x.Cascade), replace(x.Dataset), replace(x.Class)
		x.ID, x.Prompt, x.References = fmt.Sprintf("%s#%d", text, i), text, hostile[:i%3]
		for m := range x.Models {
			a := &x.Models[m]
			a.Model, a.Class, a.Text, a.Key = replace(a.Model), replace(a.Class), text, text
			a.Tokens = []result.RecordToken{{Text: text}}
		}
	}
	records[1].Models[0].Text = strings.Repeat(hostile[0], 1<<20/len(hostile[0])) // a line of a megabyte
	for i := range records {                                                      // as records.jsonl holds them
		line, err := records[i].AppendLine(nil)
		if err != nil {
			t.Fatal(err)
		}
		records[i] = result.Record{}
		if err := json.Unmarshal(line, &records[i]); err != nil {
			t.Fatal(err)
		}
	}
	return r, records
}

// walk replaces every text of decoded JSON, names of fields apart.
func walk(tree any, replace func(string) string) any {
	switch x := tree.(type) {
	case string:
		return replace(x)
	case []any:
		for i := range x {
			x[i] = walk(x[i], replace)
		}
	case map[string]any:
		for k := range x {
			x[k] = walk(x[k], replace)
		}
	}
	return tree
}

// Texts of models and datasets never become markup or script, whichever they are and wherever they are shown.
func TestHostileTexts(t *testing.T) {
	b := startBrowser(t)
	r, records := damaged(t)
	path := build(t, r, records, 1<<30)
	p := b.Open(address(pageOf(simulated(t))))
	kinds := `Object.entries([...document.querySelectorAll("*")].reduce((all, e) => ({...all, [e.tagName]: 1}), {})).map(e => e[0])`
	var before, after []string
	p.Wait(`infnet.explore`)
	p.Eval(kinds, &before)
	p.Go(address(path))
	p.Wait(`infnet.explore`)
	p.Eval(kinds, &after)
	known := map[string]bool{}
	for _, tag := range append(before, "BDI", "DETAILS", "SUMMARY", "SUP", "A") {
		known[tag] = true
	}
	for _, tag := range after {
		if !known[tag] {
			t.Errorf("the page has an element %s, which it has not where texts are tame", tag)
		}
	}
	var scripts, handlers, frames int
	p.Eval(`document.scripts.length`, &scripts)
	p.Eval(`[...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => /^on/i.test(a.name) ||
		/^\s*javascript:/i.test(a.value) && /^(href|src|action|xlink:href)$/.test(a.name))).length`, &handlers)
	p.Eval(`document.querySelectorAll("iframe,object,embed,base,meta[http-equiv=refresh]").length`, &frames)
	if handlers != 0 || frames != 0 {
		t.Errorf("%d elements with handlers or scripts in attributes, %d frames", handlers, frames)
	}
	// every record is opened: its texts must come back as they went in
	p.Eval(`infnet.showRecords({cascade: infnet.records.head.tables[0].cascade, dataset: infnet.records.head.tables[0].dataset})`,
		nil)
	p.Wait(`document.querySelector("dialog.records").dataset.shown == ` + fmt.Sprint(len(records)))
	var opened []struct{ Prompt, Answer, Heading string }
	p.Eval(fmt.Sprintf(`(async () => {
		const table = await infnet.records.open(0), host = document.querySelector(".records-detail"), out = [];
		host.hidden = false;
		for (let n = 0; n < %d; n++) {
			host.replaceChildren(...infnet.records.describe(table, n, await infnet.records.detail(table, n)));
			const texts = [...host.querySelectorAll(".records-text")];
			const more = texts[1].parentElement.querySelector(":scope > button");
			if (more) more.click();
			out.push({prompt: texts[0].textContent, answer: texts[1].textContent, heading: table.id(n)});
		}
		return out;
	})()`, 2*len(hostile)), &opened)
	for n, shown := range opened {
		x := &records[n]
		prompt, answer := strings.TrimRight(x.Prompt, "\n"), x.Models[0].Text
		for _, tt := range []struct{ what, got, want string }{{"prompt", shown.Prompt, prompt},
			{"answer", shown.Answer, answer}, {"id", shown.Heading, x.ID}} {
			if tt.want == "" {
				tt.want = "(empty)"
			}
			if tt.got != tt.want {
				t.Errorf("record %d: %s %.80q is shown as %.80q", n, tt.what, tt.want, tt.got)
			}
		}
	}
	if len(opened) != 2*len(hostile) {
		t.Errorf("%d records opened, want %d", len(opened), 2*len(hostile))
	}
	var same int
	if p.Eval(`document.scripts.length`, &same); same != scripts {
		t.Errorf("%d scripts after opening records, %d before", same, scripts)
	}
	for _, problem := range p.Problems() {
		t.Errorf("%.500s", problem)
	}
}
