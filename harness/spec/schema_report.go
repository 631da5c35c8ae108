package spec

import "infnet/harness/result/style"

// Report is how tables are made.
type Report struct {
	// resamples of intervals of means and ratios of costs and times, curves, pools
	Bootstrap int `toml:"bootstrap" default:"2000" range:"2000 to 100000"`
	// of the intervals
	Level float64 `toml:"level" fix:"0.95 makes 95 % intervals" default:"0.95" range:"more than 0, less than 1"`
	// the difference of errors per query that counts as none; 0.02 is 2 points
	Margin float64 `toml:"margin" fix:"0.02 is 2 points of error" default:"0.02" range:"0 or more, less than 1"`
	// a table of each policy's time per query: mean, 50th, 95th and 99th percentile
	Latency bool `toml:"latency" json:",omitempty" default:"false" range:"true or false"`
	// the paper's table that is printed next to ours, with the differences
	Published string `toml:"published" json:",omitempty" default:"none" range:"a label, such as tab:add_res1, as in experiments/paper"`

	style.Style `json:"-"` // how tables and figures look; it changes no number
}
