package literal

import (
	"math/big"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
)

// maxRadixDigits limits numbers in bases other than ten: converting them takes more than linear
// time.
const maxRadixDigits = 256

// A numeral is a parsed number.
type numeral struct {
	json       string // the number in JSON notation
	issue      string // the non-JSON notation, for messages; "" for none
	maybeOctal bool   // a leading zero may mean octal
	invalid    bool   // it is not a number
}

const plusSign = "a plus sign"

// nonNumbers are numeric words that JSON does not have.
var nonNumbers = map[string]bool{"NaN": true, "Infinity": true}

// endNumber adds a number token to the arguments.
func (s *Scanner) endNumber(token string) {
	w := word{token, s.tokenStart, s.pos}
	unsigned := strings.TrimLeft(token, "+-")
	switch {
	case strings.HasPrefix(token, "...") && s.lang == javaScript:
		s.fail(diag.NotALiteral, w.start, w.end, "unsupported spread: expressions are not evaluated")
		return
	case s.args.want == wantKey:
		s.addNumberKey(w)
		return
	case s.failAtUnescapedQuote(w), !s.beginValue(w.start, w.end):
		return
	case nonNumbers[unsigned]:
		s.failNonFinite(w)
		return
	}
	if isSmallInteger(token) {
		s.args.out = append(s.args.out, token...)
		s.endValue(w.end)
		return
	}
	number := parseNumber(token)
	if number.invalid {
		s.failNumber(w)
		return
	}
	s.addNumber(w, number)
}

// isSmallInteger reports whether a token is an integer that every number type holds.
func isSmallInteger(token string) bool {
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

// addNumber adds a parsed number to the arguments.
func (s *Scanner) addNumber(w word, number numeral) {
	if s.lang == python && number.issue == plusSign {
		number.issue = ""
	}
	if s.hasJSONStrings() && number.issue == "" && number.json != w.text {
		number.issue = "a notation that JSON does not allow"
	}
	s.noteNumber(w, number)
	s.args.out = append(s.args.out, number.json...)
	s.endValue(w.end)
}

// failNumber reports an invalid number, or an expression if it is a sign before something else.
func (s *Scanner) failNumber(w word) {
	if rest := strings.TrimLeft(w.text, "+-."); rest == "" || canBeginWord(rest[0]) {
		s.failNotLiteral(w)
		return
	}
	s.fail(diag.BadLiteral, w.start, w.end, "invalid number %s", excerpt(w.text))
}

func (s *Scanner) failNonFinite(w word) {
	s.fail(diag.NotANumber, w.start, w.end, "JSON cannot represent %s", w.text)
}

// addNumberKey adds a number as the key of an object.
func (s *Scanner) addNumberKey(w word) {
	if s.lang == python {
		s.addPythonNumberKey(w)
		return
	}
	if strings.Trim(w.text, "0123456789") != "" || len(w.text) > 1 && w.text[0] == '0' {
		s.fail(diag.BadLiteral, w.start, w.end, "expected a key: a word or a quoted string")
		return
	}
	s.endWord(w.text)
}

// parseNumber parses a number in any JavaScript notation.
func parseNumber(token string) numeral {
	var n numeral
	sign, digits := "", token
	switch token[0] {
	case '-':
		sign, digits = "-", token[1:]
	case '+':
		digits, n.issue = token[1:], plusSign
	}
	if plain, ok := strings.CutSuffix(digits, "n"); ok && plain != "" && isHex(plain[len(plain)-1]) {
		digits, n.issue = plain, "the suffix n"
	}
	if strings.HasPrefix(digits, "_") || strings.HasSuffix(digits, "_") || strings.Contains(digits, "__") {
		n.issue = "a misplaced underscore"
	}
	digits = strings.ReplaceAll(digits, "_", "")
	if base := prefixRadix(digits); base != 0 {
		n.parseBase(digits[2:], base)
	} else {
		n.parseDecimal(digits)
	}
	n.json = sign + n.json
	return n
}

// prefixRadix returns the base of a prefix such as 0x, or 0.
func prefixRadix(digits string) int {
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

func (n *numeral) parseBase(digits string, base int) {
	if digits == "" || len(digits) > maxRadixDigits || !isHex(digits[0]) {
		n.invalid = true
		return
	}
	value, ok := new(big.Int).SetString(digits, base)
	if !ok {
		n.invalid = true
		return
	}
	n.json = value.String()
}

func isHex(c byte) bool { _, ok := hexValue(c); return ok }

// parseDecimal parses digits with an optional fraction and exponent.
func (n *numeral) parseDecimal(digits string) {
	mantissa, exponent := digits, ""
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		mantissa, exponent = digits[:i], digits[i:]
		n.invalid = !isDigits(strings.TrimLeft(exponent[1:], "+-"))
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	n.invalid = n.invalid || !isDigits(whole+fraction)
	if short := strings.TrimLeft(whole, "0"); len(whole) > 1 && whole[0] == '0' {
		n.issue = "a leading zero"
		n.maybeOctal = len(short) > 1 && !point && exponent == "" && strings.Trim(short, "01234567") == ""
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

// noteNumber reports a notation that JSON does not have and numbers that lose digits as 64-bit
// floats.
func (s *Scanner) noteNumber(w word, n numeral) {
	if n.issue != "" {
		s.noteNumberForm(w, n)
	}
	if !canRoundTripAsFloat(n.json) {
		s.note(diag.InexactNumber, w.start, w.end, diag.Info, "a 64-bit float cannot hold %s; the digits are kept", excerpt(w.text))
	}
}

func (s *Scanner) noteNumberForm(w word, n numeral) {
	edit := diag.Edit{Start: w.start, End: w.end, New: n.json}
	if n.maybeOctal {
		s.ambiguous = true
		s.note(diag.NonstandardNumber, w.start, w.end, diag.Error, "ambiguous number %s: decimal or octal", excerpt(w.text)).
			addFix("read it as decimal", diag.Unsafe, edit)
		return
	}
	s.note(diag.NonstandardNumber, w.start, w.end, diag.Warning, "%s has %s; read as %s", excerpt(w.text), n.issue, excerpt(n.json)).
		addFix("write "+excerpt(n.json), diag.Safe, edit)
}

// canRoundTripAsFloat reports whether a JSON number survives conversion to a 64-bit float and back to its
// shortest decimal form.
func canRoundTripAsFloat(json string) bool {
	digits, exponent := significantDigits(json)
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
	again, power := significantDigits(strconv.FormatFloat(f, 'e', -1, 64))
	return again == digits && power == exponent
}

// significantDigits returns the digits of a number without zeros at either end, and the exponent
// e such that the number is 0.DIGITS times ten to the power of e. Exponents are limited to a
// million.
func significantDigits(json string) (digits string, exponent int) {
	mantissa := strings.TrimPrefix(json, "-")
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		exponent = parseExponent(mantissa[i+1:])
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

func parseExponent(text string) int {
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
