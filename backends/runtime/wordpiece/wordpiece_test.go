package wordpiece

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

func parse(t testing.TB, name string) *Tokenizer {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// ids are a tokenizer's ids for a text, special tokens included, within a limit.
type ids struct{ One []int32 }

type fixture struct {
	Cases []struct {
		Text                  string
		Uncased, Cased, MPNet []int32
	}
	Pairs []struct {
		A                     string
		Limit                 int
		Uncased, Cased, MPNet ids
	}
}

// The expected ids are the tokenizers library's (0.23.3), by
// testdata/make_fixtures.py.
func TestEqualToTheLibrary(t *testing.T) {
	var want fixture
	readJSON(t, "testdata/strings.json", &want)
	if len(want.Cases) < 340 || len(want.Pairs) < 100 {
		t.Fatalf("%d strings and %d pairs", len(want.Cases), len(want.Pairs))
	}
	uncased, cased, mpnet := parse(t, "uncased"), parse(t, "cased"), parse(t, "mpnet")
	check := func(name string, tok *Tokenizer, text string, want []int32) {
		t.Helper()
		if got := tok.Tokens(text); !slices.Equal(got, want) {
			t.Errorf("%s %q:\n got %q\nwant %q", name, text, tokens(tok, got), tokens(tok, want))
		}
	}
	for _, c := range want.Cases {
		check("uncased", uncased, c.Text, c.Uncased)
		check("cased", cased, c.Text, c.Cased)
		check("mpnet", mpnet, c.Text, c.MPNet)
	}
	for _, p := range want.Pairs {
		for _, s := range []struct {
			name string
			tok  *Tokenizer
			want ids
		}{{"uncased", uncased, p.Uncased}, {"cased", cased, p.Cased}, {"mpnet", mpnet, p.MPNet}} {
			if got := s.tok.Encode(p.A, p.Limit); !slices.Equal(got, s.want.One) {
				t.Errorf("%s %q within %d: %v, want %v", s.name, p.A, p.Limit, got, s.want.One)
			}
		}
	}
}

func tokens(t *Tokenizer, ids []int32) []string {
	var out []string
	for _, id := range ids {
		out = append(out, t.ByID[id])
	}
	return out
}

// Every character assigned in Unicode 14 is normalised as the library does it,
// but for U+11938, whose decomposition is newer than the library's tables.
func TestEveryCharacter(t *testing.T) {
	var want struct {
		Blocks  string
		Missing [][2]rune
	}
	readJSON(t, "testdata/characters.json", &want)
	blocks := strings.Fields(want.Blocks)
	if len(blocks) != 0x1100 {
		t.Fatalf("%d blocks", len(blocks))
	}
	kinds := []basic{{clean: true}, {accents: true}, {lower: true}, {true, true, true, true}}
	missing := want.Missing
	for b, want := range blocks {
		h := sha256.New()
		for r := rune(b) << 8; r < rune(b+1)<<8; r++ {
			for len(missing) > 0 && missing[0][1] < r {
				missing = missing[1:]
			}
			if len(missing) > 0 && missing[0][0] <= r {
				continue
			}
			fmt.Fprintf(h, "%x", r)
			for _, k := range kinds {
				fmt.Fprintf(h, " %s", k.normalize(string(r)))
			}
			fmt.Fprintln(h)
		}
		if got := hex.EncodeToString(h.Sum(nil))[:8]; got != want {
			t.Errorf("a character of U+%X00 to U+%XFF is normalised otherwise", b, b)
		}
	}
}

// Whatever the text: no id outside the vocabulary, and never more than the limit
// allows.
func TestBounds(t *testing.T) {
	toks := []*Tokenizer{parse(t, "uncased"), parse(t, "cased"), parse(t, "mpnet")}
	part := rapid.OneOf(rapid.String(),
		rapid.SampledFrom([]string{"[SEP]", "<mask>", "the", "the", "\u4e16", strings.Repeat("a", 101)}))
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "") })
	rapid.Check(t, func(t *rapid.T) {
		a, limit := text.Draw(t, "a"), rapid.IntRange(4, 40).Draw(t, "limit")
		for _, tok := range toks {
			whole, one := tok.Tokens(a), tok.Encode(a, limit)
			if len(one) != min(limit, len(whole)+2) || !slices.Equal(one[1:len(one)-1], whole[:len(one)-2]) {
				t.Fatalf("%q within %d: %v of %v", a, limit, one, whole)
			}
			for _, id := range one {
				if id < 0 || int(id) >= tok.Len() || tok.ByID[id] == "" {
					t.Fatalf("%q: id %d", a, id)
				}
			}
		}
	})
}

func TestRefused(t *testing.T) {
	const good = `{"added_tokens":[],"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},` +
		`"pre_tokenizer":{"type":"BertPreTokenizer"},"post_processor":{"type":"BertProcessing","sep":["[SEP]",2],"cls":["[CLS]",1]},` +
		`"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"a":3}}}`
	if _, err := Parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"another model", `"WordPiece"`, `"BPE"`, `model type "BPE": want WordPiece`},
		{"another normaliser", `"BertNormalizer"`, `"NFC"`, "normalizer: want BertNormalizer"},
		{"another splitter", `"BertPreTokenizer"`, `"Whitespace"`, "pre_tokenizer: want BertPreTokenizer"},
		{"no special tokens", `"post_processor":{"type":"BertProcessing","sep":["[SEP]",2],"cls":["[CLS]",1]},`, ``,
			"post_processor is missing"},
		{"another surround", `"BertProcessing"`, `"ByteLevel"`, "post_processor: it puts no special tokens"},
		{"a special token out of range", `["[SEP]",2]`, `["[SEP]",9]`, "post_processor: it adds token 9, which does not exist"},
		{"no unknown token", `"unk_token":"[UNK]"`, `"unk_token":"?"`, `unk_token "?" is not in the vocabulary`},
		{"no vocabulary", `{"[UNK]":0,"[CLS]":1,"[SEP]":2,"a":3}`, `{}`, "the vocabulary is empty"},
		{"a negative id", `"a":3`, `"a":-3`, `token "a" has id -3`},
		{"an impossible added token", `"added_tokens":[]`, `"added_tokens":[{"id":-1,"content":"x"}]`,
			`token "x" has id -1`},
		{"words of no character", `"max_input_chars_per_word":100`, `"max_input_chars_per_word":0`,
			"max_input_chars_per_word = 0"},
		{"not JSON", good, `{`, "unexpected end of JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(strings.Replace(good, c.old, c.new, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
	if _, err := Open(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "tokenizer.json is not there") {
		t.Errorf("an empty folder: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"uncased", "cased", "mpnet"} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "a [SEP] caf\u00e9the\u4e16")
	}
	f.Fuzz(func(t *testing.T, file, text string) {
		tok, err := Parse([]byte(file))
		if err != nil {
			return
		}
		for _, id := range tok.Encode(text, 64) {
			if id < 0 || int(id) >= tok.Len() {
				t.Errorf("%q: id %d of %d", text, id, tok.Len())
			}
		}
	})
}
