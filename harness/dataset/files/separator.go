package files

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
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

// otherSeparator is the one of the usual separators that a header shows most often outside quotes, where that is more
// often than the one that it is read by; else 0.
func otherSeparator(header string, parted rune) (best rune) {
	quoted := false
	found := map[rune]int{}
	for _, c := range header {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			found[c]++
		}
	}
	most := found[parted]
	for _, sep := range separators {
		if found[sep] > most {
			best, most = sep, found[sep]
		}
	}
	return best
}

// parted is the error of a header that another separator parts, with how to read such a file.
func parted(header string, sep, by rune) *dataset.SettingError {
	names := map[rune]string{',': "a comma", ';': "a semicolon", '\t': "a tab"}
	name := func(r rune) string { return cmp.Or(names[r], fmt.Sprintf("%q", r)) }
	fix := fmt.Sprintf("set delimiter = %q", WrittenSeparator(sep))
	switch {
	case by == '\t' && sep == ',':
		fix = "end the file's name in .csv"
	case by == '\t':
		fix = "end the file's name in .csv and " + fix
	case sep == ',':
		fix = "leave delimiter out: a comma is the default"
	}
	return &dataset.SettingError{Key: "delimiter", Fix: fix, Err: fmt.Errorf(
		"the header %q is parted by %s, and is read as if by %s", clip(strings.ReplaceAll(header, `"`, "")), name(sep), name(by))}
}

// header is the first line of a file of cells; "" where it cannot be read, which is said when the file is.
func header(o Options) string {
	format, gz, err := formatOf(o.Path, o.Format)
	if err != nil {
		return ""
	}
	f, err := OpenFile(o)
	if err != nil {
		return ""
	}
	defer f.Close()
	in, err := textOfFile(o, f, format, gz)
	if err != nil {
		return ""
	}
	return firstLine(bufio.NewReader(in))
}

// firstLine is the beginning of what r will read, without taking it, and without waiting for more than a line.
func firstLine(r *bufio.Reader) string {
	var head []byte
	for err := error(nil); err == nil && bytes.IndexByte(head, '\n') < 0 && len(head) < r.Size(); {
		_, err = r.Peek(len(head) + 1)
		head, _ = r.Peek(r.Buffered()) // as much as there is
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return strings.TrimRight(strings.TrimPrefix(string(line), "\xef\xbb\xbf"), "\r")
}

// WrittenSeparator is a separator as a study writes it.
func WrittenSeparator(r rune) string {
	if r == '\t' {
		return "tab"
	}
	return string(r)
}

// CheckSeparator returns a *dataset.SettingError where the header of a CSV or TSV file is parted by another separator
// than that of o.
func CheckSeparator(o Options) error {
	by := separatorOf(o)
	if by == 0 {
		return nil
	}
	head := header(o)
	if sep := otherSeparator(head, by); sep != 0 {
		return parted(head, sep, by)
	}
	return nil
}

// Separator is the separator of a CSV file's cells: a comma, or a semicolon, tab or bar that the header shows more
// often. It is 0 for files of other formats.
func Separator(path string) rune {
	o := Options{Path: path}
	if separatorOf(o) != ',' {
		return 0
	}
	return cmp.Or(otherSeparator(header(o), ','), ',')
}
