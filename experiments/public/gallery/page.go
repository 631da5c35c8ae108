package gallery

import (
	"bytes"
	"fmt"
	"io"

	"infnet/reports/table"
)

// Write writes the page in Markdown. Its figures are files in the folder figures.
func (g *Gallery) Write(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString(opening)
	for _, p := range g.Book.Papers {
		t := compared(p, g.of(p.Key))
		fmt.Fprintf(&b, "\n## %s\n\n%s. *%s.* %s, [arXiv:%s](https://arxiv.org/abs/%s). Records: "+
			"[%s](https://github.com/%s), commit %s; licence: %s. %s\n", table.Markdown(p.Title), table.Markdown(p.Authors),
			table.Markdown(p.Title), p.Venue, p.ArXiv, p.ArXiv, p.Records, p.Records, p.Commit, p.Licence,
			table.Markdown(p.Checked))
		b.WriteString(about[p.Key] + "\n")
		if err := t.Markdown(&b); err != nil {
			return err
		}
	}
	b.WriteString(curvesOpening)
	for i := range g.Curves {
		c := &g.Curves[i]
		t := c.table()
		fmt.Fprintf(&b, "\n### %s\n\n![%s](figures/%s.svg)\n\n", c.Set, c.Set, c.Set)
		fmt.Fprintf(&b, "%s\n\n", table.Markdown(c.Figure().Caption))
		if err := t.Markdown(&b); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

const opening = `# A gallery of public records

Numbers that papers print, and what the papers' own recorded answers give. A test writes this page
(` + "`INFNET_DATA=FOLDER go generate ./experiments`" + `), and ` + "`INFNET_DATA=FOLDER infnet published gallery`" + ` prints its
tables. The printed numbers are ` + "[`printed.csv`](printed.csv)" + `, digit by digit, with the place of each, and
` + "[`papers.csv`](papers.csv)" + ` has the papers. The records are not in this repository: they are in ` + "`answers/`" + ` of the
folder that ` + "`INFNET_DATA`" + ` names.

The studies in this folder are about the same answers: policies with budgets, intervals, baselines and tests, and pools.

` + "```sh" + `
for study in experiments/public/*.toml; do INFNET_DATA=FOLDER infnet run $study; done
` + "```" + `
`

// about says what of a paper is compared, and what is not.
var about = map[string]string{
	rational: `
Compared are the shares of correct answers of nine models on four question sets, and the costs and latencies on MMLU. As
both sides rest on the same records, they can differ by rounding only. Nothing else of the paper is compared.
`,
	"routellm": `
Compared are the rows of the random router, and what the captions say of the models. The records carry neither a confidence
nor what a router said. So the paper's trained routers cannot be measured again, and there is no cascade of the two models, as
a student needs a confidence: their studies are pools. The shares of correct answers of Mixtral, and the oracle router, are in no table of the paper;
ours are given without a comparison. The paper leaves out prompts too similar to its training data (appendix B); the authors'
program lists 5 of MMLU and 12 of GSM8K. They are not marked in the records, so here they are in. PGR, CPT and APGR are
defined in section 3.2 of the paper.

One number is beyond rounding: the caption of table 2 puts half of the gap on MMLU at 75. The records give 74.33, and the 92 % of
GPT-4's score that the same caption says agrees with the records.
`,
}

const curvesOpening = `
## Error and cost of the cascades of nine models

All pairs in the order of the two chains of Zellinger and Thomson, and the two whole chains. The confidence is the recorded
log-probability, uncalibrated, as a single threshold needs its order only. On MMLU it is that of the letter; elsewhere, by the
authors' program, that of the model's own verdict that its answer is correct. Costs are the recorded costs of all models asked. Thresholds are fitted on the authors' training part and measured on their test part. A pair has every
threshold that is Pareto-optimal there; a chain has those fitted to up to 24 error budgets.

The authors' own curves are not in the records (their repository has them as a Python pickle, which is not read), so
**these curves are compared with no printed number.** They choose thresholds on calibrated confidences by a parametric model; here
thresholds are exact counts.
`
