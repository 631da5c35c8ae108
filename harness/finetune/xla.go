//go:build xla

package finetune

import (
	gomlx "github.com/gomlx/gomlx/backends"
	_ "github.com/gomlx/gomlx/backends/xla" // registers it; needs cgo and a plugin
)

// newBackend is what graphs are executed with: the XLA plugin that GoMLX finds,
// on a GPU where it is the plugin for one. It has not been tried.
func newBackend(int) (gomlx.Backend, error) { return gomlx.NewWithConfig("xla") }

// device names it, for keys: what one learns, another does not to the last bit.
const device = "xla"
