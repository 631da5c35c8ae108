package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
)

// The page's style and scripts, as they are in assets.
var (
	//go:embed assets/theme.css
	themeStyle string
	//go:embed assets/layout.css
	layoutStyle string
	//go:embed assets/parts.css
	partsStyle string
	//go:embed assets/records.css
	recordsStyle string
	//go:embed assets/print.css
	printStyle string

	//go:embed assets/base.js
	baseScript string
	//go:embed assets/theme.js
	themeScript string
	//go:embed assets/tables.js
	tablesScript string
	//go:embed assets/lookup.js
	lookupScript string
	//go:embed assets/explore.js
	exploreScript string
	//go:embed assets/chart.js
	chartScript string
	//go:embed assets/recordsdata.js
	recordsDataScript string
	//go:embed assets/recordstexts.js
	recordsTextsScript string
	//go:embed assets/recordslist.js
	recordsListScript string
	//go:embed assets/recordsdetail.js
	recordsDetailScript string
	//go:embed assets/records.js
	recordsScript string
)

// styles is one text, scripts are one element each, in the order in which they need each other.
var (
	styles  = themeStyle + layoutStyle + partsStyle + recordsStyle + printStyle
	scripts = []string{baseScript, themeScript, tablesScript, chartScript, lookupScript, exploreScript, recordsDataScript,
		recordsTextsScript, recordsListScript, recordsDetailScript, recordsScript}
)

// policyOf is the Content-Security-Policy of the page: it runs these scripts, shows these styles and the pictures that
// it holds, and connects to nothing. Text never becomes markup or script.
func policyOf(style string, scripts []string) string {
	rules := []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "img-src data:"}
	runs := "script-src"
	for _, s := range scripts {
		runs += " " + digest(s)
	}
	rules = append(rules, runs, "style-src "+digest(style), "require-trusted-types-for 'script'", "trusted-types 'none'")
	return strings.Join(rules, "; ")
}

// digest names a text in a Content-Security-Policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// inert writes JSON so that nothing in it ends the element that holds it, or begins a comment or an entity.
func inert(json string) string {
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(json)
}
