package jsonrepair

import (
	"math/big"
	"strings"

	"oneshot/pkg/diag"
)

// mendNumber returns the number of JSON that a text stands for, "" if it stands
// for none. A number with leading zeros can be octal, or no number at all: it is
// none.
func mendNumber(text string) (string, diag.FixKind) {
	sign, rest := "", text
	switch {
	case strings.HasPrefix(rest, "+"):
		rest = rest[1:]
	case strings.HasPrefix(rest, "-"):
		sign, rest = "-", rest[1:]
	}
	if rest == "" && sign == "-" {
		return "-0", diag.Unsafe // the text ends behind it, or something does
	}
	if rest == "" || !isDigit(rest[0]) && rest[0] != '.' {
		return "", ""
	}
	if n, ok := based(rest); ok {
		return sign + n, diag.Safe
	}
	kind := diag.Safe
	if plain, ok := grouped(rest); ok {
		rest = plain
	}
	rest = strings.TrimSuffix(rest, "n")
	if strings.HasPrefix(rest, ".") && len(rest) > 1 {
		rest = "0" + rest
	}
	for _, missing := range [...]string{"", "0"} {
		if n := sign + strings.Replace(rest, ".e", ".0e", 1) + missing; isNumber(n) {
			if missing != "" && !strings.HasSuffix(rest, ".") {
				kind = diag.Unsafe
			}
			return n, kind
		}
	}
	return "", ""
}

// based reads a number in another base than ten.
func based(text string) (string, bool) {
	if len(text) < 3 || len(text) > 40 || text[0] != '0' || strings.IndexByte("xXoObB", text[1]) < 0 {
		return "", false
	}
	n, ok := new(big.Int).SetString(text, 0)
	if !ok {
		return "", false
	}
	return n.String(), true
}

// grouped removes single underscores between digits.
func grouped(text string) (string, bool) {
	for i := range len(text) {
		if text[i] == '_' && (i == 0 || i+1 == len(text) || !isDigit(text[i-1]) || !isDigit(text[i+1])) {
			return "", false
		}
	}
	return strings.ReplaceAll(text, "_", ""), true
}
