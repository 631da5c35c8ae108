package builtin

// phrases are the words of words/phrasebook.json. Animals do what needs no object, and may be helped or thanked.
var phrases = load[struct {
	PersonNouns, Animals, ThingNouns, PlaceNouns                      []noun
	PersonAdjectives, ThingAdjectives                                 []adjective
	Pronouns                                                          []subject
	SubjectNames                                                      []string
	Intransitives, Transitives, DativeVerbs, Givings, Modals, Knowing []verb
	Orders                                                            map[string]pair
	Prepositions                                                      []preposition
	Adverbs, Times                                                    []pair
}]("phrasebook")
