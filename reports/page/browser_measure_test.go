package page_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// steps are what a person waits for, each an expression that ends when it is painted.
var steps = []struct{ name, do string }{
	{"open", `{ const {cascade, dataset} = infnet.records.head.tables[0];
		await infnet.showRecords({cascade, dataset}); }`},
	{"scroll", `{ const b = document.querySelector(".records-body");
		b.scrollTop = (%d * 7919 %% 101) / 100 * (b.scrollHeight - b.clientHeight); }`},
	{"sort", `{ const s = document.querySelector("dialog.records option[value=beta-0]").closest("select");
		s.value = "beta-0";
		s.dispatchEvent(new Event("change", {bubbles: true})); }`},
	{"search", `{ const find = document.querySelector("dialog.records input[type=search]");
		find.value = "item 77";
		find.dispatchEvent(new Event("input", {bubbles: true}));
		await new Promise((done) => setTimeout(done, 300)); // typing has to stop first
		while (!document.querySelector(".records-status").textContent.endsWith("shown")) {
			await new Promise((done) => setTimeout(done, 0));
		} }`},
}

// scrolls is the number of places that are scrolled to.
const scrolls = 51

// How long the page's own thread works is measured for runs whose folders INFNET_MEASURE names, with commas between
// them. It is processor time, so that other work on the machine does not count. What comes out is in docs/speed.md.
func TestMeasure(t *testing.T) {
	dirs := os.Getenv("INFNET_MEASURE")
	if dirs == "" {
		t.Skip("INFNET_MEASURE names no runs")
	}
	b := startBrowser(t)
	for _, dir := range strings.Split(dirs, ",") {
		info, err := os.Stat(pageOf(dir))
		if err != nil {
			t.Fatal(err)
		}
		p := b.Open("about:blank")
		p.Call("Performance.enable", map[string]any{"timeDomain": "threadTicks"}, nil)
		worked := func(do func()) float64 {
			before := busy(p)
			do()
			return busy(p) - before
		}
		line := fmt.Sprintf("| %s | %.2f | %.0f |", dir, float64(info.Size())/1e6,
			worked(func() { p.Go(address(pageOf(dir))); p.Problems() }))
		for _, step := range steps {
			var times []float64
			times = append(times, worked(func() { painted(p, step.do, 0) }))
			for k := 1; step.name == "scroll" && k < scrolls; k++ {
				times = append(times, worked(func() { painted(p, step.do, k) }))
			}
			slices.Sort(times)
			line += fmt.Sprintf(" %.0f |", times[len(times)/2])
			if step.name == "scroll" {
				line += fmt.Sprintf(" %.0f |", times[len(times)-1])
			}
		}
		fmt.Println(line)
	}
}

// painted runs a step, and waits until it is painted.
func painted(p *Page, step string, k int) {
	if strings.Contains(step, "%d") {
		step = fmt.Sprintf(step, k)
	}
	p.Eval(`(async () => { `+step+`; await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))); })()`, nil)
}

// busy is how long the page's thread has worked so far, in milliseconds.
func busy(p *Page) float64 {
	var r struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	p.Call("Performance.getMetrics", nil, &r)
	for _, m := range r.Metrics {
		if m.Name == "TaskDuration" {
			return 1000 * m.Value
		}
	}
	return 0
}
