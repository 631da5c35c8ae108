//go:build !xla

package finetune

import (
	gomlx "github.com/gomlx/gomlx/backends"

	"infnet/harness/finetune/tensor"
)

// newBackend is what graphs are executed with.
func newBackend(threads int) (gomlx.Backend, error) { return tensor.New(threads), nil }

// device names it, for keys: what one learns, another does not to the last bit.
const device = "processor"
