package encoder

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"infnet/backends/runtime/folder"
)

// The files of sentence-transformers.
const (
	modulesFile = "modules.json"
	promptsFile = "config_sentence_transformers.json"
)

type pooling string

const (
	mean  pooling = "mean" // the mean over all tokens, special ones included
	first pooling = "cls"  // the first token's
	most  pooling = "max"  // the largest number of each component
)

// sentence is what the files of sentence-transformers say in addition to the network's.
type sentence struct {
	pooling pooling
	longest int // tokens of a text, special ones included; 0 = not said
}

// readSentence reads modules.json and what it leads to; a folder without it is
// pooled by the mean.
func readSentence(fsys fs.FS) (sentence, error) {
	s := sentence{pooling: mean}
	var modules []struct{ Path, Type string }
	if err := folder.ReadOptional(fsys, modulesFile, &modules); err != nil {
		return s, err
	}
	for i, m := range modules {
		kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]
		var err error
		switch {
		case kind == "Transformer" && i == 0 && (m.Path == "" || m.Path == "."):
		case kind == "Transformer" && i == 0:
			err = fmt.Errorf("the network is in the folder %q: name that folder", m.Path)
		case kind == "Pooling" && i == 1:
			s.pooling, err = readPooling(fsys, m.Path)
		case kind == "Normalize" && i == 2: // done in any case
		default:
			err = fmt.Errorf("module %d is %q: want Transformer, Pooling and Normalize, in this order", i, m.Type)
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", modulesFile, err)
		}
	}
	if len(modules) == 1 {
		return s, fmt.Errorf("%s: Pooling is missing", modulesFile)
	}
	var prompts struct {
		Default *string `json:"default_prompt_name"`
	}
	if err := folder.ReadOptional(fsys, promptsFile, &prompts); err != nil {
		return s, err
	}
	if prompts.Default != nil {
		return s, fmt.Errorf("%s: default_prompt_name = %q: prompts in front of texts are not supported", promptsFile,
			*prompts.Default)
	}
	// The file's name has had the architecture in it.
	for _, name := range []string{"sentence_bert_config.json", "sentence_distilbert_config.json",
		"sentence_mpnet_config.json"} {
		var limits struct {
			Longest *int `json:"max_seq_length"`
			Lower   bool `json:"do_lower_case"`
		}
		if err := folder.ReadOptional(fsys, name, &limits); err != nil {
			return s, err
		}
		if limits.Lower {
			return s, fmt.Errorf("%s: do_lower_case is not supported: lower case is the tokenizer's", name)
		}
		if limits.Longest != nil {
			if s.longest = *limits.Longest; s.longest < 3 {
				return s, fmt.Errorf("%s: max_seq_length = %d: want 3 or more", name, s.longest)
			}
			return s, nil
		}
	}
	return s, nil
}

// readPooling reads which of the modes of a Pooling module is on.
func readPooling(fsys fs.FS, dir string) (pooling, error) {
	name := path.Join(dir, folder.Config)
	var modes map[string]any
	if err := folder.Read(fsys, name, &modes); err != nil {
		return "", err
	}
	var on []string
	for k, v := range modes {
		if mode, ok := strings.CutPrefix(k, "pooling_mode_"); ok && v == true {
			on = append(on, mode)
		}
	}
	if mode, ok := modes["pooling_mode"].(string); ok && len(on) == 0 {
		on = []string{mode}
	}
	slices.Sort(on)
	known := map[string]pooling{"mean_tokens": mean, "mean": mean, "mean_sqrt_len_tokens": mean, "cls_token": first,
		"cls": first, "max_tokens": most, "max": most}
	if len(on) != 1 || known[on[0]] == "" {
		return "", fmt.Errorf("%s: pooling by %s is not supported: want mean, cls or max, and one of them", name,
			strings.Join(on, " and "))
	}
	return known[on[0]], nil
}
