package metrics

import "strings"

// entities13a are replaced one after the other: &amp;lt; becomes <.
var entities13a = [][2]string{{"&quot;", `"`}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}}

// tokens13a returns the numbers of a text's tokens, split as the WMT evaluation script mteval-v13a does:
// symbols apart, period and comma apart unless between digits, a dash apart
// after a digit. Case stays.
func (s *scratch) tokens13a(text string) []uint32 {
	first := len(s.symbols)
	each13a(text, &s.bytes, func(token string) { s.symbols = append(s.symbols, s.number(token)) })
	return s.since(first)
}

// each13a calls f with every 13a token. Each pass over the text is one substitution of the script.
func each13a(s string, buffers *[2][]byte, f func(token string)) {
	s = strings.TrimRightFunc(s, space)
	s = strings.ReplaceAll(s, "<skipped>", "")
	s = strings.ReplaceAll(s, "-\n", "")
	s = strings.ReplaceAll(s, "\n", " ")
	if strings.Contains(s, "&") {
		for _, e := range entities13a {
			s = strings.ReplaceAll(s, e[0], e[1])
		}
	}
	text := symbolsApart(buffers[0][:0], s)
	other := apartAfterWord(buffers[1][:0], text)
	text = apartBeforeWord(text[:0], other)
	other = dashApart(other[:0], text)
	buffers[0], buffers[1] = text, other
	for token := range strings.FieldsFuncSeq(string(other), space) {
		f(token)
	}
}

// symbolsApart puts spaces around the text and around every symbol of ASCII but ' , - and the
// period.
func symbolsApart(to []byte, s string) []byte {
	to = append(to, ' ')
	for i := range len(s) {
		switch c := s[i]; {
		case '{' <= c && c <= '~', '[' <= c && c <= '`', '!' <= c && c <= '&', '(' <= c && c <= '+',
			':' <= c && c <= '@', c == '/':
			to = append(to, ' ', c, ' ')
		default:
			to = append(to, c)
		}
	}
	return append(to, ' ')
}

// apartAfterWord puts spaces around a period or comma that follows anything but a digit. A period or
// comma set apart is not what the next one follows.
func apartAfterWord(to, s []byte) []byte {
	used := true // the byte before is part of an earlier match, or there is none
	for i, c := range s {
		if stop13a(c) && !used && !digit13a(s[i-1]) {
			to = append(to, ' ', c, ' ')
			used = true
			continue
		}
		to = append(to, c)
		used = false
	}
	return to
}

// apartBeforeWord puts spaces around a period or comma before anything but a digit. What follows it
// is part of the match, a period or comma too.
func apartBeforeWord(to, s []byte) []byte {
	for i := 0; i < len(s); i++ {
		if !stop13a(s[i]) || i+1 == len(s) || digit13a(s[i+1]) {
			to = append(to, s[i])
			continue
		}
		to = append(to, ' ', s[i], ' ', s[i+1])
		i++
	}
	return to
}

// dashApart puts spaces around a dash after a digit.
func dashApart(to, s []byte) []byte {
	for i, c := range s {
		if c == '-' && i > 0 && digit13a(s[i-1]) {
			to = append(to, ' ', c, ' ')
			continue
		}
		to = append(to, c)
	}
	return to
}

func stop13a(c byte) bool  { return c == '.' || c == ',' }
func digit13a(c byte) bool { return '0' <= c && c <= '9' }
