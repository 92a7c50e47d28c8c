package dialect

import (
	"fmt"
	"slices"
	"strings"

	"oneshot/pkg/chat"
)

// repeated generates texts of a prefix and about n bytes of a repeated piece.
func repeated(before, piece string) func(n int) string {
	return func(n int) string { return before + strings.Repeat(piece, n/len(piece)) }
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// A hostileText generates texts of about n bytes, in steps of unit bytes.
type hostileText struct {
	name string
	text func(n int) string
	unit int
}

// many returns the hostileText of a prefix and a repeated piece.
func many(before, piece string) hostileText {
	return hostileText{fmt.Sprintf("%q and many %q", before, piece), repeated(before, piece), len(piece)}
}

// hostileTo returns texts that are hard to read in a dialect: repeated parts of its
// markers, syntax and literals, at the start of a response, in text, and in each part
// of a call.
func hostileTo(d *Dialect) []hostileText {
	var all []hostileText
	befores := openings(d)
	for i, before := range befores {
		for k, piece := range hostilePieces {
			if (i+k+len(d.Title))%hostileShare == 0 { // other dialects take the rest
				all = append(all, many(before, piece))
			}
		}
	}
	for _, before := range []string{"", befores[len(befores)-2]} {
		for _, piece := range marksLike(d) {
			all = append(all, many(before, piece))
		}
	}
	for _, table := range []map[string]map[string]func(n int) string{taughtHostile, namedHostile, channelHostile, taggedHostile} {
		for name, text := range table[d.Name] {
			all = append(all, hostileText{name, text, 1})
		}
	}
	return all
}

// taughtHostile holds generators of texts of about n bytes for the prompt-only
// dialects.
var taughtHostile = map[string]map[string]func(n int) string{"tool": hostileScript, "toolcalls": hostileJSON}

// openings are beginnings of texts: nothing, text, the affix before a call, a call, and
// a call up to or through its first key and its first value.
func openings(d *Dialect) []string {
	text := renderedCall(d, "f", `{"keyname":"insidetext"}`)
	all := []string{"", "Text ", text, d.framing.affixes[0]}
	for _, part := range []string{"keyname", "insidetext"} {
		if i := strings.Index(text, part); i >= 0 {
			all = append(all, text[:i], text[:i+len(part)])
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(a) - len(b) })
	return slices.Compact(all)
}

// renderedCall returns a call as a dialect writes it, even if it does not read back
// unchanged.
func renderedCall(d *Dialect, name, arguments string) string {
	text, ok := d.Render(chat.Call{Name: name, Arguments: []byte(arguments)}, nil)
	if !ok {
		text, _ = d.Render(chat.Call{Name: name, Arguments: []byte(arguments)}, Toolset{name: shapeOf([]byte(arguments))})
	}
	return text
}

// marksLike are the markers of a dialect, markers without their last byte, markers with
// some text after them, and the parts of its example.
func marksLike(d *Dialect) []string {
	var all []string
	texts := markerSetOf(d).texts
	for i := 0; i < len(texts); i += 1 + len(texts)*hostileShare/64 {
		text := texts[i]
		all = append(all, text, text[:len(text)-1], text+strings.Repeat(" ", maxLookahead-1), text+"{", text+"f\n")
	}
	all = append(append(all, d.Example), fragments(d.Example)...)
	all = slices.DeleteFunc(all, func(s string) bool { return s == "" })
	slices.Sort(all)
	return some(slices.Compact(all), len(d.Title))
}

// fragments cuts a text into tags, words and other characters.
func fragments(text string) []string {
	var all []string
	for text != "" {
		n := 1
		switch c := text[0]; {
		case c == '<' || c == ']':
			if end := strings.IndexByte(text, '>'); end > 0 {
				n = end + 1
			}
		case isNameByte(c):
			for n < len(text) && isNameByte(text[n]) {
				n++
			}
		}
		all = append(all, text[:n])
		text = text[n:]
	}
	return all
}

// hostilePieces exercise the edge cases of literal readers.
var hostilePieces = []string{
	" ", "\n", "x", "x ", "é", "\xff", "\ufeff", `"`, `'`, "`", "```", "```\n", "```tool\n", "```json\n[", `\`, `\"`, `\u00e9`,
	`"a",`, `"a":1,`, `"a":"`, `""`, "'''", "[", "]", "{", "}", "{}", "[]", "[{", "}]", "(", ")", ",", ":", ";", "=", "<", ">",
	"</", "<a>", "</a>", "<![CDATA[", "]]>", "/*", "//", "#", `{"a":`, `{"a":"b"}`, `{"name":"f","arguments":{}}`,
	`{"name":"f","arguments":{"a":`, `{"type":"`, "{'a':", "a=b, ", "f(", "f(a=1), ", "f()\n", "[f(", "a:1,", "1", "1.", "-", "1e",
	"0x", "true", "None ", "undefined,", "it's ", "<think>", "</think>", "<think>x</think>", "functions.", "Action:",
}

var hostileScript = map[string]func(n int) string{
	"prose":          func(n int) string { return strings.Repeat("All work and no play. ", n/22) },
	"backticks":      func(n int) string { return strings.Repeat("`", n) },
	"backtick lines": func(n int) string { return strings.Repeat("```\n", n/4) },
	"two backticks":  func(n int) string { return strings.Repeat("``\n", n/3) },
	"inline code":    func(n int) string { return strings.Repeat("`a` ", n/4) },
	"blanks":         func(n int) string { return strings.Repeat(" ", n) },
	"blank marks":    func(n int) string { return strings.Repeat("   `", n/4) },
	"tildes":         func(n int) string { return strings.Repeat("~~ ", n/3) },
	"near markers":   func(n int) string { return strings.Repeat("```too\n", n/7) },
	"long runs":      func(n int) string { return strings.Repeat(strings.Repeat("`", 65)+"\n", n/66) },
	"long info":      func(n int) string { return "```" + strings.Repeat(" ", n) },
	"openers":        func(n int) string { return strings.Repeat("```tool\n", n/8) },
	"empty fences":   func(n int) string { return strings.Repeat("```tool\n```\n", n/12) },
	"blank lead":     func(n int) string { return "```tool\n" + strings.Repeat("\n", n) },
	"nesting":        func(n int) string { return "```tool\nf(" + strings.Repeat("[", n) },
	"calls":          func(n int) string { return "```tool\n" + strings.Repeat("f(", n/2) },
	"many calls":     func(n int) string { return "```tool\n" + strings.Repeat("f();", n/4) },
	"names":          func(n int) string { return "```tool\n" + strings.Repeat("name ", n/5) },
	"long name":      func(n int) string { return "```tool\n" + strings.Repeat("f", n) },
	"quotes":         func(n int) string { return "```tool\nf(" + strings.Repeat(`"`, n) },
	"open quote":     func(n int) string { return "```tool\nf(\"" + strings.Repeat("```tool\n", n/8) },
	"raw lines":      func(n int) string { return "```tool\nf(\"" + strings.Repeat("\n", n) + "\")" },
	"escapes":        func(n int) string { return "```tool\nf(\"" + strings.Repeat(`\d`, n/2) + "\")" },
	"backslashes":    func(n int) string { return "```tool\nf(\"" + strings.Repeat(`\`, n) },
	"unicode":        func(n int) string { return "```tool\nf(\"" + strings.Repeat(`\u{`, n/3) },
	"zeros":          func(n int) string { return "```tool\nf(\"\\u{" + strings.Repeat("0", n) + "41}\")" },
	"templates":      func(n int) string { return "```tool\nf(`" + strings.Repeat("\n```", n/4) },
	"holes":          func(n int) string { return "```tool\nf(`" + strings.Repeat("${`", n/3) },
	"comments":       func(n int) string { return "```tool\n" + strings.Repeat("/*", n/2) },
	"stars":          func(n int) string { return "```tool\n/*" + strings.Repeat("*", n) },
	"slashes":        func(n int) string { return "```tool\n" + strings.Repeat("/ ", n/2) },
	"digits":         func(n int) string { return "```tool\nf(" + strings.Repeat("1", n) + ")" },
	"signs":          func(n int) string { return "```tool\nf(" + strings.Repeat("1e+", n/3) + ")" },
	"hex":            func(n int) string { return "```tool\nf(0x" + strings.Repeat("f", n) + ")" },
	"keys":           func(n int) string { return "```tool\nf({" + numbered("k%d:1,", n) + "})" },
	"keywords":       func(n int) string { return "```tool\nf(" + numbered("k%d=1,", n) + ")" },
	"duplicates":     func(n int) string { return "```tool\n" + strings.Repeat("f({a:1,a:2});\n", n/14) },
	"items":          func(n int) string { return "```tool\nf(" + strings.Repeat("True,", n/5) + ")" },
	"junk":           func(n int) string { return "```tool\n" + strings.Repeat("x=1;", n/4) },
	"junk brackets":  func(n int) string { return "```tool\n" + strings.Repeat("({[", n/3) },
	"apostrophes":    func(n int) string { return "```tool\n" + strings.Repeat("it's ", n/5) },
	"protocol":       func(n int) string { return strings.Repeat("```tool\nTOOL_NAME:\n```\n", n/23) },
	"not UTF-8":      func(n int) string { return "```tool\nf(" + strings.Repeat("\xff", n) + ")" },
	"surrogates":     func(n int) string { return "```tool\nf(\"" + strings.Repeat(`\ud83d`, n/6) + "\")" },
}

const aCall = `{"type":"f","id":"a","operation":"b","parameters":{"x":[1,"y"]}},`

var hostileJSON = map[string]func(n int) string{
	"prose":             repeated("So: ", "all {work} and no play. "),
	"blanks":            repeated("", " "),
	"braces":            repeated("", "{"),
	"braces in text":    repeated("x", "{"),
	"braces and blanks": repeated("x", "{ "),
	"blanks in braces":  repeated("x", "{"+strings.Repeat(" ", 60)),
	"near keys":         repeated("x", `{"toolCall`),
	"keys":              repeated("x", `{"toolCalls":`),
	"quoted keys":       repeated("x", "`{\"toolCalls\":"),
	"other objects":     repeated("x", `{"a":1}`),
	"other strings":     repeated("x", `{"a":"`),
	"other nesting":     repeated(`x {"a":`, `{"a":`),
	"lists in objects":  repeated("", `{"toolCalls":[`),
	"empty lists":       repeated("", `{"toolCalls":[]}`),
	"lists":             repeated("", "["),
	"lists in fences":   repeated("", "```\n["),
	"refused":           repeated("", "```json\n{\"a\":1}\n```\n"),
	"refused, cut":      repeated("", "```json\n{\"a\":[\n```\n"),
	"bare fences":       repeated("", "```\n"),
	"fences":            repeated("", "```json\n{\"toolCalls\":[\n```\n"),
	"members":           func(n int) string { return "{" + numbered(`"k%d":1,`, n) },
	"same members":      repeated("{", `"a":1,`),
	"other members":     repeated(`{"toolCalls":[],`, `"a":{"b":[1]},`),
	"calls":             repeated(`{"toolCalls":[`, aCall),
	"ids": func(n int) string {
		return `{"toolCalls":[` + numbered(`{"type":"f","id":"%d","operation":"b","parameters":{}},`, n)
	},
	"faulty calls":    repeated(`{"toolCalls":[`, `{"type":"f","id":"a","parameters":{"x":y}},`),
	"late faults":     repeated(`{"toolCalls":[`, `{"type":"f","id":"a","operation":"b","parameters":{"x":[1,2,3]},},`),
	"missing braces":  repeated(`{"toolCalls":[`, `{"type":"f","parameters":{"x":1},`),
	"missing commas":  repeated(`{"toolCalls":[`, `{"type":"f"} `),
	"extra braces":    repeated(`{"toolCalls":[`, "}"),
	"extra commas":    repeated(`{"toolCalls":[`, ","),
	"opening":         repeated(`{"toolCalls":[`, "{"),
	"opening behind":  repeated(`{"toolCalls":[`, `{"a":`),
	"junk":            repeated(`{"toolCalls":[`, "1 ;"),
	"junk lists":      repeated(`{"toolCalls":[`, "["),
	"junk brackets":   repeated(`{"toolCalls":[{x`, "[{}"),
	"junk closers":    repeated(`{"toolCalls":[{x[[[[[[`, "}"),
	"junk quotes":     repeated(`{"toolCalls":[{x`, `"`),
	"junk in objects": repeated(`{"toolCalls":[],x`, ":{}"),
	"string":          repeated(`{"toolCalls":[{"type":"`, "f"),
	"escapes":         repeated(`{"toolCalls":[{"type":"`, `\d`),
	"unicode":         repeated(`{"toolCalls":[{"type":"`, `\u00e9`),
	"line ends":       repeated(`{"toolCalls":[{"type":"`, "\n"),
	"single quotes":   repeated(`{"toolCalls":[{"type":'`, `"`),
	"templates":       repeated("{\"toolCalls\":[{\"type\":`", "\n```"),
	"comments":        repeated(`{"toolCalls":[`, "/**/"),
	"stars":           repeated(`{"toolCalls":[/*`, "*"),
	"nesting":         repeated(`{"toolCalls":[{"a":`, "["),
	"arguments":       func(n int) string { return `{"toolCalls":[{"type":"f","parameters":{` + numbered(`"k%d":1,`, n) },
	"encoded":         func(n int) string { return `{"toolCalls":[{"name":"f","args":"` + strings.Repeat(`[`, n) + `"}]}` },
	"bare keys":       func(n int) string { return `{"toolCalls":[{` + numbered("k%d:1,", n) },
	"foreign blanks":  repeated(`{"toolCalls":[`, "\u00a0"),
	"foreign letters": repeated(`{"toolCalls":[`, "é"),
	"slashes":         repeated(`{"toolCalls":[`, "/ "),
	"backticks":       repeated(`{"toolCalls":[`, "` "),
	"not UTF-8":       repeated(`{"toolCalls":[{"type":"`, "\xff"),
}
