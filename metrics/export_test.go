package metrics

// RougeTokens and Tokens13a are a text's tokens, for the tests.
func RougeTokens(s string) []string {
	tokens := []string{}
	eachWord(s, nil, func(word []byte) { tokens = append(tokens, stemmed(word)) })
	return tokens
}

func Tokens13a(s string) []string {
	tokens := []string{}
	each13a(s, new([2][]byte), func(token string) { tokens = append(tokens, token) })
	return tokens
}
