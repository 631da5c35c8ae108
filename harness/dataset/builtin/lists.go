package builtin

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
)

// The word lists, one file a task: lists by the name of the variable that they
// go to. What has several parts (a noun, a verb) is an array of them.
//
//go:embed words/*.json
var files embed.FS

// The files come with the program, so that a mistake in one is a mistake in this
// package: it panics, and every test finds it.
func init() {
	load("reviews", map[string]any{
		"turns": &turns, "contrasts": &contrasts, "outweighing": &outweighing, "reports": &said, "hearsays": &hearsays,
		"strongGood": &strongGood, "mildGood": &mildGood, "strongBad": &strongBad, "mildBad": &mildBad,
		"degrees": &degrees, "liked": &liked, "negated": &negated, "twiceNegated": &twiceNegated,
		"witnesses": &witnesses, "rulings": &rulings, "mockPraise": &mockPraise, "mockBlame": &mockBlame,
		"closers": &reviewClosers, "slots": &reviewSlots, "venues": &venues,
	})
	load("tickets", map[string]any{
		"queues": &queues, "greetings": &greetings, "thanks": &thanks, "vague": &vague, "setAside": &setAside,
		"alsos": &alsos, "byName": &byName, "pointFirst": &pointFirst, "pointSecond": &pointSecond,
		"ofTheOthersFirst": &ofTheOthersFirst, "ofTheOthersSecond": &ofTheOthersSecond, "slots": &ticketSlots,
	})
	for _, shared := range []string{"day", "month", "few"} {
		ticketSlots[shared] = reviewSlots[shared]
	}
	load("lookup", map[string]any{
		"personNames": &personNames,
		"homeNames":   &homeNames, "jobNames": &jobNames,
		"relations": &relations, "twoHops": &twoHops, "thingNames": &thingNames, "colours": &colours, "roomNames": &roomNames,
	})
	load("phrasebook", map[string]any{
		"orders": &orders, "personNouns": &personNouns,
		"animals": &animals, "thingNouns": &thingNouns, "placeNouns": &placeNouns,
		"personAdjectives": &personAdjectives, "thingAdjectives": &thingAdjectives, "pronouns": &pronouns,
		"subjectNames": &subjectNames, "intransitives": &intransitives, "transitives": &transitives,
		"dativeVerbs": &dativeVerbs, "givings": &givings, "modals": &modals, "knowing": &knowing,
		"prepositions": &prepositions, "adverbs": &adverbs, "times": &times,
	})
}

// load reads a file of lists into the variables of their names: every list has
// a variable, and every variable a list.
func load(task string, lists map[string]any) {
	fail := func(err error) { panic(fmt.Sprintf("builtin: words/%s.json: %v", task, err)) }
	b, err := files.ReadFile("words/" + task + ".json")
	if err != nil {
		fail(err)
	}
	var read map[string]json.RawMessage
	if err := json.Unmarshal(b, &read); err != nil {
		fail(err)
	}
	for name, to := range lists {
		if err := json.Unmarshal(read[name], to); err != nil {
			fail(fmt.Errorf("%s: %w", name, err))
		}
	}
	if len(read) != len(lists) {
		fail(fmt.Errorf("%d lists for %d variables", len(read), len(lists)))
	}
}

// tuple reads an array into its parts.
func tuple(b []byte, parts ...any) error {
	var read []json.RawMessage
	if err := json.Unmarshal(b, &read); err != nil {
		return err
	}
	if len(read) != len(parts) {
		return fmt.Errorf("%s: want %d parts", b, len(parts))
	}
	for i, to := range parts {
		if err := json.Unmarshal(read[i], to); err != nil {
			return fmt.Errorf("%s: %w", b, err)
		}
	}
	return nil
}

// named reads a constant by its place in a list of names.
func named[T ~int](b []byte, to *T, names ...string) error {
	i := slices.Index(names, string(b))
	if i < 0 {
		return fmt.Errorf("%q is none of %q", b, names)
	}
	*to = T(i)
	return nil
}
