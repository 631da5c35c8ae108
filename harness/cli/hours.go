package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"infnet/backends/engine/gpu"
	"infnet/harness/calc"
	"infnet/harness/fault"
	"infnet/harness/pipeline"
)

// checkGPU refuses a --gpu whose speed is not known.
func (c *planCommand) checkGPU() error {
	if c.GPU == "" {
		return nil
	}
	if _, ok := gpu.PeakOf(c.GPU); !ok {
		return fault.Usage.Wrap(fmt.Errorf("--gpu %s: the speed of this GPU is not known: it is of %s", c.GPU,
			strings.Join(gpu.Names(), ", ")))
	}
	return nil
}

// showHours prints for how long the GPUs would be busy. incomplete is whether some calls to models whose servers a
// run starts are not known yet.
func (c *planCommand) showHours(ctx context.Context, w io.Writer, jobs []pipeline.PlannedJob, incomplete bool) error {
	turns := pipeline.GPUHours(ctx, jobs, c.GPU)
	if len(turns) == 0 {
		if incomplete {
			fmt.Fprintln(w, "\nGPU hours are not known before the rows are on this machine: infnet collect downloads them.")
		}
		return nil
	}
	lines := [][]string{{"SERVERS", "GPUS", "STARTS", "START-UP", "ASKING", "GPU HOURS"}}
	var sum gpu.Span
	known := 0
	var why []string
	for _, t := range turns {
		line := []string{t.Model + ", " + t.Engine, t.On, fmt.Sprint(t.Starts), unknown, unknown, unknown}
		if t.Unknown == "" {
			line[3], line[4], line[5] = minutes(t.Turn.Start), minutes(t.Turn.Asking), span(t.Turn.Hours())
			sum, known = sum.Plus(t.Turn.Hours()), known+1
		} else {
			why = append(why, t.Model+": "+t.Unknown)
		}
		lines = append(lines, line)
	}
	if known > 0 {
		least := ""
		if incomplete || known < len(turns) {
			least = "≥ "
		}
		lines = append(lines, []string{"total", "", "", "", "", least + span(sum)})
	}
	fmt.Fprintln(w)
	if err := printColumns(w, lines); err != nil {
		return err
	}
	for _, line := range sorted(set(why)) {
		prose(w, "GPU hours are not known for %s", clean(line))
	}
	if known == 0 {
		if c.GPU == "" {
			prose(w, "--gpu NAME estimates them for another machine's: %s.", strings.Join(gpu.Names(), ", "))
		}
		return nil
	}
	prose(w, "GPU hours are estimates, without downloads: %s.", gpu.Assumptions())
	return nil
}

// set is the texts of a list.
func set(list []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range list {
		out[s] = true
	}
	return out
}

// minutes writes a span of seconds.
func minutes(s gpu.Span) string {
	low, high := s.Low/60, s.High/60
	return fmt.Sprintf("%s to %s min", two(low), two(high))
}

// span writes a span of hours.
func span(s gpu.Span) string { return two(s.Low) + " to " + two(s.High) }

// two writes a number with two digits that count.
func two(x float64) string {
	if x >= 9.95 {
		return fmt.Sprintf("%.0f", x)
	}
	if x > 0 && x < 0.001 {
		return "0.001"
	}
	digits := max(0, 1-int(math.Floor(calc.Log10(max(x, 0.001)))))
	return fmt.Sprintf("%.*f", digits, x)
}
