package builtin

var personNouns = []noun{
	{"man", "men", "Mann", "Männer", masculine, true, false},
	{"boy", "boys", "Junge", "Jungen", masculine, true, true},
	{"teacher", "teachers", "Lehrer", "Lehrer", masculine, true, false},
	{"father", "fathers", "Vater", "Väter", masculine, true, false},
	{"doctor", "doctors", "Arzt", "Ärzte", masculine, true, false},
	{"friend", "friends", "Freund", "Freunde", masculine, true, false},
	{"son", "sons", "Sohn", "Söhne", masculine, true, false},
	{"woman", "women", "Frau", "Frauen", feminine, true, false},
	{"sister", "sisters", "Schwester", "Schwestern", feminine, true, false},
	{"mother", "mothers", "Mutter", "Mütter", feminine, true, false},
	{"aunt", "aunts", "Tante", "Tanten", feminine, true, false},
	{"daughter", "daughters", "Tochter", "Töchter", feminine, true, false},
	{"child", "children", "Kind", "Kinder", neuter, true, false},
	{"girl", "girls", "Mädchen", "Mädchen", neuter, true, false},
}

// animals do what needs no object, and may be helped or thanked.
var animals = []noun{
	{"dog", "dogs", "Hund", "Hunde", masculine, true, false},
	{"bird", "birds", "Vogel", "Vögel", masculine, true, false},
	{"cat", "cats", "Katze", "Katzen", feminine, true, false},
	{"cow", "cows", "Kuh", "Kühe", feminine, true, false},
	{"horse", "horses", "Pferd", "Pferde", neuter, true, false},
}

var thingNouns = []noun{
	{"apple", "apples", "Apfel", "Äpfel", masculine, false, false},
	{"letter", "letters", "Brief", "Briefe", masculine, false, false},
	{"key", "keys", "Schlüssel", "Schlüssel", masculine, false, false},
	{"hat", "hats", "Hut", "Hüte", masculine, false, false},
	{"coat", "coats", "Mantel", "Mäntel", masculine, false, false},
	{"table", "tables", "Tisch", "Tische", masculine, false, false},
	{"ring", "rings", "Ring", "Ringe", masculine, false, false},
	{"ball", "balls", "Ball", "Bälle", masculine, false, false},
	{"chair", "chairs", "Stuhl", "Stühle", masculine, false, false},
	{"flower", "flowers", "Blume", "Blumen", feminine, false, false},
	{"cup", "cups", "Tasse", "Tassen", feminine, false, false},
	{"bag", "bags", "Tasche", "Taschen", feminine, false, false},
	{"lamp", "lamps", "Lampe", "Lampen", feminine, false, false},
	{"newspaper", "newspapers", "Zeitung", "Zeitungen", feminine, false, false},
	{"clock", "clocks", "Uhr", "Uhren", feminine, false, false},
	{"bottle", "bottles", "Flasche", "Flaschen", feminine, false, false},
	{"book", "books", "Buch", "Bücher", neuter, false, false},
	{"dress", "dresses", "Kleid", "Kleider", neuter, false, false},
	{"glass", "glasses", "Glas", "Gläser", neuter, false, false},
	{"picture", "pictures", "Bild", "Bilder", neuter, false, false},
	{"bicycle", "bicycles", "Fahrrad", "Fahrräder", neuter, false, false},
	{"present", "presents", "Geschenk", "Geschenke", neuter, false, false},
	{"egg", "eggs", "Ei", "Eier", neuter, false, false},
	{"knife", "knives", "Messer", "Messer", neuter, false, false},
}

var placeNouns = []noun{
	{en: "garden", de: "Garten", gender: masculine}, {en: "park", de: "Park", gender: masculine}, {en: "forest", de: "Wald", gender: masculine}, {en: "cellar", de: "Keller", gender: masculine},
	{en: "school", de: "Schule", gender: feminine}, {en: "kitchen", de: "Küche", gender: feminine}, {en: "town", de: "Stadt", gender: feminine}, {en: "church", de: "Kirche", gender: feminine},
	{en: "village", de: "Dorf", gender: neuter}, {en: "hotel", de: "Hotel", gender: neuter}, {en: "shop", de: "Geschäft", gender: neuter}, {en: "room", de: "Zimmer", gender: neuter},
}

