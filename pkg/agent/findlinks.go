package agent

import (
	"iter"
	"strings"
)

// Programs that display an answer often fetch its URLs, such as images in Markdown. An attacker who
// makes the model write a URL can thereby exfiltrate data. oneshot fetches nothing and reports URLs
// that the run did not get from its input, results or user.

// maxLinkBytes bounds the part of a URL in a message.
const maxLinkBytes = 120

// findLinks returns the URLs in a text: those with a scheme and "://", and relative ones with "//"
// in places where Markdown or HTML accepts them.
func findLinks(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; ; {
			i := strings.Index(text[at:], "//")
			if i < 0 {
				return
			}
			begin := at + i
			if begin > 0 && text[begin-1] == ':' {
				begin = schemeStart(text[:begin-1])
			}
			end := linkEnd(text, at+i+2)
			relative := begin == at+i && (begin == 0 || !strings.ContainsRune(`("'=<`, rune(text[begin-1])))
			at = max(end, at+i+2)
			if link := strings.TrimRight(text[begin:end], ".,;:!?*_"); !relative && hostOf(link) != "" && !yield(link) {
				return
			}
		}
	}
}

// schemeStart returns the offset of the URL scheme at the end of a text.
func schemeStart(text string) int {
	i := len(text)
	for i > 0 && (isWordByte(text[i-1]) || strings.IndexByte("+-.", text[i-1]) >= 0) {
		i--
	}
	return i
}

// linkEnd returns the end of a URL whose host begins at from. A URL ends at an invalid character or
// an unmatched closing parenthesis.
func linkEnd(text string, from int) int {
	open := 0
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case c <= ' ' || c == 0x7f || strings.IndexByte("\"'<>`", c) >= 0:
			return i
		case c == '(':
			open++
		case c == ')':
			if open--; open < 0 {
				return i
			}
		}
	}
	return len(text)
}

// hostOf returns the host of a URL in lower case and without its port; "" if it has none.
func hostOf(link string) string {
	_, rest, _ := strings.Cut(link, "//")
	rest = strings.ReplaceAll(rest, `\`, "/") // as browsers do
	rest, _, _ = strings.Cut(rest, "/")
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "#")
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if !strings.HasPrefix(rest, "[") {
		rest, _, _ = strings.Cut(rest, ":")
	}
	return strings.ToLower(strings.TrimSuffix(rest, "."))
}

// mentionsHost reports whether a lower-case text contains a host as a whole name, not as part of
// another one.
func mentionsHost(text, host string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], host)
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(host)
		before := begin > 0 && (isWordByte(text[begin-1]) || strings.IndexByte("-._", text[begin-1]) >= 0)
		after := end < len(text) && (isWordByte(text[end]) || text[end] == '-') || end+1 < len(text) && text[end] == '.' && isWordByte(text[end+1])
		if !before && !after {
			return true
		}
		at = end
	}
}

func isWordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}
