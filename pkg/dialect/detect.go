package dialect

import (
	"fmt"
	"iter"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// Detect tells the dialect of a captured response from what it holds, and says
// why. Where there are signs of several dialects it is that of the first sign,
// and where there is none it is "tool".
func Detect(text string) (d Dialect, why string) {
	for s := range signs(text) {
		return s.dialect, fmt.Sprintf("line %d has %s", 1+strings.Count(text[:s.at], "\n"), s.what)
	}
	for _, d := range Dialects {
		if keys := relativeKeys(d, text); keys != nil {
			return d, "the text begins with JSON that has the keys " + quotedList(keys)
		}
	}
	return Dialects[0], "nothing in the text is a call of any dialect"
}

// Mixed reports the first sign of each other dialect in a response that was read
// in one, outside the calls that were found in it.
func Mixed(text string, r Dialect, calls []chat.Call) []diag.Finding {
	var findings []diag.Finding
	seen := map[string]bool{r.Name: true}
	for s := range signs(text) {
		for len(calls) > 0 && calls[0].End <= s.at {
			calls = calls[1:]
		}
		if seen[s.dialect.Name] || len(calls) > 0 && calls[0].Start <= s.at {
			continue
		}
		seen[s.dialect.Name] = true
		findings = append(findings, diag.New(diag.OtherDialect, diag.Bytes(s.at, s.at+1),
			"%s is a sign of the dialect %s; the response is read in the dialect %s", s.what, s.dialect.Name, r.Name))
	}
	return findings
}

// A sign is what a dialect is known by.
type sign struct {
	dialect Dialect
	at      int
	what    string
}

// signs returns the signs in a text, from one pass over it: opening lines of
// fences whose info string says it all, and keys of objects that hold calls.
func signs(text string) iter.Seq[sign] {
	return func(yield func(sign) bool) {
		for at := 0; at < len(text); {
			i := strings.IndexAny(text[at:], "`~\"'")
			if i < 0 {
				return
			}
			at += i
			run := len(text[at:]) - len(strings.TrimLeft(text[at:], text[at:at+1]))
			if s, ok := signAt(text, at, run); ok && !yield(s) {
				return
			}
			at += run
		}
	}
}

// signAt returns the sign that begins with a run of one character.
func signAt(text string, at, run int) (sign, bool) {
	for _, d := range Dialects {
		switch {
		case isFenceOf(d.framing, text, at, run):
			return sign{d, at, fmt.Sprintf("a fence marked %q", d.framing.info)}, true
		case isKeyOf(d.framing, text, at, run):
			return sign{d, at, "the key " + text[at:at+1+strings.IndexByte(text[at+1:], text[at])+1]}, true
		}
	}
	return sign{}, false
}

// isFenceOf reports whether a run opens a fence of a framing.
func isFenceOf(f framing, text string, at, run int) bool {
	if !f.certain() || run < 3 || text[at] != '`' && text[at] != '~' || !beginsLine(text[:at]) {
		return false
	}
	info := strings.TrimLeft(text[at+run:], " \t")
	if len(info) < len(f.info) || !strings.EqualFold(info[:len(f.info)], f.info) {
		return false
	}
	return len(info) == len(f.info) || isSpace(info[len(f.info)])
}

func beginsLine(before string) bool {
	before = strings.TrimRight(before, " \t")
	return before == "" || isNewline(before[len(before)-1])
}

// isKeyOf reports whether a quote begins a key, in an object, that counts in a
// framing.
func isKeyOf(f framing, text string, at, run int) bool {
	before := strings.TrimRight(text[:at], " \t\r\n")
	if run != 1 || before == "" || !strings.HasSuffix(before, "{") && !strings.HasSuffix(before, ",") {
		return false
	}
	for _, key := range f.keys {
		rest, ok := strings.CutPrefix(text[at+1:], key+text[at:at+1])
		if ok && strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), ":") {
			return true
		}
	}
	return false
}

// relativeKeys returns the keys that tell the tool and its arguments, if a text
// is JSON from the start, or from the start of its first fence, and has them.
func relativeKeys(d Dialect, text string) []string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "```") {
		_, text, _ = strings.Cut(text, "\n")
		text = strings.TrimSpace(text)
	}
	if d.framing.keys == nil || text == "" || !d.framing.mayBegin(text[0]) {
		return nil
	}
	var keys []string
	for _, some := range [][]string{callMembers[:ofParameters], callMembers[ofParameters:ofID]} {
		for _, key := range some {
			if _, rest, ok := strings.Cut(text, `"`+key+`"`); ok && strings.HasPrefix(strings.TrimSpace(rest), ":") {
				keys = append(keys, key)
				break
			}
		}
	}
	if len(keys) < 2 {
		return nil
	}
	return keys
}
