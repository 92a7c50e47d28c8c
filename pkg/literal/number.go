package literal

import (
	"math/big"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
)

// mostDigits bounds numbers in other bases than ten, whose conversion takes
// more than linear time.
const mostDigits = 256

// A numeral is a number as it was written.
type numeral struct {
	json   string // the number in the form it has in JSON
	form   string // what is wrong with how it was written; "" for nothing
	octal  bool   // a leading zero may mean that it is octal
	broken bool   // it is no number
}

const plusSign = "a plus sign"

// nonNumbers are the words for numbers that JSON does not have.
var nonNumbers = map[string]bool{"NaN": true, "Infinity": true}

// argumentNumber takes a number in the arguments.
func (s *Scanner) argumentNumber(token string) {
	w := word{token, s.token, s.at}
	unsigned := strings.TrimLeft(token, "+-")
	switch {
	case strings.HasPrefix(token, "...") && s.lang == javaScript:
		s.fault(diag.NotALiteral, w.start, w.end, "a spread would have to be evaluated")
		return
	case s.args.want == wantKey:
		s.numberKey(w)
		return
	case s.refuseInnerQuote(w), !s.mayBegin(w.start, w.end):
		return
	case nonNumbers[unsigned]:
		s.nonNumber(w)
		return
	}
	if isPlainNumber(token) {
		s.args.out = append(s.args.out, token...)
		s.endItem(w.end)
		return
	}
	number := readNumber(token)
	if number.broken {
		s.numberFault(w)
		return
	}
	s.takeNumber(w, number)
}

// isPlainNumber reports whether a number is one of so few digits that it is the same
// everywhere.
func isPlainNumber(token string) bool {
	if len(token) > strictDigits || token[0] == '0' && len(token) > 1 {
		return false
	}
	for i := range len(token) {
		if !isDigit(token[i]) {
			return false
		}
	}
	return true
}

// takeNumber takes a number that has been read.
func (s *Scanner) takeNumber(w word, number numeral) {
	if s.lang == python && number.form == plusSign {
		number.form = ""
	}
	if s.jsonStrings() && number.form == "" && number.json != w.text {
		number.form = "a form that JSON does not have"
	}
	s.noteNumber(w, number)
	s.args.out = append(s.args.out, number.json...)
	s.endItem(w.end)
}

// numberFault tells a sign before something else from a number gone wrong.
func (s *Scanner) numberFault(w word) {
	if rest := strings.TrimLeft(w.text, "+-."); rest == "" || beginsWord(rest[0]) {
		s.noLiteral(w)
		return
	}
	s.fault(diag.BadLiteral, w.start, w.end, "%s is no number", excerpt(w.text))
}

func (s *Scanner) nonNumber(w word) {
	s.fault(diag.NotANumber, w.start, w.end, "JSON has no number %s", w.text)
}

// numberKey takes a number as the key of an object.
func (s *Scanner) numberKey(w word) {
	if s.lang == python {
		s.pythonNumberKey(w)
		return
	}
	if strings.Trim(w.text, "0123456789") != "" || len(w.text) > 1 && w.text[0] == '0' {
		s.fault(diag.BadLiteral, w.start, w.end, "a key must be a word or a quoted string")
		return
	}
	s.argumentWord(w.text)
}

// readNumber reads a number in any notation of JavaScript.
func readNumber(token string) numeral {
	var n numeral
	sign, digits := "", token
	switch token[0] {
	case '-':
		sign, digits = "-", token[1:]
	case '+':
		digits, n.form = token[1:], plusSign
	}
	if plain, ok := strings.CutSuffix(digits, "n"); ok && plain != "" && isHex(plain[len(plain)-1]) {
		digits, n.form = plain, "the suffix n"
	}
	if strings.HasPrefix(digits, "_") || strings.HasSuffix(digits, "_") || strings.Contains(digits, "__") {
		n.form = "a misplaced underscore"
	}
	digits = strings.ReplaceAll(digits, "_", "")
	if base := radix(digits); base != 0 {
		n.fromBase(digits[2:], base)
	} else {
		n.fromDecimal(digits)
	}
	n.json = sign + n.json
	return n
}

