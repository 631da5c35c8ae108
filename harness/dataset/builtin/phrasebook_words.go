package builtin

// The words of words/phrasebook.json. Animals do what needs no object, and may
// be helped or thanked.
var (
	personNouns, animals, thingNouns, placeNouns []noun
	personAdjectives, thingAdjectives            []adjective
	pronouns                                     []subject
	subjectNames                                 []string

	intransitives, transitives, dativeVerbs, givings, modals, knowing []verb

	orders         map[string]pair
	prepositions   []preposition
	adverbs, times []pair
)
