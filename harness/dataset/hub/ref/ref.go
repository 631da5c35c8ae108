// Package ref reads references to the Hugging Face hub, such as hf:owner/name/config:split@revision. It owns their
// grammar and the hub's rules for names. It refuses to open files or connections, so that code that only checks
// references needs no network packages.
//
// Its opinion: a name that the hub would refuse, or that could escape the cache's folder, is
// refused before any request.
package ref

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Kind is a kind of repository.
type Kind string

const (
	Dataset Kind = "dataset"
	Model   Kind = "model"
)

// Scheme is how a reference begins.
const Scheme = "hf:"

// ParquetExport is the branch of the hub's own Parquet files of a dataset.
const ParquetExport = "refs/convert/parquet"

// Ref names what is wanted of a repository.
type Ref struct {
	Kind     Kind
	Repo     string // owner/name; a bare name for the oldest datasets and models
	Config   string // datasets: the configuration ("subset"); "" = the only one
	Split    string // datasets: "" = the only one
	Revision string // branch, tag or commit; "" = the Parquet export, or a model's branch main
}

func (r Ref) String() string {
	s := Scheme + r.Repo
	if r.Config != "" {
		s += "/" + r.Config
	}
	if r.Split != "" {
		s += ":" + r.Split
	}
	if r.Revision != "" {
		s += "@" + r.Revision
	}
	return s
}

// At is Revision, or its default: the Parquet export, or main.
func (r Ref) At() string {
	switch {
	case r.Revision != "":
		return r.Revision
	case r.Kind == Dataset:
		return ParquetExport
	}
	return "main"
}

// ParseDataset reads hf:owner/name/config:split@revision. All but the name may be left out; the configuration only
// together with nothing that needs it: a name with one slash is owner/name.
func ParseDataset(s string) (Ref, error) {
	r := Ref{Kind: Dataset}
	rest, err := r.head(s)
	if err != nil {
		return Ref{}, err
	}
	rest, split, ok := strings.Cut(rest, ":")
	if ok && split == "" {
		return Ref{}, fmt.Errorf("%q names no split behind the colon: write %s%s:train", s, Scheme, rest)
	}
	r.Split = split
	parts := strings.SplitN(rest, "/", 3)
	if len(parts) == 3 {
		if r.Config = parts[2]; r.Config == "" {
			return Ref{}, fmt.Errorf("%q names no configuration behind the last slash", s)
		}
		parts = parts[:2]
	}
	r.Repo = strings.Join(parts, "/")
	if err := r.Check(); err != nil {
		return Ref{}, err
	}
	return r, nil
}

// ParseModel reads hf:owner/name@revision.
func ParseModel(s string) (Ref, error) {
	r := Ref{Kind: Model}
	rest, err := r.head(s)
	if err != nil {
		return Ref{}, err
	}
	r.Repo = rest
	if err := r.Check(); err != nil {
		return Ref{}, err
	}
	return r, nil
}

// head takes the scheme and the revision off.
func (r *Ref) head(s string) (string, error) {
	rest, ok := strings.CutPrefix(s, Scheme)
	if !ok {
		return "", fmt.Errorf("%q is not on the hub: want %sowner/name", s, Scheme)
	}
	rest, revision, ok := strings.Cut(rest, "@")
	if ok && revision == "" {
		return "", fmt.Errorf("%q names no revision behind the @: write a commit, tag or branch", s)
	}
	r.Revision = revision
	return rest, nil
}

var (
	repoPart  = regexp.MustCompile(`^[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?$`)
	splitName = regexp.MustCompile(`^\w+(?:\.\w+)*$`)
)

// maxName is the hub's limit on a repository's id.
const maxName = 96

// Check applies the hub's rules for names, which also keep every name inside its folder of the cache.
func (r Ref) Check() error {
	if len(r.Repo) > maxName {
		return fmt.Errorf("%q is no name on the hub: more than %d characters", r.Repo, maxName)
	}
	parts := strings.Split(r.Repo, "/")
	if len(parts) > 2 {
		return fmt.Errorf("%q is no %s on the hub: want owner/name", r.Repo, r.Kind)
	}
	for _, p := range parts {
		if !repoPart.MatchString(p) || strings.Contains(p, "--") || strings.Contains(p, "..") {
			return fmt.Errorf("%q is no name on the hub: owner and name neither begin nor end with - or ., hold no -- or .., "+
				"and are letters, digits, _, - and . only", r.Repo)
		}
	}
	if r.Config != "" && !validConfig(r.Config) {
		return fmt.Errorf("%q is no configuration of a dataset: one of < > : / \\ | ? * @ or a control character in it",
			r.Config)
	}
	if r.Split != "" && !ValidSplit(r.Split) {
		return fmt.Errorf("%q is no split of a dataset: want letters, digits, _ and ., such as train", r.Split)
	}
	if r.Revision != "" && !validRevision(r.Revision) {
		return fmt.Errorf("%q is no revision: want a commit, a tag or a branch", r.Revision)
	}
	return nil
}

// ValidSplit reports whether s can name a split.
func ValidSplit(s string) bool { return splitName.MatchString(s) }

func validConfig(s string) bool {
	return s != "." && s != ".." && len(s) <= 255 && !strings.ContainsAny(s, `<>:/\|?*@`) && !strings.ContainsFunc(s, odd)
}

func odd(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }

// validRevision applies git's rules for names of references.
func validRevision(s string) bool {
	if len(s) > 255 || strings.HasPrefix(s, "-") || strings.HasSuffix(s, ".lock") || strings.Contains(s, "..") ||
		strings.Contains(s, "@{") || strings.ContainsAny(s, " ~^:?*[\\") || strings.ContainsFunc(s, odd) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(s, "/"), func(p string) bool {
		return p == "" || strings.HasPrefix(p, ".") || strings.HasSuffix(p, ".")
	})
}
