package page_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"infnet/reports/page/browsertest"
)

// measured is what a person waits for, in milliseconds.
type measured struct {
	Paint, Open, Sort, Search float64
	Scroll                    []float64 // the middle one and the longest
}

const measure = `(async () => {
	const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
	const since = async (act, until) => {
		const start = performance.now();
		act();
		while (until && !until()) await new Promise((done) => setTimeout(done, 0));
		await painted();
		return performance.now() - start;
	};
	const dialog = document.querySelector("dialog.records"), body = document.querySelector(".records-body");
	const status = document.querySelector(".records-status");
	const t = infnet.records.head.tables[0], out = {paint: performance.getEntriesByName("first-contentful-paint")[0].startTime};
	out.open = await since(() => infnet.showRecords({cascade: t.cascade, dataset: t.dataset}), () => dialog.dataset.shown > 0);
	const times = [];
	for (let k = 0; k < 101; k++) {
		const to = (k * 7919 % 101) / 100 * (body.scrollHeight - body.clientHeight);
		times.push(await since(() => { body.scrollTop = to; }));
	}
	times.sort((a, b) => a - b);
	out.scroll = [times[50], times[100]];
	const [sort] = [...dialog.querySelectorAll("select")].filter((s) => s.querySelector("[value=beta-0]"));
	sort.value = "beta-0";
	out.sort = await since(() => sort.dispatchEvent(new Event("change", {bubbles: true})));
	const find = dialog.querySelector("input[type=search]");
	find.value = "item 77";
	const before = status.textContent;
	out.search = await since(() => find.dispatchEvent(new Event("input", {bubbles: true})),
		() => status.textContent !== before && status.textContent.endsWith("shown"));
	return out;
})()`

// How long people wait is measured on a quiet machine, for runs whose folders INFNET_MEASURE names, with commas between
// them. What comes out is in PAGE.md.
func TestMeasure(t *testing.T) {
	dirs := os.Getenv("INFNET_MEASURE")
	if dirs == "" {
		t.Skip("INFNET_MEASURE names no runs")
	}
	b := browsertest.Start(t)
	for _, dir := range strings.Split(dirs, ",") {
		info, err := os.Stat(pageOf(dir))
		if err != nil {
			t.Fatal(err)
		}
		p := b.Open(address(pageOf(dir)))
		var m measured
		p.Eval(measure, &m)
		fmt.Printf("| %s | %.2f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", dir, float64(info.Size())/1e6, m.Paint,
			m.Open, m.Scroll[0], m.Scroll[1], m.Sort, m.Search)
	}
}
