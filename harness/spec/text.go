package spec

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// Quote writes a TOML string on one line. Whatever could end it or is invisible
// is escaped; bytes that are no UTF-8 are replaced.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !unicode.IsPrint(r) && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04X`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Relative is a path as a study in a folder names it.
func Relative(folder, path string) string {
	file, err := filepath.Abs(path)
	from, err2 := filepath.Abs(folder)
	if err != nil || err2 != nil {
		return filepath.ToSlash(path)
	}
	if rel, err := filepath.Rel(from, file); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(file)
}

// Slug makes a name of a text: letters, digits and _ + -, of at most so many characters; "" where none is left.
func Slug(text string, most int) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r) || b.Len() > 0 && strings.ContainsRune("_+-", r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == most {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

const defaultCurrency = "USD"

// or returns *p, or the default if the key is missing.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// LongestName is in characters: names become folders and files.
const LongestName = 80

// NameFault says what is wrong with a name, as the predicate of a sentence whose subject is the
// name; "" = nothing.
func NameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > LongestName:
		return fmt.Sprintf("is longer than %d characters", LongestName)
	case !alphanumeric(name[0]):
		return "does not begin with a letter or digit"
	}
	for i := range len(name) {
		if c := name[i]; !alphanumeric(c) && !strings.ContainsRune("._+-", rune(c)) {
			return "has a character that names must not have"
		}
	}
	if strings.HasSuffix(name, ".") {
		return "ends in a point"
	}
	return ""
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
