package doubt

import "fmt"

// Remedy says how a study removes texts that are in both parts.
const Remedy = `Set group = the text's column to keep equal texts in one part.`

// Found is the result of checking the texts.
type Found struct {
	Overlap int // test records whose text is in the fit part
	Test    int // test records
}

// Doubts is the question that the texts raise.
func (f Found) Doubts() []Doubt {
	if f.Overlap == 0 {
		return nil
	}
	return []Doubt{{Kind: "overlap", Count: f.Overlap, Of: f.Test, Text: fmt.Sprintf("%d of %d test records have a text "+
		"that is in the fit part too, to the byte: on them what was fitted is tested on what it saw. %s", f.Overlap, f.Test,
		Remedy)}}
}

// Texts counts the test records whose text is in the fit part. Texts have one entry per record: the whole prompt as a
// model gets it, or a digest of it.
func Texts(texts []string, fit, test []int) Found {
	f := Found{Test: len(test)}
	inFit := make(map[string]bool, len(fit))
	for _, i := range fit {
		inFit[texts[i]] = true
	}
	for _, i := range test {
		if inFit[texts[i]] {
			f.Overlap++
		}
	}
	return f
}