// radix returns the base that a prefix such as 0x names, or 0.
func radix(digits string) int {
	if len(digits) < 2 || digits[0] != '0' {
		return 0
	}
	switch digits[1] | 0x20 {
	case 'x':
		return 16
	case 'o':
		return 8
	case 'b':
		return 2
	}
	return 0
}

func (n *numeral) fromBase(digits string, base int) {
	if digits == "" || len(digits) > mostDigits || !isHex(digits[0]) {
		n.broken = true
		return
	}
	value, ok := new(big.Int).SetString(digits, base)
	if !ok {
		n.broken = true
		return
	}
	n.json = value.String()
}

func isHex(c byte) bool { _, ok := hexValue(c); return ok }

// fromDecimal reads digits with an optional fraction and exponent.
func (n *numeral) fromDecimal(digits string) {
	mantissa, exponent := digits, ""
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		mantissa, exponent = digits[:i], digits[i:]
		n.broken = !isDigits(strings.TrimLeft(exponent[1:], "+-"))
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	n.broken = n.broken || !isDigits(whole+fraction)
	if short := strings.TrimLeft(whole, "0"); len(whole) > 1 && whole[0] == '0' {
		n.form = "a leading zero"
		n.octal = len(short) > 1 && !point && exponent == "" && strings.Trim(short, "01234567") == ""
		whole = short
	}
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	n.json = whole + fraction + exponent
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// noteNumber reports a number that JavaScript would not take, or that most
// programs cannot hold.
func (s *Scanner) noteNumber(w word, n numeral) {
	if n.form != "" {
		s.noteForm(w, n)
	}
	if !roundTrips(n.json) {
		s.note(diag.InexactNumber, w.start, w.end, diag.Info, "a 64-bit float cannot hold %s; the digits are kept", excerpt(w.text))
	}
}

func (s *Scanner) noteForm(w word, n numeral) {
	edit := diag.Edit{Start: w.start, End: w.end, New: n.json}
	if n.octal {
		s.ambiguous = true
		s.note(diag.NumberForm, w.start, w.end, diag.Error, "%s can be decimal or octal", excerpt(w.text)).
			fix("read it as decimal", diag.Unsafe, edit)
		return
	}
	s.note(diag.NumberForm, w.start, w.end, diag.Warning, "%s has %s; it is read as %s", excerpt(w.text), n.form, excerpt(n.json)).
		fix("write "+excerpt(n.json), diag.Safe, edit)
}

// roundTrips reports whether a JSON number is still the same after it has been
// a 64-bit float and is written again with as many digits as needed.
func roundTrips(json string) bool {
	digits, exponent := significant(json)
	switch {
	case len(digits) > 17:
		return false
	case len(digits) <= 15 && -290 < exponent && exponent < 290:
		return true
	}
	f, err := strconv.ParseFloat("0."+digits+"e"+strconv.Itoa(exponent), 64)
	if err != nil {
		return false
	}
	again, power := significant(strconv.FormatFloat(f, 'e', -1, 64))
	return again == digits && power == exponent
}

// significant returns the digits of a number without zeros at either end, and
// the exponent e for which the number is 0.DIGITS times ten to the power of e.
// Exponents beyond a million are cut to that.
func significant(json string) (digits string, exponent int) {
	mantissa := strings.TrimPrefix(json, "-")
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		exponent = exponentOf(mantissa[i+1:])
		mantissa = mantissa[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := whole + fraction
	digits = strings.TrimLeft(all, "0")
	exponent += len(whole) - (len(all) - len(digits))
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return "", 0
	}
	return digits, exponent
}

func exponentOf(text string) int {
	const most = 1_000_000
	e, err := strconv.Atoi(text)
	switch {
	case err == nil:
		return max(-most, min(e, most))
	case strings.HasPrefix(text, "-"):
		return -most
	}
	return most
}
