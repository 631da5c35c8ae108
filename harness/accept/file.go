package accept

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"infnet/harness/fault"
	"infnet/harness/regular"
	"infnet/harness/result"
)

// format says what the file is to whoever opens it.
const format = "accepted run of infnet: what infnet compare measures later runs against; infnet accept writes it"

// noSum takes the place of the file's hash while it is computed.
var noSum = strings.Repeat("0", 64)

// Encode returns the run as an accepted file.
func (r *Run) Encode() ([]byte, error) {
	out := *r
	out.Sum = noSum
	b, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return nil, fmt.Errorf("accepted run of study %q: %w", r.Study, err)
	}
	b = append(result.Flat(b), '\n')
	return replaceSum(b, noSum, Sum(b)), nil
}

// sumField is how the hash stands in the file: it is its last field.
const sumField = `"sha256": "`

// replaceSum puts one hash in the place of another at the end of a file.
func replaceSum(b []byte, old, now string) []byte {
	at := bytes.LastIndex(b, []byte(sumField+old))
	if at < 0 {
		return b
	}
	out := bytes.Clone(b)
	copy(out[at+len(sumField):], now)
	return out
}

// ReadFile reads an accepted file. One of another version is fault.Unrelated, a damaged one fault.Data.
func ReadFile(path string) (*Run, error) {
	b, err := regular.ReadFile(path)
	if err != nil {
		return nil, fault.Data.Wrap(err)
	}
	r, err := Decode(b, path)
	if err != nil {
		return nil, fault.Data.Wrap(err)
	}
	return r, nil
}

// Decode reads an accepted run from bytes; name appears in errors. The version comes first: a file of another one may
// not look like this one's at all.
func Decode(b []byte, name string) (*Run, error) {
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) // as some systems check files out
	const again = "take it from version control again, or accept a run again"
	var head struct {
		Version  *int    `json:"version"`
		Format   string  `json:"format"`
		Study    *string `json:"study"`
		Accepted *string `json:"accepted"`
	}
	if bytes.Contains(b, []byte("\n<<<<<<< ")) {
		return nil, fmt.Errorf("%s: holds the marks of a merge that is not finished; take one of the two versions, or "+
			"accept a run again", name)
	}
	err := json.Unmarshal(b, &head)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: not an accepted run, or cut off: %w; %s", name, err, again)
	case head.Version == nil || head.Accepted == nil || head.Study == nil:
		return nil, fmt.Errorf("%s: not an accepted run: it has no version, study and day; name the folder of a run, or the "+
			"file that infnet accept wrote", name)
	case *head.Version != Version:
		return nil, fault.Unrelated.Wrap(fmt.Errorf("%s: an accepted run of version %d, and this infnet reads version %d: "+
			"accept a run again with this one, or compare with the one that wrote it", name, *head.Version, Version))
	}
	var r Run
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("%s: an accepted run that is damaged: %w; %s", name, err, again)
	}
	if r.Sum == "" || len(r.Sum) != len(noSum) || Sum(replaceSum(b, r.Sum, noSum)) != r.Sum {
		return nil, fmt.Errorf("%s: damaged, or changed since it was written: its hash is not that of its content; %s", name,
			again)
	}
	if _, err := time.Parse(time.DateOnly, r.Accepted); err != nil {
		return nil, fmt.Errorf("%s: the day on which it was accepted is %q, and not a date; %s", name, r.Accepted, again)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%s: %w; %s", name, err, again)
	}
	r.Name, r.Hash = name, r.Sum
	return &r, nil
}

// check reports columns that do not fit each other.
func (r *Run) check() error {
	data := map[string]*Data{}
	for i := range r.Data {
		d := &r.Data[i]
		data[d.Name] = d
		for _, n := range []int{len(d.IDs), len(d.Content), len(d.Class), len(d.Group)} {
			if n != d.Records && n != 0 {
				return fmt.Errorf("dataset %s: %d values for %d records", d.Name, n, d.Records)
			}
		}
		if len(d.IDs) != d.Records || !within(d.Class, len(d.Labels)) {
			return fmt.Errorf("dataset %s: %d ids for %d records, or classes without a label", d.Name, len(d.IDs), d.Records)
		}
	}
	for i := range r.Cascades {
		c := &r.Cascades[i]
		for k := range c.Datasets {
			m := &c.Datasets[k]
			d := data[m.Dataset]
			if d == nil {
				return fmt.Errorf("cascade %s: no dataset %s", c.Name, m.Dataset)
			}
			if err := m.check(d, len(c.Models)); err != nil {
				return fmt.Errorf("cascade %s on dataset %s: %w", c.Name, m.Dataset, err)
			}
		}
	}
	return nil
}

// within reports whether a column has −1 and places of a list alone.
func within(c []int, length int) bool {
	return !slices.ContainsFunc(c, func(n int) bool { return n < -1 || n >= length })
}

func (m *Measured) check(d *Data, models int) error {
	records, test := d.Records, 0
	for _, p := range m.Part {
		if p == TestPart {
			test++
		}
	}
	fits := len(m.Part) == records && len(m.Models) == models && models > 0 && within(m.Part, TestPart+1)
	for i := range m.Models {
		a := &m.Models[i]
		fits = fits && (len(a.Lost) == records || a.Lost == nil) && len(a.Right) == records && len(a.Cost) == test
		fits = fits && within(a.Class, len(d.Labels))
		columns := []int{len(a.Class), len(a.Error)}
		for _, c := range a.Scores {
			columns = append(columns, len(c))
		}
		for _, list := range a.Sums {
			for _, c := range list {
				columns = append(columns, len(c))
			}
		}
		for _, n := range columns {
			fits = fits && (n == test || n == 0)
		}
	}
	for i := range m.Rows {
		x := &m.Rows[i]
		fits = fits && (len(x.Final) == records || x.Final == nil) && (len(x.Asked) == records || x.Asked == nil)
		fits = fits && within(x.Final, models) && within(x.Asked, 1<<models)
	}
	if !fits {
		return fmt.Errorf("columns do not fit %d records", records)
	}
	return nil
}

// Acceptable reports why a run is no yardstick.
func (r *Run) Acceptable() error {
	if len(r.Cascades) == 0 {
		return fault.Data.Wrap(fmt.Errorf("%s: a run without a cascade has nothing that later runs are compared by", r.Name))
	}
	for _, c := range r.Cascades {
		if c.Incomplete {
			return fault.Incomplete.Wrap(fmt.Errorf("%s: cascade %s lacks more answers than its study allows: collect what is "+
				"missing before the run is accepted", r.Name, c.Name))
		}
	}
	return nil
}
