package grade_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/metrics/grade"
)

// Verdicts by hand.
func TestMath(t *testing.T) {
	for _, tc := range []struct {
		answer, reference string
		want              grade.Verdict
	}{
		{`\frac12`, "0.5", grade.Right},
		{`\frac{1}{\sqrt{2}}`, `\frac{\sqrt 2}{2}`, grade.Right},
		{`\dfrac{3}{4}.`, `$3/4$`, grade.Right},
		{"7", "8", grade.Wrong},
		{"x+1", "1 + x", grade.Right},
		{"x(x+1)", "x^2+x", grade.Right},
		{"(x+1)(x-1)", "x^2-1", grade.Right},
		{"x^2-1", "x^2-2", grade.Wrong},
		{"x+1", "y+1", grade.Undecided},
		{"x = 5", "5", grade.Right},
		{"x = 5", "y = 5", grade.Undecided},
		{`x \in [1,2)`, "[1, 2)", grade.Right},
		{"[1,2]", "(1,2)", grade.Undecided},
		{"(1,2)", "(2,1)", grade.Wrong},
		{"1, 2", "2,1", grade.Right},
		{`\{1,2\}`, "2 and 1", grade.Right},
		{"1, 2", "1, 3", grade.Wrong},
		{"1, 2", "1, 2, 3", grade.Wrong},
		{`1 \pm \sqrt{2}`, `1-\sqrt2, 1+\sqrt2`, grade.Right},
		{`(-\infty, 2) \cup (3, \infty)`, `(3,\infty)\cup(-\infty,2)`, grade.Right},
		{"1,000", "1000", grade.Right},
		{`1{,}000`, "1000", grade.Right},
		{"(1,000)", "1000", grade.Undecided},
		{"100,200", "100, 200", grade.Undecided},
		{`50\%`, "0.5", grade.Right},
		{`50\%`, "50", grade.Undecided},
		{`50\%`, "60", grade.Wrong},
		{`5\text{ cm}`, "5", grade.Right},
		{`5\text{ cm}`, `5\text{ m}`, grade.Undecided},
		{`90^\circ`, "90", grade.Right},
		{`\$5`, "5", grade.Right},
		{`3\frac{1}{2}`, "7/2", grade.Right},
		{`3\frac{3}{2}`, "9/2", grade.Undecided},
		{"1/2x", "x/2", grade.Undecided},
		{`\sin(2x)`, `$\sin( 2x )$`, grade.Right}, // the same text
		{`\sin(2x)`, `\sin 2x`, grade.Right},
		{`\sin(2x)`, `2\sin x\cos x`, grade.Undecided},
		{`\sin^2 x + \cos^2 x`, "1", grade.Undecided},
		{`\log_2 8`, "3", grade.Undecided},
		{`\pi`, "3.14", grade.Wrong},
		{`\frac{e}{\pi}`, "1", grade.Undecided},
		{`2^{10}`, "1024", grade.Right},
		{`2^{1/2}`, `\sqrt{2}`, grade.Right},
		{`2^n`, `2^m`, grade.Undecided},
		{`\sqrt{-4}`, "2i", grade.Right},
		{"(1+i)(1-i)", "2", grade.Right},
		{`\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}`, `\begin{bmatrix}1&2\\3&4\end{bmatrix}`, grade.Right},
		{`\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}`, `\begin{pmatrix}1&2\\3&5\end{pmatrix}`, grade.Wrong},
		{`\text{Monday}`, "Monday", grade.Right},
		{"cat", "act", grade.Undecided},
		{"on", "no", grade.Undecided},
		{"x=1, y=2", "1, 2", grade.Undecided},
		{"x = 1 or x = 2", "2, 1", grade.Right},
		{"x = 1 or x = 2", "y = 1 or y = 2", grade.Undecided},
		{"x = 1 or x = 2", "x = 1", grade.Wrong},
		{"x = 1", "1, 2", grade.Wrong},
		{"x^2 = 4", "x = 2", grade.Undecided},
		{"f^{-1}(x)", `\frac{x}{f}`, grade.Undecided},
		{"y=2, x=1", "x=1, y=2", grade.Right},
		{"x=2, y=1", "x=1, y=2", grade.Undecided},
		{"x^2+y^2=1", "1", grade.Undecided},
		{"2 3", "6", grade.Undecided},
		{"f(2x)", "2f(x)", grade.Undecided},
		{"x_1 + x_{2}", "x_2+x_1", grade.Right},
		{"9^{9^{9}}", "1", grade.Undecided},
		{"(x+1)^{1000}", "1", grade.Undecided},
		{"0^0", "1", grade.Undecided},
		{"1/0", "1", grade.Undecided},
		{"", "", grade.Undecided},
		{"5", "5.0", grade.Right},
		{"-5", "5", grade.Wrong},
		{"10^{-3}", "0.001", grade.Right},
		{`2\sqrt{3}`, `\sqrt{12}`, grade.Right},
		{`\sqrt{2}+\sqrt{3}`, `\sqrt{5}`, grade.Wrong},
		{`\frac{x^2-1}{x-1}`, "x+1", grade.Right},
		{`\boxed{5}`, "5", grade.Right},
		{`\begin{pmatrix}1\end{pmatrix} + \begin{pmatrix}2\end{pmatrix}`, `\begin{pmatrix}3\end{pmatrix}`, grade.Undecided},
		{"(x, y) = (1, 2)", "(1,2)", grade.Right},
		{"1, 2 and -3", "-3, 1, 2", grade.Right},
		{`1, \text{ and } 2`, "1, and 2", grade.Right},
		{"{2, 3}", `\{3, 2\}`, grade.Right},
		{"{1,3}", "(1,3)", grade.Undecided},
		{"(1; 2)", "(1, 2)", grade.Right},
		{"a=1,b=2;a=3,b=4", "a=1,b=4;a=3,b=2", grade.Undecided},
		{"1,5", "1.5", grade.Undecided}, // a decimal comma, or two numbers
		{"0,111", "0.111", grade.Undecided},
		{"0,111", "111", grade.Undecided},
		{"1,000.99$", "1000.99", grade.Right},
		{`11,\! 111`, "11111", grade.Right},
		{`5\text{ million}`, "5", grade.Undecided}, // no unit
		{`5\text{ halves}`, "5", grade.Undecided},
		{`5\textbf{ cm}`, "5", grade.Right},
		{"28 percent", `28\%`, grade.Right},
		{`\left[\begin{array}{cc}1 & 2 \\ 3 & 4\end{array}\right]`, `\begin{pmatrix}1&2\\3&4\end{pmatrix}`, grade.Right},
		{"x > 3", `x \geq 3`, grade.Undecided},
		{"x > 3", "y > 3", grade.Undecided},
		{"1 < x > 3", `(3, \infty)`, grade.Undecided},
		{"x < 1 and x > 3", `(-\infty,1) \cup (3,\infty)`, grade.Undecided},
		{"x < 1 or x > 3", "x < 1 and x > 3", grade.Undecided},
		{"x^2 > 4", "-x^2 > -4", grade.Undecided},
		{"3 > 2", "5 > 4", grade.Undecided},
		{"2x + 4y = 3", "2x + 4y = 5", grade.Undecided},
		{`\sin 2x`, `\sin(2x)`, grade.Right},
		{`\sin x\cos x`, `\cos x \cdot \sin x`, grade.Right},
		{`\sin x y`, `\sin(xy)`, grade.Right},
		{`\sin x (y)`, `\sin(xy)`, grade.Undecided},
		{`\sin(x)^2`, `\sin(x^2)`, grade.Undecided},
		{`\sin x/2`, `\sin(x/2)`, grade.Undecided},
		{`\sin`, `\sin \sin`, grade.Undecided},
		{`\log_`, `\log_2`, grade.Undecided},
		{`\sin^{-1} x`, `\frac{1}{\sin x}`, grade.Undecided},
		{`\log_2 x`, `\log_{2}(x)`, grade.Right},
		{`\log_2 x`, `\log_3 x`, grade.Undecided},
		{`\sqrt[3]{2}`, "2^{1/3}", grade.Right},
		{`\sqrt{x+1}`, `\sqrt{1+x}`, grade.Right},
		{"2e^{3x}", "e^{3x} * 2", grade.Right},
		{"f(x+1)", "f(1+x)", grade.Right},
		{"f(x)", "f(y)", grade.Undecided},
		{`\binom{n}{2}`, `\binom{n}{2} + 0`, grade.Right},
		{`\binom{n}{2}`, `\frac{n}{2}`, grade.Undecided},
		{"n! + 1", "1 + n!", grade.Right},
		{"5!", "5", grade.Undecided},
	} {
		if got := grade.Math(tc.answer, []string{tc.reference}); got != tc.want {
			t.Errorf("%q against %q: %v, want %v", tc.answer, tc.reference, got, tc.want)
		}
		if got := grade.Math(tc.reference, []string{tc.answer}); got != tc.want {
			t.Errorf("%q against %q: %v, want %v", tc.reference, tc.answer, got, tc.want)
		}
	}
}

