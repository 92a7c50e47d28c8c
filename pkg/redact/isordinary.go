package redact

import "strings"

// IsOrdinary reports whether a value could occur in ordinary text, such as a date or a word with a few digits:
// masking it would damage the text, and the positions of the mask would reveal the value.
func IsOrdinary(value string) bool {
	const longestWord, longestNumber, mostDigits, fewest = 16, 10, 4, 3
	distinct := map[rune]bool{}
	for _, r := range value {
		distinct[r] = true
	}
	letters := strings.TrimRight(value, "0123456789")
	digits := len(value) - len(letters)
	isWord := !strings.ContainsFunc(letters, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) &&
		(letters == strings.ToUpper(letters) || letters[1:] == strings.ToLower(letters[1:]))
	switch {
	case len(distinct) <= fewest:
		return true
	case letters == "":
		return len(value) <= longestNumber
	}
	return isWord && len(value) <= longestWord && digits <= mostDigits
}
