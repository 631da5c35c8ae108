package spec

import "infnet/harness/result/style"

type rawReport struct {
	// resamples of the intervals that are resampled: of means and ratios of costs and times, of curves, of pools
	Bootstrap *int64 `toml:"bootstrap" default:"2000" range:"2000 to 100000"`
	// the table of the paper whose rows are printed next to ours, each with what differs: models, rows, split, direction,
	// embedder
	Published *string `toml:"published" default:"none" range:"a label, such as tab:add_res1, as in experiments/paper"`
	// of the intervals
	Level *float64 `toml:"level" default:"0.95" range:"more than 0, less than 1"`
	// the difference of errors per query that counts as none where a policy is called worth it: it may err so much more
	// than the better single model, and what it is compared with so much more than it; 0.02 is 2 points
	Margin *float64 `toml:"margin" default:"0.02" range:"0 or more, less than 1"`
	// a table of how long queries take with each policy: the mean, and the 50th, 95th and 99th percentile. A
	// deferred query takes the time of both models on the same record; models in parallel take that of the slowest
	Latency *bool `toml:"latency" default:"false" range:"true or false"`

	// the form of the tables of policies: full, or the paper's own, with the columns dataset, policy, performance and
	// saved, without intervals and without oracles
	Layout *style.Layout `toml:"layout" default:"full"`
	// the columns of the tables of policies, in this order. own_saved is the cost saved by each record's own cost,
	// records the size of the test part. CSV files always have every column
	Columns []style.Column `toml:"columns" default:"those of the layout"`
	// how intervals are printed: 0.87 [0.85, 0.90], or 0.87 ± 0.02 (0.87 +0.03 −0.02 where its ends are not
	// equally far), or not at all. CSV files always have them
	Intervals *style.Intervals `toml:"intervals" default:"brackets; layout paper: none"`
	// what is below a LaTeX table: all remarks and footnotes, at most five lines, or nothing. NAME.md and data.md
	// always have all
	Footnotes *style.Footnotes `toml:"footnotes" default:"short"`
	// digits after the point of numbers from 0 to 1 in the tables of policies; percentages have two fewer
	Digits *int64 `toml:"digits" default:"2 (3 where intervals are narrow), percentages 1 or 2" range:"0 to 6"`
	// of the tables of policies; of more than 8 names the caption says how many there are
	Caption *string `toml:"caption" default:"the task, the setting, the target and the models" range:"text with PLACEHOLDERS"`
	// the formats of figures; pgfplots is LaTeX source that takes the paper's fonts
	Figures []style.Format `toml:"figures" default:"svg"`
	// the kinds of figures that are written: cost-error is one of the whole study, the others are of each cascade and
	// dataset. report.html shows all
	Draw []style.Kind `toml:"draw" default:"cost-error"`

	// write report.html, the page of the run
	Page *bool `toml:"page" default:"true" range:"true or false"`
	// how many bytes prompts and answers may have in report.html, compressed; where they have more they are left out,
	// and infnet view shows them
	Texts *style.Size `toml:"texts" default:"5MB" range:"0 to 500MB, in B, kB, MB or GB"`
}
