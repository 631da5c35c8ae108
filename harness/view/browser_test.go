package view_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/cli"
	"infnet/harness/result"
	"infnet/harness/view"
	"infnet/reports/page/browsertest"
)

// A served page works in a browser as the file does: it lists runs, opens records that it holds none of, searches their
// texts, and asks nobody but its own server.
func TestServedPage(t *testing.T) {
	b, dir := browsertest.Start(t), t.TempDir()
	var out, screen bytes.Buffer
	if code := cli.Run(context.Background(), []string{"run", "../../experiments/simulated.toml", "--limit", "300", "--out",
		filepath.Join(dir, "a run #1"), "--store", t.TempDir(), "--quiet"}, strings.NewReader(""), &out, &screen); code != 0 {
		t.Fatalf("the study ends with %d: %s%s", code, out.String(), screen.String())
	}
	s, err := view.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	at := make(chan view.Address, 1)
	go func() { served <- view.Serve(ctx, s, 0, func(a view.Address) { at <- a }) }()
	defer func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	address := <-at
	p := b.Open(address.Once)
	var links []string
	p.Eval(`[...document.querySelectorAll("a")].map(a => a.textContent)`, &links)
	if strings.Join(links, ",") != "a run #1" {
		t.Fatalf("the list has %q", links)
	}
	p.Eval(`document.querySelector("a").click()`, nil)
	p.Wait(`document.querySelector("button.open")`)
	results, err := result.ReadFolder(filepath.Join(dir, "a run #1"))
	if err != nil {
		t.Fatal(err)
	}
	row := results.Cascades[0].Datasets[0].Rows[0]
	p.Eval(`document.querySelector(".table td[data-field=error] button.open").click()`, nil)
	p.Wait(`document.querySelector("dialog.records").dataset.shown > 0`)
	var wrong, shown float64
	p.Eval(`Number(document.querySelector("dialog.records").dataset.wrong)`, &wrong)
	p.Eval(`Number(document.querySelector("dialog.records").dataset.shown)`, &shown)
	if want := row.Error.Value * float64(row.Error.N); wrong != want || shown != want {
		t.Errorf("%v wrong records, %v shown; the table has %v errors", wrong, shown, want)
	}
	p.Press("Enter")
	p.Wait(`!document.querySelector(".records-detail").hidden`)
	var prompt string
	p.Eval(`document.querySelector(".records-detail .records-text").textContent`, &prompt)
	if !strings.HasPrefix(prompt, "Item ") {
		t.Errorf("the record's prompt is %q", prompt)
	}
	item, _, _ := strings.Cut(prompt, " is ")
	p.Eval(fmt.Sprintf(`(() => {
		const find = document.querySelector("dialog.records input[type=search]");
		find.value = %q;
		find.dispatchEvent(new Event("input", {bubbles: true}));
		const [part] = document.querySelectorAll("dialog.records select");
		part.value = "";
		part.dispatchEvent(new Event("change", {bubbles: true}));
		const wrong = [...document.querySelectorAll("dialog.records select")][3];
		wrong.value = "";
		wrong.dispatchEvent(new Event("change", {bubbles: true}));
	})()`, strings.ToUpper(item)+" is "), nil)
	p.Wait(`document.querySelector("dialog.records").dataset.shown == 1`) // the record that was open
	for _, problem := range p.Problems() {
		t.Error(problem)
	}
	own := address.URL[:strings.LastIndex(strings.TrimSuffix(address.URL, "/"), "/")+1]
	for _, asked := range p.Requests() {
		if !strings.HasPrefix(asked, own) {
			t.Errorf("the page asks %s", asked)
		}
	}
}