var fragments = rapid.SampledFrom(strings.Split(`1 2 12 0.5 x y \frac{ } { ( ) [ ] , = + - * / ^ _ \sqrt \pi i e \pm % \% ° \text{cm} $ `+
	`\{ \} \cup \infty and \begin{pmatrix} \end{pmatrix} & \\ cat 1,000 \sin \log_ ! | \sqrt[ ] f( < \le > ≠ ; or \binom`, " "))

// A text is what it is, and who is compared with whom does not matter.
func TestMathIsSymmetric(t *testing.T) {
	text := func(t *rapid.T, name string) string {
		return strings.Join(rapid.SliceOfN(fragments, 1, 8).Draw(t, name), "")
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := text(t, "a"), text(t, "b")
		if x, y := grade.Math(a, []string{b}), grade.Math(b, []string{a}); x != y {
			t.Fatalf("%q against %q: %v, and %v the other way round", a, b, x, y)
		}
		if got := grade.Math(a, []string{a}); got == grade.Wrong {
			t.Fatalf("%q differs from itself", a)
		}
	})
}

func FuzzMath(f *testing.F) {
	f.Add(`\frac{1}{2}+\sqrt{3}`, "(1, 2]")
	f.Add(`\sin 2x+\log_{2}(y)`, "1 < x or 2x+y=3")
	f.Fuzz(func(t *testing.T, a, b string) {
		if grade.Math(a, []string{b}) != grade.Math(b, []string{a}) || grade.Math(a, []string{a}) == grade.Wrong {
			t.Fatalf("%q, %q", a, b)
		}
	})
}
