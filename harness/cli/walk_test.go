package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command of RUNNING.md is one that the program takes, on files that are there.
func TestCommandsOfTheWalkThrough(t *testing.T) {
	page, err := os.ReadFile("../../experiments/paper/RUNNING.md")
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	shell := false
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			shell = line == "```sh"
		case shell && strings.HasPrefix(line, "./infnet "):
			commands = append(commands, strings.TrimPrefix(line, "./infnet "))
		}
	}
	if len(commands) < 8 {
		t.Fatalf("only %d commands are in the page", len(commands))
	}
	for _, command := range commands {
		words := strings.Fields(command)
		if _, err := parser(t).Parse(words); err != nil {
			t.Errorf("infnet %s: %v", command, err)
		}
		for _, w := range words {
			if strings.HasPrefix(w, "experiments/") {
				if _, err := os.Stat(filepath.Join("../..", w)); err != nil {
					t.Errorf("infnet %s: %v", command, err)
				}
			}
		}
	}
}