var (
	personAdjectives = []adjective{
		{"big", "groß"}, {"small", "klein"}, {"old", "alt"}, {"young", "jung"}, {"tired", "müde"}, {"friendly", "freundlich"}, {"famous", "berühmt"}, {"happy", "glücklich"}, {"brave", "mutig"}, {"quiet", "ruhig"},
	}
	thingAdjectives = []adjective{
		{"big", "groß"}, {"small", "klein"}, {"old", "alt"}, {"new", "neu"}, {"red", "rot"}, {"green", "grün"}, {"black", "schwarz"}, {"white", "weiß"}, {"beautiful", "schön"}, {"cheap", "billig"}, {"heavy", "schwer"}, {"broken", "kaputt"},
	}
	pronouns = []subject{
		{pair{"he", "er"}, third}, {pair{"she", "sie"}, third}, {pair{"I", "ich"}, firstSingular}, {pair{"we", "wir"}, plural}, {pair{"they", "sie"}, plural},
	}
	subjectNames = []string{"Anna", "Ben", "Clara", "David", "Emma", "Felix", "Greta", "Hugo", "Ida", "Jonas", "Karl", "Laura", "Maria", "Nora", "Otto", "Paul"}

	intransitives = []verb{
		{"sleep", "sleeps", "slept", "schlafen", "schlafe", "schläft", "geschlafen"},
		{"laugh", "laughs", "laughed", "lachen", "lache", "lacht", "gelacht"},
		{"work", "works", "worked", "arbeiten", "arbeite", "arbeitet", "gearbeitet"},
		{"wait", "waits", "waited", "warten", "warte", "wartet", "gewartet"},
		{"sing", "sings", "sung", "singen", "singe", "singt", "gesungen"},
		{"play", "plays", "played", "spielen", "spiele", "spielt", "gespielt"},
		{"dance", "dances", "danced", "tanzen", "tanze", "tanzt", "getanzt"},
		{"cry", "cries", "cried", "weinen", "weine", "weint", "geweint"},
		{"sit", "sits", "sat", "sitzen", "sitze", "sitzt", "gesessen"},
		{"eat", "eats", "eaten", "essen", "esse", "isst", "gegessen"},
		{"swim", "swims", "swum", "schwimmen", "schwimme", "schwimmt", "geschwommen"},
	}
	transitives = []verb{
		{"see", "sees", "seen", "sehen", "sehe", "sieht", "gesehen"},
		{"buy", "buys", "bought", "kaufen", "kaufe", "kauft", "gekauft"},
		{"sell", "sells", "sold", "verkaufen", "verkaufe", "verkauft", "verkauft"},
		{"find", "finds", "found", "finden", "finde", "findet", "gefunden"},
		{"paint", "paints", "painted", "malen", "male", "malt", "gemalt"},
		{"take", "takes", "taken", "nehmen", "nehme", "nimmt", "genommen"},
		{"hold", "holds", "held", "halten", "halte", "hält", "gehalten"},
		{"carry", "carries", "carried", "tragen", "trage", "trägt", "getragen"},
		{"need", "needs", "needed", "brauchen", "brauche", "braucht", "gebraucht"},
		{"clean", "cleans", "cleaned", "putzen", "putze", "putzt", "geputzt"},
		{"fetch", "fetches", "fetched", "holen", "hole", "holt", "geholt"},
	}
	dativeVerbs = []verb{
		{"help", "helps", "helped", "helfen", "helfe", "hilft", "geholfen"},
		{"thank", "thanks", "thanked", "danken", "danke", "dankt", "gedankt"},
		{"answer", "answers", "answered", "antworten", "antworte", "antwortet", "geantwortet"},
		{"trust", "trusts", "trusted", "vertrauen", "vertraue", "vertraut", "vertraut"},
	}
	givings = []verb{
		{"give", "gives", "given", "geben", "gebe", "gibt", "gegeben"},
		{"show", "shows", "shown", "zeigen", "zeige", "zeigt", "gezeigt"},
		{"send", "sends", "sent", "schicken", "schicke", "schickt", "geschickt"},
		{"bring", "brings", "brought", "bringen", "bringe", "bringt", "gebracht"},
		{"lend", "lends", "lent", "leihen", "leihe", "leiht", "geliehen"},
	}
	modals = []verb{
		{"can", "can", "", "können", "kann", "kann", ""},
		{"must", "must", "", "müssen", "muss", "muss", ""},
		{"want to", "wants to", "", "wollen", "will", "will", ""},
		{"should", "should", "", "sollen", "soll", "soll", ""},
	}
	knowing = []verb{
		{"know", "knows", "known", "wissen", "weiß", "weiß", "gewusst"},
		{"believe", "believes", "believed", "glauben", "glaube", "glaubt", "geglaubt"},
		{"hope", "hopes", "hoped", "hoffen", "hoffe", "hofft", "gehofft"},
		{"say", "says", "said", "sagen", "sage", "sagt", "gesagt"},
	}
	prepositions = []preposition{
		{pair{"with", "mit"}, dativeCase}, {pair{"for", "für"}, accusative}, {pair{"without", "ohne"}, accusative}, {pair{"from", "von"}, dativeCase},
	}
	adverbs = []pair{
		{"here", "hier"}, {"at home", "zu Hause"}, {"there", "dort"}, {"outside", "draußen"}, {"alone", "allein"}, {"today", "heute"}, {"a lot", "viel"}, {"again", "wieder"}, {"now", "jetzt"}, {"in the morning", "am Morgen"}, {"every day", "jeden Tag"}, {"on Sunday", "am Sonntag"},
	}
	times = []pair{
		{"today", "heute"}, {"now", "jetzt"}, {"in the morning", "am Morgen"}, {"in the evening", "am Abend"}, {"on Monday", "am Montag"}, {"on Sunday", "am Sonntag"}, {"every day", "jeden Tag"}, {"tomorrow", "morgen"},
	}
)
