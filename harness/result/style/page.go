package style

import (
	"fmt"
	"regexp"
	"strconv"
)

// UsualTexts is how many bytes the texts of records may have in the page, compressed, where a study does not say.
const UsualTexts Size = 5_000_000

// MostTexts is the largest size that a study may ask for: browsers read a page as a whole.
const MostTexts Size = 500_000_000

// Size is a number of bytes.
type Size int64

var size = regexp.MustCompile(`^([0-9]{1,12})(B|kB|MB|GB|)$`)

// UnmarshalText reads sizes such as 5MB, 200kB and 0.
func (s *Size) UnmarshalText(b []byte) error {
	m := size.FindSubmatch(b)
	if m == nil {
		return fmt.Errorf("%q is no size: want a whole number of bytes, such as 5MB, 200kB or 0", b)
	}
	n, err := strconv.ParseInt(string(m[1]), 10, 64)
	unit := map[string]int64{"": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[string(m[2])]
	if err != nil || n > int64(MostTexts)/unit {
		return fmt.Errorf("%q is too large: at most 500MB", b)
	}
	*s = Size(n * unit)
	return nil
}

// MarshalText writes the number of bytes.
func (s Size) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(s), 10), nil }

// PageTexts is how many bytes the texts of records may have in the page.
func (s Style) PageTexts() Size {
	if s.Texts == nil {
		return UsualTexts
	}
	return *s.Texts
}
