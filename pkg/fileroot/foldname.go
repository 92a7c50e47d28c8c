package fileroot

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold maps the spellings that a file system may treat as the same path to one: letter case, ligatures,
// composed characters, and invisible characters.
func Fold(p string) string {
	if !strings.ContainsFunc(p, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(p)
	}
	p = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cf) {
			return -1
		}
		return unicode.ToLower(foldRune(r))
	}, norm.NFC.String(p))
	return norm.NFC.String(ligatures.Replace(p))
}

// ligatures expands the letters that case-insensitive comparison treats as two ASCII letters.
var ligatures = strings.NewReplacer(
	"\u00df", "ss", "\u1e9e", "ss", "\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl",
	"\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st")

// FoldCase maps characters that differ only in case to one, by Unicode simple folding, which keeps the number of
// characters but not of bytes.
func FoldCase(s string) string { return strings.Map(foldRune, s) }

// foldRune returns the smallest of the characters that differ from r only in case, such as K for the Kelvin sign.
func foldRune(r rune) rune {
	if 'a' <= r && r <= 'z' {
		return r - 'a' + 'A'
	}
	if r < utf8.RuneSelf {
		return r
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}
