package page_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/reports"
)

// set writes a value into a control of the dialog, as a person does who chooses it.
const set = `(label, value) => {
	const [box] = [...document.querySelectorAll(".records-tools label")].filter((l) => l.textContent.startsWith(label));
	const control = box.querySelector("select,input");
	if (control.type === "checkbox") control.checked = value; else control.value = value;
	control.dispatchEvent(new Event(control.type === "search" ? "input" : "change", {bubbles: true}));
}`

// shownIDs scrolls through the list and returns the ids of its rows, in order.
const shownIDs = `(async () => {
	const body = document.querySelector(".records-body"), ids = new Map();
	for (let top = 0; ; top += 200) {
		body.scrollTop = top;
		await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
		for (const row of body.querySelectorAll("[data-at]")) ids.set(Number(row.dataset.at), row.firstChild.textContent);
		if (top > body.scrollHeight) break;
	}
	return [...ids].sort((a, b) => a[0] - b[0]).map((x) => x[1]);
})()`

// Filters, orders and searches list the records that the file gives, whichever way they are combined, and so does a
// link to what is shown.
func TestListIsWhatTheFileGives(t *testing.T) {
	b := startBrowser(t)
	_, all := read(t, quick(t))
	dataset := "reviews"
	var records []result.Record
	for _, x := range all {
		if x.Dataset == dataset {
			records = append(records, x)
		}
	}
	cascade := records[0].Cascade
	decided := func(x *result.Record, policy string) *result.Decision {
		for k := range x.Decisions {
			if x.Decisions[k].Policy == policy {
				return &x.Decisions[k]
			}
		}
		return nil
	}
	needle := strings.Fields(records[7].Prompt)[2]
	paid := func(x result.Record) float64 { return x.Models[0].Cost + x.Models[1].Cost }
	p := b.Open(address(pageOf(quick(t))))
	links := map[string][]string{} // what each lists
	for _, tt := range []struct {
		name, steps string
		want        func(x *result.Record) bool
		order       func(a, b result.Record) int
	}{
		{name: "all", want: func(*result.Record) bool { return true }},
		{name: "the fit part", steps: `set("Part", "fit")`, want: func(x *result.Record) bool { return x.Part == "fit" }},
		{name: "the student right, the master wrong", steps: `set("tiny-student", "right"); set("tiny-master", "wrong")`,
			want: func(x *result.Record) bool { return x.Models[0].Correct && !x.Models[1].Correct }},
		{name: "a class", steps: `set("Reference", 2)`, want: func(x *result.Record) bool { return x.Class == "positive" }},
		{name: "accepted and wrong", steps: `set("Policy", 7); set("Decision", "accepted"); set("Its answer", "wrong")`,
			want: func(x *result.Record) bool {
				d := decided(x, "multi")
				return d != nil && !d.Deferred && !x.Models[0].Correct
			}},
		{name: "deferred", steps: `set("Policy", 6); set("Decision", "deferred")`,
			want: func(x *result.Record) bool { d := decided(x, "single"); return d != nil && d.Deferred }},
		{name: "searched in either case", steps: fmt.Sprintf(`set("Search", %q)`, strings.ToUpper(needle)),
			want: func(x *result.Record) bool {
				return strings.Contains(strings.ToLower(x.Prompt), strings.ToLower(needle))
			}},
		{name: "the surest first", steps: `set("Sort by", "beta-0"); set("largest", true)`,
			want: func(*result.Record) bool { return true }, order: func(a, b result.Record) int {
				return -cmp.Compare(fmt.Sprintf("%.6f", a.Models[0].Beta), fmt.Sprintf("%.6f", b.Models[0].Beta))
			}},
		{name: "the cheapest first", steps: `set("Policy", -1); set("Sort by", "cost")`,
			want:  func(*result.Record) bool { return true },
			order: func(a, b result.Record) int { return cmp.Compare(paid(a), paid(b)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var want, got []string
			list := slices.Clone(records)
			if tt.order != nil {
				slices.SortStableFunc(list, tt.order)
			}
			for i := range list {
				if tt.want(&list[i]) {
					want = append(want, list[i].ID)
				}
			}
			p.Eval(fmt.Sprintf(`(async () => {
				const dialog = document.querySelector("dialog.records");
				await infnet.showRecords({cascade: %q, dataset: %q});
				const set = %s;
				%s;
			})()`, cascade, dataset, set, tt.steps), nil)
			p.Wait(fmt.Sprintf(`document.querySelector("dialog.records").dataset.shown == %d`, len(want)))
			if p.Eval(shownIDs, &got); !slices.Equal(got, want) {
				t.Errorf("listed %q\nwant %q", got, want)
			}
			var link string
			p.Eval("location.href", &link)
			if tt.name == "all" || tt.name == "accepted and wrong" || tt.order != nil {
				links[link] = want
			}
		})
	}
	quiet(t, p, address(pageOf(quick(t))))
	for link, want := range links {
		var got []string
		q := b.Open(link)
		q.Wait(fmt.Sprintf(`document.querySelector("dialog.records").dataset.shown == %d`, len(want)))
		if q.Eval(shownIDs, &got); !slices.Equal(got, want) {
			t.Errorf("the link %s lists %q\nwant %q", link, got, want)
		}
	}
}

// The list shows what was asked, without the words that every prompt has: of the built-in reviews, whose prompts are
// "Review: …\nSentiment:", what stands between.
func TestListShowsQuestions(t *testing.T) {
	_, all := read(t, quick(t))
	var want []string
	for _, x := range all {
		if x.Dataset == "reviews" && len(want) < 10 {
			text := strings.TrimSuffix(strings.TrimPrefix(x.Prompt, "Review: "), "\nSentiment:")
			want = append(want, strings.Join(strings.Fields(text), " "))
		}
	}
	p := startBrowser(t).Open(address(pageOf(quick(t))))
	p.Eval(`document.querySelector(".way[data-dataset=reviews]").click()`, nil)
	p.Wait(`document.querySelectorAll(".records-body .records-question").length >= 10 &&
		[...document.querySelectorAll(".records-body .records-question")].every((e) => e.textContent)`)
	var got []string
	p.Eval(`[...document.querySelectorAll(".records-body [data-at]")].sort((a, b) => a.dataset.at - b.dataset.at)
		.map((row) => row.querySelector(".records-question").textContent).slice(0, 10)`, &got)
	if !slices.Equal(got, want) {
		t.Errorf("the list asks %q\nwant %q", got, want)
	}
	quiet(t, p, address(pageOf(quick(t))))
}

// An opened record says all that is known of it: every text, number and decision.
func TestRecordSaysWhatShowPrints(t *testing.T) {
	b := startBrowser(t)
	for name, dir := range map[string]string{"chain": chain(t), "all tasks": quick(t)} {
		t.Run(name, func(t *testing.T) {
			_, records := read(t, dir)
			p := b.Open(address(pageOf(dir)))
			for k := 0; k < len(records); k += len(records) / 12 {
				x, seen := records[k], 0
				for _, before := range records[:k] {
					if before.Cascade == x.Cascade && before.Dataset == x.Dataset {
						seen++
					}
				}
				var text string
				p.Eval(fmt.Sprintf(`(async () => {
					const table = await infnet.records.open(infnet.records.place(%q, %q));
					const box = document.createElement("div");
					box.append(...infnet.records.describe(table, %d, await infnet.records.detail(table, %[3]d)));
					return box.textContent;
				})()`, x.Cascade, x.Dataset, seen), &text)
				d := reports.Describe(x)
				wanted := append([]string{d.Prompt}, d.References...)
				for _, a := range d.Answers {
					wanted = append(wanted, a.Model, a.Text, a.Mark)
					for _, fact := range a.Facts {
						if fact[0] == "labels" {
							wanted = append(wanted, strings.Fields(fact[1])...)
						} else {
							wanted = append(wanted, fact[0]+fact[1])
						}
					}
				}
				for _, made := range d.Decisions {
					wanted = append(wanted, strings.Trim(made.Rule, "()"))
				}
				for _, w := range wanted {
					w = strings.TrimPrefix(w, "token")
					if !strings.Contains(text, w) {
						t.Errorf("record %s of %s: %q is not shown in %.3000q", x.ID, x.Cascade, w, text)
					}
				}
			}
		})
	}
}
