package cli

import (
	"path/filepath"
	"testing"
)

// Flags that would lose a file, or would be ignored, are refused before
// anything is read.
func TestFitRefusesFlagsThatLoseOrDoNothing(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log.csv")
	save(t, log, "confidence,student,master\n0.5,1,1\n")
	for _, tt := range []struct {
		name    string
		command fitCommand
		refused bool
	}{
		{name: "thresholds over the log", command: fitCommand{File: log, Out: filepath.Join(dir, ".", "log.csv")},
			refused: true},
		{name: "frontier over the log", command: fitCommand{File: log, Frontier: log}, refused: true},
		{name: "thresholds and frontier in one file", command: fitCommand{File: log, Out: "x", Frontier: "./x"},
			refused: true},
		{name: "margin without guarantee", command: fitCommand{File: log, Margin: 0.1}, refused: true},
		{name: "a promise that is never broken", command: fitCommand{File: log, Guarantee: "ltt", Delta: delta(0)},
			refused: true},
		{name: "a probability that nothing uses", command: fitCommand{File: log, Guarantee: "crc", Delta: delta(0.1)},
			refused: true},
		{name: "a probability without a promise", command: fitCommand{File: log, Delta: delta(0.1)}, refused: true},
		{name: "standard output", command: fitCommand{File: log, Out: "-"}, refused: true},
		{name: "three files", command: fitCommand{File: log, Out: "x", Frontier: "y", Guarantee: "ltt", Delta: delta(0.05)}},
	} {
		if err := tt.command.checkFlags(); (err != nil) != tt.refused {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func delta(x float64) *float64 { return &x }
