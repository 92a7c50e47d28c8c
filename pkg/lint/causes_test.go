package lint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
)

// A writing is a dialect's notation for values.
type writing string

const (
	inJSON   writing = "JSON"
	inScript writing = "JavaScript"
	inPython writing = "Python"
	inQuotes writing = "quote tokens"
	inText   writing = "raw text"
)

// causeCall is the call that the malformations are applied to.
const causeCall = `{"text":"grey heron","count":3,"done":true,"tags":["reed"]}`

// writingOf returns the notation of a rendered [causeCall].
func writingOf(rendered string) writing {
	switch {
	case strings.Contains(rendered, `"text":"grey heron"`):
		return inJSON
	case strings.Contains(rendered, `text: "grey heron"`):
		return inScript
	case strings.Contains(rendered, `text="grey heron"`):
		return inPython
	case strings.Contains(rendered, "text:<"):
		return inQuotes
	}
	return inText
}

// A damage creates a malformation in a rendered call by applying its first pair that matches.
type damage struct {
	number int // of the malformation
	what   string
	codes  []diag.Code // that name it
	made   map[writing][2]string
	not    string // why the other writings cannot have it
}

var damages = []damage{
	{1, "trailing comma", []diag.Code{diag.TrailingComma}, map[writing][2]string{
		inJSON: {`["reed"]`, `["reed",]`}}, "the language has trailing commas, or no commas"},
	{2, "single quotes", []diag.Code{diag.QuoteCharacter}, map[writing][2]string{
		inJSON: {`"grey heron"`, `'grey heron'`}}, "the language has single quotes, or no quotes"},
	{2, "True", []diag.Code{diag.PythonLiteral}, map[writing][2]string{
		inJSON: {`true`, `True`}, inScript: {`true`, `True`}, inQuotes: {`true`, `True`}}, "True is right, or text"},
	{3, "raw line end", []diag.Code{diag.RawControl}, map[writing][2]string{
		inJSON: {"grey heron", "grey\nheron"}, inScript: {"grey heron", "grey\nheron"}, inPython: {"grey heron", "grey\nheron"}}, "values are text"},
	{4, "Windows path", []diag.Code{diag.BadEscape}, map[writing][2]string{
		inJSON: {"grey heron", `C:\grey\heron`}, inScript: {"grey heron", `C:\grey\heron`}, inPython: {"grey heron", `C:\grey\heron`}}, "values are text"},
	{5, "inner quotes", []diag.Code{diag.UnescapedQuote}, map[writing][2]string{
		inJSON: {"grey heron", `a "grey" heron`}, inScript: {"grey heron", `a "grey" heron`}, inPython: {"grey heron", `a "grey" heron`}}, "values are text"},
	{6, "smart quotes", []diag.Code{diag.SmartQuote}, map[writing][2]string{
		inJSON: {`"grey heron"`, `“grey heron”`}, inScript: {`"grey heron"`, `“grey heron”`}, inPython: {`"grey heron"`, `“grey heron”`}}, "values are text"},
	{9, "concatenated objects", []diag.Code{diag.ConcatenatedValues}, map[writing][2]string{
		inJSON: {causeCall, causeCall + causeCall}}, "there is no object"},
	{10, "double-encoded arguments", []diag.Code{diag.DoubleEncoded}, map[writing][2]string{
		inJSON: {causeCall, `"{\"text\":\"grey heron\"}"`}}, "there is no object"},
	{11, "huge integer", []diag.Code{diag.InexactNumber}, map[writing][2]string{
		inJSON: {`:3`, `:9007199254740993`}, inScript: {`: 3`, `: 9007199254740993`}, inPython: {`=3`, `=9007199254740993`}, inQuotes: {`:3`, `:9007199254740993`}}, "digits are text"},
	{12, "NaN", []diag.Code{diag.NotANumber}, map[writing][2]string{
		inJSON: {`:3`, `:NaN`}, inScript: {`: 3`, `: NaN`}, inQuotes: {`:3`, `:NaN`}}, "NaN is a word"},
	{13, "duplicate key", []diag.Code{diag.DuplicateKey}, map[writing][2]string{
		inJSON: {`"count":3`, `"count":3,"count":4`}, inScript: {`count: 3`, `count: 3, count: 4`}, inPython: {`count=3`, `count=3, count=4`}, inQuotes: {`count:3`, `count:3,count:4`}}, "the marks of parameters differ in each dialect"},
	{14, "comment", []diag.Code{diag.Comment}, map[writing][2]string{
		inJSON: {`"count":3`, `"count":3/* three */`}}, "the language has comments, or values are text"},
	{14, "undefined", []diag.Code{diag.NotALiteral}, map[writing][2]string{
		inJSON: {`:3`, `:undefined`}, inScript: {`: 3`, `: undefined`}, inPython: {`=3`, `=undefined`}}, "values are text"},
	{14, "ellipsis", []diag.Code{diag.NotALiteral}, map[writing][2]string{
		inJSON: {`["reed"]`, `["reed",...]`}, inScript: {`["reed"]`, `["reed",...]`}, inPython: {`["reed"]`, `["reed",...]`}}, "values are text"},
	{15, "lost bracket", []diag.Code{diag.UnbalancedBracket}, map[writing][2]string{
		inJSON: {`["reed"]`, `["reed"`}, inScript: {`["reed"]`, `["reed"`}, inPython: {`["reed"]`, `["reed"`}}, "values are text"},
	{15, "bracket too many", []diag.Code{diag.UnbalancedBracket}, map[writing][2]string{
		inJSON: {`["reed"]`, `["reed"]]`}, inScript: {`["reed"]`, `["reed"]]`}, inPython: {`["reed"]`, `["reed"]]`}}, "values are text"},
	{22, "number in a string", []diag.Code{diag.WrongType}, map[writing][2]string{
		inJSON: {`:3`, `:"3"`}, inScript: {`: 3`, `: "3"`}, inPython: {`=3`, `="3"`}}, "all values are text"},
	{25, "U+FFFD", []diag.Code{diag.ReplacementChar}, map[writing][2]string{
		inJSON: {"heron", "her\ufffdn"}, inScript: {"heron", "her\ufffdn"}, inPython: {"heron", "her\ufffdn"}, inQuotes: {"heron", "her\ufffdn"}, inText: {"heron", "her\ufffdn"}}, ""},
	{8, "truncation in a value", []diag.Code{diag.TruncatedCall}, map[writing][2]string{
		inJSON: {"heron", cutHere}, inScript: {"heron", cutHere}, inPython: {"heron", cutHere}, inQuotes: {"heron", cutHere}, inText: {"heron", cutHere}}, ""},
	{16, "mark in the name", []diag.Code{diag.MarkupInName}, map[writing][2]string{
		inJSON: {"note", "note<|channel|>"}, inScript: {"note", "note<|channel|>"}, inPython: {"note", "note<|channel|>"}, inQuotes: {"note", "note<|channel|>"}, inText: {"note", "note<|channel|>"}}, ""},
	{23, "namespace before the name", []diag.Code{diag.NameNoise}, map[writing][2]string{
		inJSON: {"note", "functions.note"}, inScript: {"note", "functions.note"}, inPython: {"note", "functions.note"}, inQuotes: {"note", "functions.note"}, inText: {"note", "functions.note"}}, ""},
	{24, "arguments are null", []diag.Code{diag.NoArguments, diag.CallMember}, map[writing][2]string{
		inJSON: {causeCall, "null"}}, "there is no object"},
	{24, "arguments are a list", []diag.Code{diag.CallMember, diag.UnbalancedBracket}, map[writing][2]string{
		inJSON: {causeCall, "[1]"}}, "there is no object"},
}

