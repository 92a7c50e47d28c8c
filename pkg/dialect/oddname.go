package dialect

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// oddName reports a call of a name that a reader would take for another one. The
// exact name of a tool is never odd.
func (s *Scanner) oddName(c chat.Call) (diag.Finding, bool) {
	if isPlain(c.Name) {
		return diag.Finding{}, false
	}
	why := odd(c.Name)
	if _, known := s.tools[c.Name]; known || why == "" {
		return diag.Finding{}, false
	}
	return diag.New(diag.HomoglyphName, diag.Bytes(c.Start, c.End), "the name of the tool, %+q, %s", excerpt(c.Name), why), true
}

// isPlain reports whether all of a name is printable ASCII.
func isPlain(name string) bool {
	for i := range len(name) {
		if name[i] < ' ' || name[i] > '~' {
			return false
		}
	}
	return true
}

// alike are scripts of which letters look like those of another one.
var alike = []*unicode.RangeTable{
	unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic, unicode.Lisu, unicode.Georgian,
}

// odd says what in a name a reader does not see, "" if there is nothing.
func odd(name string) string {
	if !utf8.ValidString(name) {
		return "holds bytes that are no character"
	}
	var script *unicode.RangeTable
	for _, r := range name {
		if !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return fmt.Sprintf("holds %U, which cannot be seen", r)
		}
		for _, t := range alike {
			switch {
			case !unicode.Is(t, r):
			case script == nil:
				script = t
			case script != t:
				return fmt.Sprintf("mixes letters of scripts that look alike, such as %U", r)
			}
		}
	}
	if !norm.NFKC.IsNormalString(name) {
		return "holds characters that stand for others"
	}
	return ""
}
