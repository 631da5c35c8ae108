package cli

import (
	"fmt"
	"io"
	"strings"

	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/pipeline"
)

// shardFlags are the flags of commands that may do a part of the work.
type shardFlags struct {
	Shard collect.Shard `help:"Collect shard K of N only: what hashes to it, into a file of its own, so that many machines can share the store. run analyses once no answer is missing." placeholder:"K/N"`
}

// checkShards checks a number of shards that a flag gives; nil = it is not there.
func checkShards(n *int) error {
	const most = 1000
	if n != nil && (*n < 1 || *n > most) {
		return fault.Usage.Wrap(fmt.Errorf("--shards %d: from 1 to %d are possible; leave it out for what the study says", *n,
			most))
	}
	return nil
}

// showLeft says what the study lacks after a shard has done its part: answers, or once all are there, what is made of
// their texts.
func showLeft(w io.Writer, shard collect.Shard, only []string, left pipeline.Plan) {
	var lines []string
	add := func(model, of string, n, all int) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf("  %-20s %-20s %d of %d\n", clean(model), clean(of), n, all))
		}
	}
	for _, j := range left.Jobs {
		add(j.Model, j.Dataset, j.Calls, j.Total-j.Shared)
	}
	if len(lines) == 0 {
		for _, d := range left.Derived {
			add(d.Model, d.What, d.Missing, d.OnDisk+d.Missing)
		}
	}
	switch {
	case len(lines) > 0:
		prose(w, "Shard %v is done. The study is not analysed before all shards are; missing in the store now:\n", shard)
		fmt.Fprint(w, strings.Join(lines, ""))
		fmt.Fprintln(w, "infnet run without --shard collects whatever is still missing, and analyses.")
	case len(only) > 0:
		fmt.Fprintf(w, "Shard %v is done, and nothing of %s is missing.\n", shard, clean(strings.Join(only, ", ")))
	default:
		fmt.Fprintf(w, "Shard %v is done, and nothing is missing: infnet analyze makes the tables.\n", shard)
	}
}
