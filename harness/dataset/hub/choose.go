package hub

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset/hub/ref"
)

// The layouts of Parquet files on the hub:
//
//	CONFIG/SPLIT/0000.parquet                    the hub's export; partial-SPLIT: only its beginning
//	CONFIG/SPLIT-00000-of-00002[-HASH].parquet   as the datasets library uploads; "data" or no folder: "default"
//	CONFIG/SPLIT.parquet                         by hand, one file
var (
	numbered = regexp.MustCompile(`^(\d+)\.parquet$`)
	ofMany   = regexp.MustCompile(`^(\w+(?:\.\w+)*)-(\d{5})-of-(\d{5})(?:-[0-9a-f]{16})?\.parquet$`)
	single   = regexp.MustCompile(`^(\w+(?:\.\w+)*)\.parquet$`)
)

const partialPrefix = "partial-"

// shard is a Parquet file with its place.
type shard struct {
	entry
	config, split string
	partial       bool
	n, of         int // number from 0; of: number of shards, 0 = not said
}

// place reads a file's place from its path.
func place(e entry) (shard, bool) {
	dir, base := path.Split(e.Path)
	dir = strings.TrimSuffix(dir, "/")
	s := shard{entry: e}
	if m := numbered.FindStringSubmatch(base); m != nil {
		config, split := path.Split(dir)
		s.config = strings.TrimSuffix(config, "/")
		s.split, s.partial = strings.CutPrefix(split, partialPrefix)
		n, err := strconv.Atoi(m[1])
		s.n = n
		return s, err == nil && s.config != "" && !strings.Contains(s.config, "/") && ref.ValidSplit(s.split)
	}
	s.config = dir
	if dir == "" || dir == "data" {
		s.config = "default"
	}
	if m := ofMany.FindStringSubmatch(base); m != nil {
		s.split = m[1]
		s.n, _ = strconv.Atoi(m[2]) // five digits
		s.of, _ = strconv.Atoi(m[3])
		return s, true
	}
	if m := single.FindStringSubmatch(base); m != nil {
		s.split, s.of = m[1], 1
		return s, true
	}
	return shard{}, false
}

// shards chooses the files of a split, in order.
func shards(all []entry, r Ref) (listing, error) {
	byConfig := map[string]map[string][]shard{}
	for _, e := range all {
		s, ok := place(e)
		if !ok {
			continue
		}
		if byConfig[s.config] == nil {
			byConfig[s.config] = map[string][]shard{}
		}
		byConfig[s.config][s.split] = append(byConfig[s.config][s.split], s)
	}
	if len(byConfig) == 0 {
		return listing{}, fmt.Errorf("none of the %d files is Parquet laid out as the hub lays it out; leave the revision "+
			"out to use the hub's own export, or download the dataset and name its file as file:PATH", len(all))
	}
	config, err := pick("configuration", r.Config, byConfig, "/%s")
	if err != nil {
		return listing{}, err
	}
	split, err := pick("split", r.Split, byConfig[config], ":%s")
	if err != nil {
		return listing{}, fmt.Errorf("configuration %q: %w", config, err)
	}
	list := byConfig[config][split]
	l := listing{Config: config, Split: split, Partial: list[0].partial}
	slices.SortFunc(list, func(a, b shard) int { return a.n - b.n })
	for _, s := range list {
		if s.partial != l.Partial || s.of != list[0].of {
			return listing{}, fmt.Errorf("%s and %s are of different kinds: the files of split %q are a mixture; name a "+
				"revision where they are not", list[0].Path, s.Path, split)
		}
	}
	for i, s := range list {
		if s.n != i || s.of > 0 && len(list) != s.of {
			return listing{}, fmt.Errorf("the files of split %q are not complete: %d files, the last is %s", split, len(list),
				list[len(list)-1].Path)
		}
		l.Files = append(l.Files, s.entry)
	}
	return l, nil
}

// pick returns the wanted name, or the only one there is.
func pick[V any](what, want string, have map[string]V, how string) (string, error) {
	names := slices.Sorted(maps.Keys(have))
	switch _, ok := have[want]; {
	case ok:
		return want, nil
	case want != "":
		return "", fmt.Errorf("there is no %s %q: there %s", what, want, some(names))
	case len(names) == 1:
		return names[0], nil
	}
	return "", fmt.Errorf("which %s? there %s: write %s", what, some(names), fmt.Sprintf(how, names[0]))
}

func some(names []string) string {
	const most = 20
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("are %s and %d more", strings.Join(names[:most], ", "), more)
	}
	if len(names) == 1 {
		return "is " + names[0]
	}
	return "are " + strings.Join(names, ", ")
}

// besides are the small files of a model folder that say how to run it. Sentence encoders say how they pool in the
// last one.
var besides = []string{
	"config.json", "generation_config.json", "tokenizer.model", "tokenizer.json", "tokenizer_config.json",
	"special_tokens_map.json", "added_tokens.json", "vocab.txt", "vocab.json", "merges.txt", "chat_template.jinja",
	"modules.json", "sentence_bert_config.json", "config_sentence_transformers.json",
	"model.safetensors.index.json", "1_Pooling/config.json",
}

// partOf is a file of weights that are in several.
var partOf = regexp.MustCompile(`^model-\d{5}-of-(\d{5})\.safetensors$`)

// modelFiles chooses the files of a model folder: the small ones, and one set of weights.
func modelFiles(all []entry) (out []entry, err error) {
	var parts []entry
	of := ""
	for _, e := range all {
		switch m := partOf.FindStringSubmatch(e.Path); {
		case e.Path == "model.safetensors":
			parts, of = []entry{e}, "1"
		case m != nil && of != "1":
			parts, of = append(parts, e), m[1]
		case slices.Contains(besides, e.Path):
			out = append(out, e)
		}
	}
	if !slices.ContainsFunc(out, func(e entry) bool { return e.Path == "config.json" }) {
		return nil, errors.New("it has no config.json: it is no model folder of the transformers layout")
	}
	if n, _ := strconv.Atoi(of); n == 0 || n != len(parts) {
		return nil, fmt.Errorf("it has %d files of safetensors weights, and %d is what they are in all: only whole models "+
			"in safetensors are read", len(parts), n)
	}
	return append(out, parts...), nil
}