// cutHere marks the end of the text.
const cutHere = "\x00cut"

// eachDamaged creates each malformation in each dialect that can have it, and calls a function with
// the text and the span of the damage.
func eachDamaged(t *testing.T, o Options, do func(d dialect.Dialect, x damage, text string, start, end int)) {
	t.Helper()
	call := chat.Call{Name: "note", Arguments: json.RawMessage(causeCall), Status: chat.StatusOK, Executable: true}
	for _, d := range dialect.Dialects() {
		rendered, ok := d.Render(call, o.toolShapes())
		if !ok {
			t.Fatal(d.Name)
		}
		for _, x := range damages {
			pair, ok := x.made[writingOf(rendered)]
			if !ok {
				continue
			}
			at := strings.Index(rendered, pair[0])
			if at < 0 {
				t.Fatal(d.Name, x.what)
			}
			if pair[1] == cutHere {
				do(d, x, rendered[:at], at, at)
			} else {
				do(d, x, rendered[:at]+pair[1]+rendered[at+len(pair[0]):], at, at+len(pair[1]))
			}
		}
	}
}

// openCauses are known exceptions: dialects in which another finding comes first or in addition.
var openCauses = []struct{ what, dialects, why string }{
	{"arguments are null", "json_generic xlam", "without a mark such an object is text: TC113, a warning, names the arguments"},
	{"arguments are a list", "json_generic xlam", "without a mark such an object is text: TC113, a warning, names the arguments"},
	{"concatenated objects", "json_generic", "without a mark such an object is text: TC220, a warning, is where it stops being JSON"},
	{"arguments are null", "react", "an argument can be any text, also the word null, and nothing ends it: TC404"},
	{"double-encoded arguments", "react", "an argument can be any text, also a string, and nothing ends it: TC404"},
	{"arguments are null", "functionary_v31", "only a brace tells the tag from that of qwen3_coder_xml: TC113 says that it may be a call"},
	{"arguments are a list", "functionary_v31", "only a brace tells the tag from that of qwen3_coder_xml: TC113 says that it may be a call"},
	{"double-encoded arguments", "functionary_v31", "only a brace tells the tag from that of qwen3_coder_xml: TC113 says that it may be a call"},
	{"mark in the name", "functionary_v31", "only a brace tells the tag from that of qwen3_coder_xml: TC113 says that it may be a call"},
	{"mark in the name", "functiongemma gemma4", "a token ends the name, as it ends any text here: TC102 and TC113 say that no call follows it"},
}

