package spm

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

func load(t testing.TB, path string) *Model {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The expected ids are the SentencePiece library's (version in the file), by
// testdata/make_fixtures.py.
func TestEqualToTheLibrary(t *testing.T) {
	var want struct {
		Cases []struct {
			Text            string
			Fallback        []int32
			FallbackDecoded string `json:"fallback_decoded"`
			Plain           []int32
			PlainDecoded    string `json:"plain_decoded"`
		}
		Decode []struct {
			Fallback        []int32
			FallbackDecoded string `json:"fallback_decoded"`
			Plain           []int32
			PlainDecoded    string `json:"plain_decoded"`
		}
	}
	b, err := os.ReadFile("testdata/lines.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	fallback, plain := load(t, "testdata/fallback.model"), load(t, "testdata/plain.model")
	if len(want.Cases) < 500 || len(want.Decode) < 100 {
		t.Fatalf("only %d lines and %d sequences", len(want.Cases), len(want.Decode))
	}
	wholes := map[*Model]*Model{fallback: load(t, "testdata/fallback.model"), plain: load(t, "testdata/plain.model")}
	for m, whole := range wholes {
		if !m.splits {
			t.Error("the model's pieces reach over words, so the split into words is not tried")
		}
		whole.splits = false
	}
	check := func(name string, m *Model, text string, ids []int32) {
		t.Helper()
		if got := m.Encode(text); !slices.Equal(got, ids) {
			t.Errorf("%s %q:\n got %v\nwant %v", name, text, got, ids)
		}
		whole := wholes[m]
		if got := whole.Encode(text); !slices.Equal(got, ids) {
			t.Errorf("%s %q, not split into words:\n got %v\nwant %v", name, text, got, ids)
		}
	}
	decode := func(name string, m *Model, ids []int32, want string) {
		t.Helper()
		if got := decoded(m, ids); got != want {
			t.Errorf("%s: decode %v = %q, want %q", name, ids, got, want)
		}
	}
	for _, c := range want.Cases {
		text, err := base64.StdEncoding.DecodeString(c.Text)
		if err != nil {
			t.Fatal(err)
		}
		check("fallback", fallback, string(text), c.Fallback)
		check("plain", plain, string(text), c.Plain)
		decode("fallback", fallback, c.Fallback, c.FallbackDecoded)
		decode("plain", plain, c.Plain, c.PlainDecoded)
	}
	for _, c := range want.Decode {
		decode("fallback", fallback, c.Fallback, c.FallbackDecoded)
		decode("plain", plain, c.Plain, c.PlainDecoded)
	}
}

// message builds a model file: pieces, then trainer and normaliser fields.
func message(trainer, normalizer []byte, pieces ...piece) []byte {
	var b []byte
	for _, p := range pieces {
		var q []byte
		q = protowire.AppendTag(q, 1, protowire.BytesType)
		q = protowire.AppendString(q, p.text)
		q = protowire.AppendTag(q, 3, protowire.VarintType)
		q = protowire.AppendVarint(q, uint64(p.kind))
		b = protowire.AppendTag(b, 1, protowire.BytesType)
		b = protowire.AppendBytes(b, q)
	}
	for n, m := range [][]byte{trainer, normalizer} {
		b = protowire.AppendTag(b, protowire.Number(n+2), protowire.BytesType)
		b = protowire.AppendBytes(b, m)
	}
	return b
}

func number(n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), v)
}

func TestRefusedModels(t *testing.T) {
	unk := piece{text: "<unk>", kind: unknown}
	bpe := number(3, 2)
	charsmap := protowire.AppendString(protowire.AppendTag(protowire.AppendString(protowire.AppendTag(nil, 1,
		protowire.BytesType), "nmt_nfkc"), 2, protowire.BytesType), "xx")
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"not a model", []byte("hello"), "corrupt file"},
		{"cut short", message(bpe, nil, unk)[:5], "corrupt file"},
		{"unigram by default", message(nil, nil, unk), "model type 1: only byte-pair encoding (2)"},
		{"normalisation", message(bpe, charsmap, unk), `normalisation "nmt_nfkc" rewrites characters: only the identity`},
		{"suffix blanks", message(append(number(24, 1), bpe...), nil, unk), "treats blanks as suffixes"},
		{"no unknown piece", message(bpe, nil, piece{text: "a", kind: normal}), "no unknown piece"},
		{"two unknown pieces", message(bpe, nil, unk, piece{text: "x", kind: unknown}), "both the unknown piece"},
		{"twice", message(bpe, nil, unk, piece{text: "a", kind: normal}, piece{text: "a", kind: normal}),
			`piece "a" is listed twice`},
		{"empty piece", message(bpe, nil, unk, piece{kind: normal}), "piece 1 is empty"},
		{"odd type", message(bpe, nil, unk, piece{text: "a", kind: 9}), `piece 1 ("a") is of unknown type 9`},
		{"odd byte", message(bpe, nil, unk, piece{text: "<0xGG>", kind: byteValue}), `byte piece 1 is "<0xGG>"`},
		{"bytes missing", message(append(number(35, 1), bpe...), nil, unk),
			"byte fallback is on, but it has 0 byte pieces: want 256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Parse(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
		})
	}
	if _, err := Parse(message(bpe, nil, unk)); err != nil {
		t.Errorf("the base of these cases is refused: %v", err)
	}
}

func TestSpecial(t *testing.T) {
	m := load(t, "testdata/fallback.model")
	for _, c := range []struct {
		text string
		id   int
		ok   bool
	}{{"<bos>", 2, true}, {"<pad>", 0, true}, {"<start_of_turn>", 7, true}, {"the", 0, false}, {"<unk>", 0, false}} {
		if id, ok := m.Special(c.text); id != c.id || ok != c.ok {
			t.Errorf("%s: %d, %v, want %d, %v", c.text, id, ok, c.id, c.ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(message(number(3, 2), nil, piece{text: "<unk>", kind: unknown}, piece{text: "a", kind: normal}))
	f.Fuzz(func(t *testing.T, file []byte) {
		if m, err := Parse(file); err == nil {
			m.Continue(m.Encode("a b <unk> é\xff"))
		}
	})
}

// decoded is Continue as the library decodes a whole text: without the blanks of the first pieces where the model trims
// them, or without the one that it adds.
func decoded(m *Model, ids []int32) string {
	for i, id := range ids {
		if id < 0 || int(id) >= m.Len() || m.pieces[id].kind == control {
			continue
		}
		text, blank := strings.CutPrefix(m.Text(id), " ")
		if !blank || m.pieces[id].kind != normal && m.pieces[id].kind != userDefined || !m.dummyPrefix && !m.trimSpaces {
			return m.Continue(ids[i:])
		}
		if text != "" || !m.trimSpaces {
			return text + m.Continue(ids[i+1:])
		}
	}
	return ""
}
