package hub

import (
	"regexp"

	"infnet/harness/dataset/hub/ref"
)

// References have a package of their own, which knows no network.
type (
	Kind = ref.Kind
	Ref  = ref.Ref
)

// What references are made of.
const (
	Dataset       = ref.Dataset
	Model         = ref.Model
	Scheme        = ref.Scheme
	ParquetExport = ref.ParquetExport
)

// ParseDataset is ref.ParseDataset.
func ParseDataset(s string) (Ref, error) { return ref.ParseDataset(s) }

// ParseModel is ref.ParseModel.
func ParseModel(s string) (Ref, error) { return ref.ParseModel(s) }

var commitSHA = regexp.MustCompile(`^[0-9a-f]{40}$`)
