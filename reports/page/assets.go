package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"strings"
)

//go:embed assets
var assets embed.FS

var layout = template.Must(template.ParseFS(assets, "assets/*.html")).Lookup("page.html")

// styles is one text, scripts are one element each, in the order in which they need each other.
var (
	styles = asset("theme.css") + asset("layout.css") + asset("parts.css") + asset("records.css") + asset("print.css")

	scripts = []string{asset("base.js"), asset("theme.js"), asset("tables.js"), asset("chart.js"), asset("lookup.js"),
		asset("explore.js"), asset("recordsdata.js"), asset("recordstexts.js"), asset("recordslist.js"),
		asset("recordsdetail.js"), asset("records.js")}
)

func asset(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic("page: " + err.Error()) // the program holds it
	}
	return string(text)
}

// policyOf is the Content-Security-Policy of the page: it runs these scripts, shows these styles and the pictures that
// it holds, and connects to nothing. Text never becomes markup or script.
func policyOf(style string, scripts []string) string {
	runs := "script-src"
	for _, s := range scripts {
		runs += " " + digest(s)
	}
	return strings.Join([]string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "img-src data:", runs,
		"style-src " + digest(style), "require-trusted-types-for 'script'", "trusted-types 'none'"}, "; ")
}

// digest names a text in a Content-Security-Policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// inert writes JSON so that nothing in it ends the element that holds it, or begins a comment or an entity.
var inert = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "\u2028", `\u2028`, "\u2029", `\u2029`)
