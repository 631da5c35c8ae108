package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// GPUs lists the GPUs that servers may use, as CUDA_VISIBLE_DEVICES names them: those that it names already, in its
// order, else all that nvidia-smi lists. What follows an invalid name is not seen, so -1 first hides all.
func GPUs(ctx context.Context) (list []string, err error) {
	if visible, set := os.LookupEnv("CUDA_VISIBLE_DEVICES"); set {
		for word := range strings.SplitSeq(visible, ",") {
			if word = strings.TrimSpace(word); word == "" || word[0] == '-' {
				break
			}
			list = append(list, word)
		}
		if len(list) == 0 {
			err = fmt.Errorf("no GPU is visible: CUDA_VISIBLE_DEVICES=%q hides all; unset it, or name the GPUs to use", visible)
		}
		return list, err
	}
	const patience = 20 * time.Second // on a busy machine with eight GPUs it takes seconds
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nvidia-smi", "-L").Output()
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "GPU ") { // MIG devices are listed below theirs
			list = append(list, strconv.Itoa(len(list)))
		}
	}
	if err == nil && len(list) == 0 {
		err = errors.New("it lists none")
	}
	if err != nil {
		return nil, fmt.Errorf("no GPU is visible: nvidia-smi -L: %w; it comes with NVIDIA's driver, and a container sees "+
			"GPUs if it is started with --gpus all", err)
	}
	return list, nil
}
