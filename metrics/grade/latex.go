package grade

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// tokens are numbers, commands of LaTeX, names with a subscript, runs of letters, and single characters.
var tokens = regexp.MustCompile(`\d+(?:\.\d*)?|\.\d+|\\[A-Za-z]+|[A-Za-z]_(?:\{\w+\}|\w)|[A-Za-z]+|[^\sA-Za-z]`)

var (
	// bare are the words that mean a command without a backslash too; other runs of three letters and more are words.
	bare    = strings.Fields("sqrt pi infty frac cdot times div sin cos tan ln log exp")
	dots    = strings.Fields(`* · × \cdot \times`)
	slashes = strings.Fields(`/ \div`)
	greek   = strings.Fields(`\alpha \beta \gamma \delta \epsilon \varepsilon \zeta \eta \theta \iota \kappa \lambda \mu \nu \xi \pi \rho ` +
		`\sigma \tau \phi \varphi \chi \psi \omega \Gamma \Delta \Theta \Lambda \Sigma \Phi \Psi \Omega \infty`)
)

// letters are names that may be functions.
var letters = []string{"f", "g", "h", "P"}

// parser reads a formula by descent.
type parser struct {
	list []string
	i    int
}

// formulaOf reads a text that is one formula; nil = it is none that is read.
func formulaOf(text string) *formula {
	p := &parser{}
	for _, t := range tokens.FindAllString(text, -1) {
		word := strings.Trim(strings.ToLower(t), "abcdefghijklmnopqrstuvwxyz") == ""
		switch {
		case slices.Contains(bare, t):
			t = `\` + t
		case word && len(t) > 2:
			return nil
		case word && len(t) == 2:
			p.list = append(p.list, t[:1])
			t = t[1:]
		}
		p.list = append(p.list, t)
	}
	boundless := slices.ContainsFunc(p.list, func(t string) bool { return t == `\infty` || t == "∞" })
	if n := len(p.list); boundless && (n > 2 || n == 2 && p.list[0] != "-" && p.list[0] != "+") {
		return nil // ∞ - ∞ is no number
	}
	if f := p.terms(); p.i == len(p.list) {
		return f
	}
	return nil
}

// next is the next token; "" at the end.
func (p *parser) next() string {
	if p.i < len(p.list) {
		return p.list[p.i]
	}
	return ""
}

// accept takes the next token if it is one of these.
func (p *parser) accept(of ...string) bool {
	ok := p.i < len(p.list) && slices.Contains(of, p.list[p.i])
	if ok {
		p.i++
	}
	return ok
}

func (p *parser) terms() *formula {
	f := p.signed()
	for p.next() == "+" || p.next() == "-" {
		f = f.add(p.signed())
	}
	return f
}

func (p *parser) signed() *formula {
	if p.accept("-") {
		return p.product().times(whole(constant(big.NewRat(-1, 1))))
	}
	p.accept("+")
	return p.product()
}

// product reads factors. None may stand beside a quotient, for 1/2x means two things; two numbers side by side mean
// none, but for 3\frac{1}{2}, a mixed number.
func (p *parser) product() *formula {
	start := p.i
	f := p.factor()
	for f != nil {
		switch {
		case p.accept(dots...):
			f = f.times(p.factor())
		case p.accept(slashes...):
			if f = f.over(p.factor()); p.begins() {
				return nil
			}
		case p.begins():
			mixed := isNumber(p.list[p.i-1]) && p.next() == `\frac`
			alone := p.i == start+1 && !strings.Contains(p.list[start], ".")
			if isNumber(p.next()) {
				return nil
			}
			g := p.factor()
			n := g.number()
			switch {
			case !mixed || g != nil && n == nil:
				f = f.times(g)
			case n == nil || !alone || n.Sign() <= 0 || n.Cmp(big.NewRat(1, 1)) >= 0:
				return nil
			default:
				f = f.add(g)
			}
		default:
			return f
		}
	}
	return nil
}

func isNumber(t string) bool { return t != "" && strings.Trim(t, ".0123456789") == "" }

// isName reports whether a token is the name of a variable or a constant.
func isName(t string) bool {
	return t != "" && (t[0]|0x20 >= 'a' && t[0]|0x20 <= 'z' && (len(t) == 1 || t[1] == '_')) || t == "π" || t == "∞" ||
		slices.Contains(greek, t)
}

// begins reports whether a factor begins here, beside the one before it.
func (p *parser) begins() bool {
	t := p.next()
	return isNumber(t) || isName(t) || slices.Contains(functions, t) ||
		slices.Contains([]string{"(", "{", `\frac`, `\sqrt`, "√", `\binom`}, t)
}

// factor reads what may have an exponent.
func (p *parser) factor() *formula {
	function := p.next()
	f := p.base()
	if slices.Contains(letters, function) && p.next() == "(" {
		f = applied(function, p.base()) // f(x) is no product
	}
	if p.accept("!") {
		f = applied("!", f)
	}
	if !p.accept("^") {
		return f
	}
	minus := p.accept("-")
	by := p.base()
	if minus {
		by = by.times(whole(constant(big.NewRat(-1, 1))))
	}
	if p.next() == "^" || p.next() == "(" && slices.Contains(letters, function) {
		return nil // f^{-1}(x)
	}
	return f.raised(by)
}

// base reads a number, a name, a group, a fraction or a root.
func (p *parser) base() *formula {
	t := p.next()
	p.i++
	switch {
	case isNumber(t):
		if r, ok := new(big.Rat).SetString(t); ok && len(t) <= longestNumber {
			return whole(constant(r))
		}
	case t == `\pi`:
		return named("π")
	case isName(t):
		return named(strings.NewReplacer("{", "", "}", "", "∞", `\infty`).Replace(t))
	case t == "(", t == "{":
		if f := p.terms(); p.accept(map[string]string{"(": ")", "{": "}"}[t]) {
			return f
		}
	case t == `\frac`:
		above := p.argument()
		return above.over(p.argument())
	case t == `\binom`:
		n := p.argument()
		return applied(t, n, p.argument())
	case slices.Contains(functions, t):
		return p.application(t)
	case t == `\sqrt`, t == "√":
		return p.root()
	}
	return nil
}

// root reads a square root, or another one: \sqrt[3]{x}.
func (p *parser) root() *formula {
	if p.accept("[") {
		n := p.base()
		if !p.accept("]") {
			return nil
		}
		return p.argument().raised(whole(constant(big.NewRat(1, 1))).over(n))
	}
	f := p.argument()
	if f.number() == nil {
		return f.raised(whole(constant(big.NewRat(1, 2))))
	}
	return f.root()
}

// argument reads what a command of LaTeX takes: a group, or the next digit or name.
func (p *parser) argument() *formula {
	if t := p.next(); len(t) > 1 && strings.Trim(t, "0123456789") == "" {
		p.list[p.i] = t[1:]
		return whole(constant(rational(t[:1])))
	}
	return p.base()
}
