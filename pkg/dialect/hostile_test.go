package dialect

import (
	"fmt"
	"strings"
)

// hostile are texts of each dialect that grow with n.
var hostile = map[string]map[string]func(n int) string{"tool": hostileScript, "toolcalls": hostileJSON}

// hostileSize is how large the smaller of two texts is that are compared. Many
// texts of JSON have a finding for every byte or two.
var hostileSize = map[string]int{"tool": growthSize, "toolcalls": growthSize / 8}

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

// repeated returns a text that begins with something and goes on with a piece.
func repeated(before, piece string) func(n int) string {
	return func(n int) string { return before + strings.Repeat(piece, n/len(piece)) }
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

func numbered(format string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
