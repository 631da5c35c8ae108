package confidence

import (
	"slices"
	"strings"
	"unicode/utf8"

	"infnet/backends"
)

// Within returns the tokens that hold the bytes first to last of a text which they spell: a token on the border counts
// whole. Blanks before the text, and what follows it (a stop text), may be in the tokens and not in the text. ok is
// false where the tokens spell another text.
func Within(tokens []backends.Token, text string, first, last int) (within []backends.Token, ok bool) {
	const blanks = " \t\r\n"
	if !slices.ContainsFunc(tokens, func(t backends.Token) bool { return t.Text != "" }) {
		return nil, false // recorded without their texts
	}
	at := 0 // the bytes of the text that the tokens so far hold
	for k := 0; k < len(tokens) && !tokens[k].End && at < len(text); {
		piece, n := tokens[k].Text, 1
		if at == 0 && !strings.HasPrefix(text, piece) {
			piece = strings.TrimLeft(piece, blanks)
		}
		next := at
		switch rest := text[at:]; {
		case strings.HasPrefix(rest, piece):
			next = at + len(piece)
		case strings.HasPrefix(piece, rest):
			next = len(text)
		default:
			var size int
			if n, size = broken(tokens[k:], rest); n == 0 {
				return nil, false
			}
			next = at + size
		}
		if at < last && next > first {
			within = append(within, tokens[k:k+n]...)
		}
		at, k = next, k+n
	}
	return within, at >= last
}

// broken returns how many tokens at the beginning are parts of characters, and how many bytes of the text they hold:
// those before the next token that is whole. 0 tokens = none is.
func broken(tokens []backends.Token, text string) (n, size int) {
	for n < len(tokens) && !tokens[n].End && partial(tokens[n].Text) {
		n++
	}
	if n == 0 || n == len(tokens) || tokens[n].End {
		return n, len(text)
	}
	const most = 4 * utf8.UTFMax // bytes that a token of parts of characters holds, and more
	size = strings.Index(text[:min(len(text), n*most+len(tokens[n].Text))], tokens[n].Text)
	if size < 0 {
		return 0, 0
	}
	return n, size
}

// partial reports whether a token's text is no whole characters, as where one character takes several tokens.
func partial(text string) bool {
	return text == "" || !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError)
}
