// Command infnet benchmarks LLM cascades: one TOML file in, a paper's tables
// out. See README.md.
package main

import (
	"context"
	"os"

	"infnet/backends/engine/supervisor"
	"infnet/harness/cli"
)

func main() {
	supervisor.Main() // if this process supervises a server
	os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