// isOpenCause reports whether a malformation in a dialect is an open cause.
func isOpenCause(what, dialect string) bool {
	for _, c := range openCauses {
		if c.what == what && slices.Contains(strings.Fields(c.dialects), dialect) {
			return true
		}
	}
	return false
}

// TestCauses checks that the only finding for a malformation names it, in each dialect.
func TestCauses(t *testing.T) {
	o := Options{Tools: malformationRegistry(t)}
	held := 0
	eachDamaged(t, o, func(d dialect.Dialect, x damage, text string, at, end int) {
		o.Dialect = d
		r := asText("f", []byte(text), o)
		var all []string
		for _, f := range r.Findings {
			all = append(all, fmt.Sprintf("%s at %d-%d, %s", f.Code, f.Span.Start, f.Span.End, f.Message))
		}
		isHeld := len(all) == 1 && slices.Contains(x.codes, r.Findings[0].Code) && r.Findings[0].Span.Start <= end && r.Findings[0].Span.End >= at
		switch isOpen := isOpenCause(x.what, d.Name); {
		case isHeld && isOpen:
			t.Errorf("M%d, %s, is held in %s: it is no open cause", x.number, x.what, d.Name)
		case isHeld:
			held++
		case !isOpen:
			t.Errorf("M%d, %s, in %s at %d-%d of %q, want %v alone:\n%s", x.number, x.what, d.Name, at, end, text, x.codes, strings.Join(all, "\n"))
		}
	})
	open := 0
	for _, c := range openCauses {
		open += len(strings.Fields(c.dialects))
	}
	t.Logf("%d pairs are held, %d are open", held, open)
}

// elsewhere lists the malformations that other tests cover.
var elsewhere = map[int]string{
	7:  "fences around a call: TestMalformations",
	17: "a mark is taken out of a response: TestMalformations",
	18: "the marks of parameters differ in each dialect: TestMalformations",
	19: "it is a call in another form: TestMalformations",
	20: "the marks of values differ in each dialect: TestMalformations",
	21: "it is about where the call stands: TestMalformations",
	26: "it is the error of a server, and no text",
	27: "it is about the same text in pieces: FuzzSplits",
}

// Each malformation is created here or has a reason, and so does each notation that cannot have it.
func TestEveryMalformationHasACause(t *testing.T) {
	made := map[int]bool{}
	for _, x := range damages {
		made[x.number] = true
		if len(x.made) < 5 && x.not == "" {
			t.Errorf("%s has no reason for the writings without it", x.what)
		}
	}
	for _, m := range malformations {
		if made[m.number] == (elsewhere[m.number] != "") {
			t.Errorf("M%d, %s: made here %v, reason %q", m.number, m.what, made[m.number], elsewhere[m.number])
		}
	}
}
