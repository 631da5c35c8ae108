package spec

import (
	"fmt"
)

// split puts a dataset's rows together from the dataset's own keys, the
// study's [split], the catalog's, and the defaults, in this order.
func (c *datasetCheck) split() {
	r, main := c.raw, c.main
	at := []string{c.at + ".split", "split", "split"}
	from := []*file{c.file, main, c.file}
	raws := []*rawSplit{r.Split, main.raw.Split, c.file.raw.Split}
	s := &c.out.Split
	*s = Split{Fit: defaultFit, Order: defaultOrder}
	if r.Limit != nil && r.Split != nil && r.Split.Limit != nil {
		c.file.wrong(c.at+".split.limit", "the limit is there twice, here and as limit", "write it once")
	}
	limit, limitAt, limitFile := r.Limit, c.at+".limit", c.file
	fitAt, stratifyAt, stratifyFile := "", "", c.file
	repeatsAt, repeatsFile := "", c.file
	for i := len(raws) - 1; i >= 0; i-- {
		raw := raws[i]
		if raw == nil {
			continue
		}
		if raw.Fit != nil {
			s.Fit, fitAt = *raw.Fit, at[i]+".fit"
			if s.Fit <= 0 || s.Fit >= 1 {
				from[i].once(fitAt, fmt.Sprintf("the fit part's share %v is outside (0,1)", s.Fit),
					"0.8 fits on four records of five and tests on the fifth")
			}
		}
		s.Order = or(raw.Order, s.Order)
		s.AllowOverlap = or(raw.Overlap, s.AllowOverlap)
		if raw.Repeats != nil {
			s.Repeats, repeatsAt, repeatsFile = c.repeats(from[i], at[i]+".repeats", *raw.Repeats), at[i]+".repeats", from[i]
		}
		if raw.Stratify != nil {
			s.Stratify, stratifyAt, stratifyFile = *raw.Stratify, at[i]+".stratify", from[i]
		}
	}
	if s.Repeats > 0 && s.Order == InFile {
		repeatsFile.once(repeatsAt, fmt.Sprintf("%d repeats of a split in file order are one and the same split", s.Repeats),
			`use order = "shuffle", or give the dataset repeats = 1 in its own split`)
	}
	for i := range raws {
		if limit == nil && raws[i] != nil && raws[i].Limit != nil {
			limit, limitAt, limitFile = raws[i].Limit, at[i]+".limit", from[i]
		}
	}
	if limit != nil {
		s.Limit = int(c.rows(limitFile, limitAt, *limit))
	}
	if c.builtin != nil && s.Limit == 0 {
		s.Limit = defaultBuiltinRows
	}
	if n := c.options.Limit; n > 0 && (s.Limit == 0 || n < s.Limit) {
		s.Limit = n
	}
	if s.Stratify && c.out.Task != "" && !c.classification() && stratifyAt == at[0]+".stratify" {
		stratifyFile.once(stratifyAt, fmt.Sprintf("a task of %s has no classes to stratify by", c.out.Task),
			"leave stratify out")
	}
	s.Stratify = s.Stratify && c.classification()
}

// fewest and most rows that a study may ask for.
const (
	fewest = 10
	most   = 100_000_000
)

func (c *datasetCheck) rows(f *file, key string, n int64) int64 {
	if n < fewest || n > most {
		f.once(key, fmt.Sprintf("a limit of %d rows", n), fmt.Sprintf("%d rows or more, or leave it out to use all", fewest))
		return 0
	}
	return n
}

// mostRepeats is how many splits a study may ask for.
const mostRepeats = 100

// repeats is the number of splits, 0 for one.
func (c *datasetCheck) repeats(f *file, key string, n int64) int {
	if n < 1 || n > mostRepeats {
		f.once(key, fmt.Sprintf("%d repeats of the split", n),
			fmt.Sprintf("a number from 1, the split alone, to %d", mostRepeats))
		return 0
	}
	if n == 1 {
		return 0
	}
	return int(n)
}
