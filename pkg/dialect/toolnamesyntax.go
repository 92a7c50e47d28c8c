package dialect

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"oneshot/pkg/dialect/markup"
	"oneshot/pkg/literal"
)

// maxToolName bounds the names of tools, in bytes.
const maxToolName = 256

// isToolName reports whether name can be the name of a tool.
func isToolName(name string) bool { return name != "" && len(name) <= maxToolName }

// isNameByte reports whether a byte can be in an unquoted tool name.
func isNameByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.' || c >= 0x80
}

// isNumberedNameByte reports whether a byte can be in a name with a number.
func isNumberedNameByte(c byte) bool { return isNameByte(c) || c == ':' }

// cleanName removes noise from a tool name and describes the noise. The exact name of a tool is clean.
func cleanName(name string, tools Toolset) (clean, noise string) {
	if _, exact := tools[name]; exact {
		return name, ""
	}
	clean = strings.Trim(name, " \t\r\n\"'`")
	space, rest := literal.CutNamespace(clean)
	switch {
	case space != "":
		return rest, strconv.Quote(space) + " is not part of the tool name"
	case clean != name:
		return clean, "unexpected quotes or blanks around the tool name"
	}
	return clean, ""
}

// isCleanName reports whether cleanName leaves a name unchanged.
func isCleanName(name string, tools Toolset) bool {
	clean, _ := cleanName(name, tools)
	return clean == name
}

// controlTokenOffset returns the offset of the first control token in a text, or -1.
func controlTokenOffset(text string) int {
	i, wide := strings.Index(text, "<|"), strings.Index(text, "<｜")
	if i < 0 || wide >= 0 && wide < i {
		return wide
	}
	return i
}

// splitNumberedName splits off the number after ":" at the end of a name; with a number, all of the name is the ID.
func splitNumberedName(name string) (rest, id string) {
	i := strings.LastIndexByte(name, ':')
	if i < 0 || i == len(name)-1 || strings.Trim(name[i+1:], "0123456789") != "" {
		return name, ""
	}
	return name[:i], name
}

// isBareName reports whether a name needs no quotes in a text.
func isBareName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r < 0x80 && !isNameByte(byte(r)) })
}

// isDottedName reports whether a name consists of identifiers with dots between them, as in a JavaScript call.
func isDottedName(name string) bool {
	for word := range strings.SplitSeq(name, ".") {
		if !isIdentifier(word) {
			return false
		}
	}
	return true
}

// isIdentifier reports whether a word is a JavaScript identifier.
func isIdentifier(word string) bool {
	for i := range len(word) {
		c := word[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return word != ""
}

// isPrintableASCII reports whether all of a name is printable ASCII.
func isPrintableASCII(name string) bool {
	for i := range len(name) {
		if name[i] < ' ' || name[i] > '~' {
			return false
		}
	}
	return true
}

// confusableScripts are scripts with letters that look like those of another one.
var confusableScripts = []*unicode.RangeTable{
	unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic, unicode.Lisu, unicode.Georgian,
}

// describeNameSpoofing describes how a name deceives a reader: invalid, invisible, look-alike or compatibility
// characters. It returns "" for any other name.
func describeNameSpoofing(name string) string {
	if !utf8.ValidString(name) {
		return "contains invalid UTF-8"
	}
	var script *unicode.RangeTable
	for _, r := range name {
		if !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return fmt.Sprintf("contains %U, which is invisible", r)
		}
		for _, t := range confusableScripts {
			switch {
			case !unicode.Is(t, r):
			case script == nil:
				script = t
			case script != t:
				return fmt.Sprintf("mixes look-alike letters of several scripts, such as %U", r)
			}
		}
	}
	if !norm.NFKC.IsNormalString(name) {
		return "contains compatibility characters"
	}
	return ""
}

// A Toolset has a function for each known tool that returns the shape of its arguments, see
// [oneshot/pkg/schema.Shape]. It is called for calls in dialects with plain text values.
type Toolset = markup.Toolset
