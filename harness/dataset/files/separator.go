package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/dataset"
)

// separators are those of files that are called CSV, the usual one first.
var separators = []rune{',', ';', '\t', '|'}

// separatorOf is the separator of a file's cells, 0 where there is none.
func separatorOf(o Options) rune {
	format, _, err := formatOf(o.Path, o.Format)
	switch {
	case err != nil:
		return 0
	case format == TSV:
		return '\t'
	case format != CSV:
		return 0
	case o.Separator != 0:
		return o.Separator
	}
	return ','
}

// otherSeparator returns the separator of a header that was read with another
// one: one that makes the wanted column a cell, or that splits a header of a single
// cell. It is 0 where there is none.
func otherSeparator(header []string, parted rune, wanted string) rune {
	if parted == 0 {
		return 0
	}
	whole := strings.Join(header, string(parted))
	for _, sep := range separators {
		if sep == parted {
			continue
		}
		cells := strings.Split(whole, string(sep))
		for i, c := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(c), `"`)
		}
		if len(cells) > 1 && (len(header) == 1 || slices.Contains(cells, wanted)) {
			return sep
		}
	}
	return 0
}

// firstLine is the beginning of what r will read, without taking it, and
// without waiting for more than a line.
func firstLine(r *bufio.Reader) string {
	var head []byte
	for err := error(nil); err == nil && bytes.IndexByte(head, '\n') < 0 && len(head) < r.Size(); {
		_, err = r.Peek(len(head) + 1)
		head, _ = r.Peek(r.Buffered()) // as much as there is
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return strings.TrimRight(string(line), "\r")
}

// quotedBy returns the separator of a header of quoted cells that was read with
// another one, 0 where it cannot be found.
func quotedBy(line string, parted rune) rune {
	for _, sep := range separators {
		if sep != parted && strings.Contains(line, `"`+string(sep)+`"`) {
			return sep
		}
	}
	return 0
}

// separatorName is a separator in words.
func separatorName(r rune) string {
	switch r {
	case ',':
		return "a comma"
	case ';':
		return "a semicolon"
	case '\t':
		return "a tab"
	}
	return fmt.Sprintf("%q", r)
}

// delimiterFix says how to read a file whose cells are separated by sep.
func delimiterFix(sep, parted rune) string {
	switch {
	case parted == '\t' && sep == ',':
		return "end the file's name in .csv"
	case parted == '\t':
		return fmt.Sprintf("end the file's name in .csv and set delimiter = %q", WrittenSeparator(sep))
	case sep == ',':
		return "leave delimiter out: a comma is the default"
	}
	return fmt.Sprintf("set delimiter = %q", WrittenSeparator(sep))
}

// WrittenSeparator is a separator as a study writes it.
func WrittenSeparator(r rune) string {
	if r == '\t' {
		return "tab"
	}
	return string(r)
}

// CheckSeparator reads a CSV or TSV file's header and returns a
// *dataset.SettingError where its separator is not the one of o. Other mistakes
// are reported when the file is read.
func CheckSeparator(o Options) error {
	parted := separatorOf(o)
	if parted == 0 {
		return nil
	}
	src, err := open(o)
	if setting := (*dataset.SettingError)(nil); errors.As(err, &setting) && setting.Key == "delimiter" {
		return setting
	}
	if err != nil {
		return nil
	}
	defer src.Close()
	have := src.columns()
	if sep := otherSeparator(have, parted, ""); sep != 0 && len(have) == 1 {
		return &dataset.SettingError{Key: "delimiter", Fix: delimiterFix(sep, parted),
			Err: fmt.Errorf("the header %q is parted by %s, and is read as if by %s", clip(have[0]), separatorName(sep),
				separatorName(parted))}
	}
	return nil
}

// Separator looks at the header of a CSV file and returns the separator of its
// cells: a comma, or where a comma leaves the header in one piece, the semicolon,
// tab or bar that splits it. It is 0 for files of other formats, and for those
// that cannot be read.
func Separator(path string) rune {
	o := Options{Path: path}
	if separatorOf(o) != ',' {
		return 0
	}
	src, err := open(o)
	var setting *dataset.SettingError
	if errors.As(err, &setting) {
		for _, sep := range separators {
			if setting.Fix == delimiterFix(sep, ',') {
				return sep
			}
		}
	}
	if err != nil {
		return 0
	}
	defer src.Close()
	if sep := otherSeparator(src.columns(), ',', ""); sep != 0 && len(src.columns()) == 1 {
		return sep
	}
	return ','
}
