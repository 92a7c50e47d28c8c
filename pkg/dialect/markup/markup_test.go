package markup

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// tools are the tools of the tests.
var tools = Toolset{
	"note": shapeOfSchema(json.RawMessage(`{"type": "object", "properties": {
		"text": {"type": "string"}, "title": {"type": "string"}, "path": {"type": "string"},
		"count": {"type": "integer"}, "ratio": {"type": "number"}, "draft": {"type": "boolean"}, "none": {"type": "null"},
		"tags": {"type": "array", "items": {"type": "string"}}, "sizes": {"type": "array", "items": {"type": "integer"}},
		"meta": {"type": "object", "properties": {"by": {"type": "string"}, "year": {"type": "integer"}, "empty": {"type": "object"}}},
		"maybe": {"type": ["string", "null"]}, "code": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "any": {}}}`)),
	"ping":      shapeOfSchema(json.RawMessage(`{"type": "object", "properties": {}}`)),
	"tools.own": shapeOfSchema(json.RawMessage(`{"type": "object"}`)),
}

// shapeOfSchema returns the function that gives the shape of a schema.
func shapeOfSchema(text json.RawMessage) func() *schema.Shape {
	s, findings := schema.Compile("", text)
	if s == nil {
		panic(findings[0].Message)
	}
	return s.Shape
}

// A sample is a text with one call and its expected reading.
type sample struct {
	name   string
	syntax *Syntax
	text   string
	want   string      // the arguments
	status chat.Status // ok if it is empty
	codes  []diag.Code
	as     string // the name of the tool, "note" if it is empty
	after  string // text after the call
	other  string // the arguments of the second reading
	blind  bool   // the tools are not known
}

// read reads a sample in one piece.
func read(s *sample) *Scanner {
	o := Options{Tools: tools}
	if s.blind {
		o.Tools = nil
	}
	r := New(s.syntax, o)
	if _, state := r.Write([]byte(s.text)); state == NeedMore {
		r.Close()
	}
	return r
}

func TestSamples(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			r := read(&s)
			call, _ := r.Call()
			if s.status == "" {
				s.status = chat.StatusOK
			}
			if s.as == "" {
				s.as = "note"
			}
			var codes []diag.Code
			for _, f := range r.Findings() {
				if f.Severity.Rank() > diag.Info.Rank() {
					codes = append(codes, f.Code)
				}
			}
			got := []any{call.Name, string(call.Arguments), call.Status, codes, s.text[r.End():]}
			if diff := gocmp.Diff([]any{s.as, s.want, s.status, s.codes, s.after}, got); diff != "" {
				t.Errorf("%q\n%s%v", s.text, diff, r.Findings())
			}
			if runs := call.Status == chat.StatusOK || call.Status == chat.StatusRepaired; runs != call.Executable {
				t.Errorf("a call that is %s must not be executable: %v", call.Status, call.Executable)
			}
			if all := r.Alternatives(); s.other != "" && (len(all) != 2 || string(all[1].Arguments) != s.other) {
				t.Errorf("alternatives %v", all)
			}
		})
	}
}

const m3 = "]<]minimax[>["

const cofl = `<cofl:tool_call id="0" name="note">`

var samples = []sample{
	{name: "qwen", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\na\n\nb\n</parameter>\n<parameter=count>\n3\n</parameter>\n</function>\n</tool_call>",
		want: `{"text":"a\n\nb","count":3}`, after: "\n</tool_call>"},
	{name: "two names", syntax: MinimaxM2, text: `<invoke name="note" name="ping"></invoke>`, status: chat.StatusInvalid, codes: []diag.Code{diag.DuplicateKey}},
	{name: "two keys", syntax: MinimaxM2, text: `<invoke name="note"><parameter name="text" name="title">a</parameter></invoke>`, status: chat.StatusInvalid, codes: []diag.Code{diag.DuplicateKey}},
	{name: "two forms", syntax: DSML, text: `<invoke name="note"><parameter name="text" string="true" string="false">1</parameter></invoke>`, status: chat.StatusInvalid, codes: []diag.Code{diag.MissingOpener, diag.DuplicateKey}},
	{name: "two forms in a value", syntax: CommandXML, text: cofl + `<cofl:value name="meta" type="dict"><cofl:value name="a" type="raw" type="json">1</cofl:value></cofl:value></cofl:tool_call>`, status: chat.StatusInvalid, codes: []diag.Code{diag.DuplicateKey}},
	{name: "no form", syntax: DSML, text: `<｜DSML｜invoke name="note"><｜DSML｜parameter name="text" string="no">1</｜DSML｜parameter></｜DSML｜invoke>`, want: `{"text":"1"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.CallMember}},
	{name: "a key and more in its tag", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text name=\"title\">\na\n</parameter>\n</function>", status: chat.StatusInvalid, codes: []diag.Code{diag.CallMember}},
	{name: "one line end on each side is framing", syntax: Qwen3Coder, text: "<function=note><parameter=text>\n\n x \n\n</parameter></function>", want: `{"text":"\n x \n"}`},
	{name: "line ends of Windows", syntax: Qwen3Coder, text: "<function=note>\r\n<parameter=text>\r\nx\r\n</parameter>\r\n</function>", want: `{"text":"x"}`},
	{name: "no arguments", syntax: Qwen3Coder, text: "<function=ping>\n</function>", want: `{}`, as: "ping"},
	{name: "text looks like markup", syntax: Qwen3Coder, text: "<function=note><parameter=text><p a=\"1\">1 < 2</p> &amp; </param></parameter></function>", want: `{"text":"<p a=\"1\">1 < 2</p> &amp; </param>"}`},
	{name: "closer in the value", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\nwrite </parameter> last\n</parameter>\n</function>",
		want: `{"text":"write </parameter> last"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MarkerInValue}},
	{name: "call closer in the value", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\nwrite </function> and </tool_call> last\n</parameter>\n</function>",
		want: `{"text":"write </function> and </tool_call> last"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MarkerInValue}},
	{name: "opener in the value", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\nuse <parameter=title> here\n</parameter>\n</function>",
		want: `{"text":"use <parameter=title> here"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MarkerInValue}},
	{name: "opener of no parameter at the start of a line", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\na\n<parameter=query>\nb\n</parameter>\n</function>",
		want: `{"text":"a\n<parameter=query>\nb"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MarkerInValue}},
	{name: "closer missing before the next parameter", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\na\n<parameter=title>\nb\n</parameter>\n</function>",
		want: `{"text":"a","title":"b"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.WrongCloser}},
	{name: "the same without the tools", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\na\n<parameter=title>\nb\n</parameter>\n</function>", blind: true,
		want: `{"text":"a","title":"b"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.WrongCloser}, other: `{"text":"a\n<parameter=title>\nb"}`},
	{name: "closed by the call", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\na\n</function>\n</tool_call>",
		want: `{"text":"a"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.WrongCloser}, after: "\n</tool_call>"},
	{name: "closed by the call at the end of the text", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\na\n</function>\n",
		want: `{"text":"a"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.WrongCloser}, after: "\n"},
	{name: "closed by the wrapper", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\na\n</tool_call>\n<tool_call>",
		want: `{"text":"a"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.MissingCloser, diag.WrongCloser}, after: "</tool_call>\n<tool_call>"},
	{name: "closed by its name", syntax: Qwen3Coder, text: "<function=note>\n<parameter=path>\na.go\n</path>\n<parameter=text>\n<path>x</path>\n</parameter>\n</function>",
		want: `{"path":"a.go","text":"<path>x</path>"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.WrongCloser}},
	{name: "name as a tag in the value", syntax: Qwen3Coder, text: "<function=note>\n<parameter=title>\n<title>x</title>\n</parameter>\n</function>", want: `{"title":"<title>x</title>"}`},
	{name: "closed twice", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\na\n</parameter>\n</parameter>\n</function>",
		want: `{"text":"a\n</parameter>"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.MarkerInValue}, other: `{"text":"a"}`},
	{name: "text after the closer, and then none", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\na\n</parameter>\nb\n</function>",
		want: `{"text":"a\n</parameter>\nb"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.MarkerInValue, diag.WrongCloser}, other: `{"text":"a"}`},
	{name: "call in the value", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\n<function=ping>\n<parameter=q>\nx\n</parameter>\n</function>\nend\n</parameter>\n</function>",
		want: `{"text":"<function=ping>\n<parameter=q>\nx"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.MarkerInValue}, after: "\nend\n</parameter>\n</function>"},
	{name: "whole call in the value", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\n<function=ping></function> works\n</parameter>\n</function>",
		want: `{"text":"<function=ping></function> works"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MarkerInValue}},
	{name: "call closer missing", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\na\n</parameter>\n</tool_call>",
		want: `{"text":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MissingCloser}, after: "\n</tool_call>"},
	{name: "call closer missing before the next call", syntax: OpenHands, text: "<function=note>\n<parameter=text>\na\n</parameter>\n<function=ping>",
		want: `{"text":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MissingCloser}, after: "\n<function=ping>"},
	{name: "last mark cut by a stop sequence", syntax: OpenHands, text: "<function=note>\n<parameter=text>a</parameter>\n</function",
		want: `{"text":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MissingCloser}},
	{name: "end of a tag missing", syntax: OpenHands, text: "<function=ping</function>", want: `{}`, as: "ping", status: chat.StatusRepaired, codes: []diag.Code{diag.MissingCloser}},
	{name: "equals sign for the end of a tag", syntax: OpenHands, text: "<function=note>\n<parameter=path=a.go</parameter>\n</function>",
		want: `{"path":"a.go"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MissingCloser}},
	{name: "end of a line for the end of a tag", syntax: OpenHands, text: "<function=note>\n<parameter=path\na.go\n</parameter>\n</function>",
		want: `{"path":"a.go"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MissingCloser}},
	{name: "quoted names", syntax: Qwen3Coder, text: "<function=\"note\"><parameter='text'>a</parameter></function>",
		want: `{"text":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.NameNoise, diag.NameNoise}},
	{name: "names with blanks", syntax: Qwen3Coder, text: "<function=take note><parameter=the text>a</parameter></function>", want: `{"the text":"a"}`, as: "take note"},
	{name: "namespace", syntax: Qwen3Coder, text: "<function=functions.ping></function>", want: `{}`, as: "ping", status: chat.StatusRepaired, codes: []diag.Code{diag.NameNoise}},
	{name: "name for a namespace", syntax: ATEM, text: "<atem:invoke name=\"ping.ping\">\n</atem:invoke>", want: `{}`, as: "ping"},
	{name: "name for a namespace, where none is written", syntax: Qwen3Coder, text: "<function=ping.ping></function>", want: `{}`, as: "ping", status: chat.StatusRepaired, codes: []diag.Code{diag.NameNoise}},
	{name: "name for a namespace of a tool that is not known", syntax: ATEM, text: "<atem:invoke name=\"pong.pong\">\n</atem:invoke>", want: `{}`, as: "pong.pong"},
	{name: "name for a namespace, blind", syntax: ATEM, text: "<atem:invoke name=\"ping.ping\">\n</atem:invoke>", want: `{}`, as: "ping.ping", blind: true},
	{name: "no namespace", syntax: Qwen3Coder, text: "<function=tools.own></function>", want: `{}`, as: "tools.own"},
	{name: "parameter twice", syntax: Qwen3Coder, text: "<function=note><parameter=text>a</parameter><parameter=text>b</parameter></function>", status: chat.StatusInvalid, codes: []diag.Code{diag.DuplicateKey}},
	{name: "text instead of arguments", syntax: Qwen3Coder, text: "<function=note>\nhello\n</function>", status: chat.StatusInvalid, codes: []diag.Code{diag.NotACall}},
	{name: "closer of nothing", syntax: Qwen3Coder, text: "<function=note>\n</parameter>\n</function>", want: `{}`},
	{name: "cut in the value", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\nhalf", status: chat.StatusTruncated, codes: []diag.Code{diag.TruncatedCall}},
	{name: "cut after the value", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\nx\n</parameter>", want: `{"text":"x"}`, status: chat.StatusTruncated, codes: []diag.Code{diag.TruncatedCall}},
	{name: "cut in the last mark", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\nx\n</parameter>\n</func", want: `{"text":"x"}`, status: chat.StatusTruncated, codes: []diag.Code{diag.TruncatedCall}},
	{name: "cut in the mark of the last value", syntax: GLM45, text: "<tool_call>note\n<arg_key>text</arg_key>\n<arg_value>x</arg_value></tool_", want: `{"text":"x"}`, status: chat.StatusTruncated, codes: []diag.Code{diag.TruncatedCall}},
	{name: "cut in the second parameter", syntax: Qwen3Coder, text: "<function=note>\n<parameter=text>\nx\n</parameter>\n<parameter=tit", status: chat.StatusTruncated, codes: []diag.Code{diag.TruncatedCall}},
	{name: "cut before the parameters", syntax: Qwen3Coder, text: "<function=note>\n", status: chat.StatusTruncated, codes: []diag.Code{diag.TruncatedCall}},
	{name: "cut, and a parameter twice", syntax: Qwen3Coder, text: "<function=note><parameter=text>a</parameter><parameter=text>b</parameter>", status: chat.StatusTruncated, codes: []diag.Code{diag.TruncatedCall, diag.DuplicateKey}},
	{name: "bytes that are no text", syntax: Qwen3Coder, text: "<function=note><parameter=text>\xff</parameter></function>", status: chat.StatusInvalid, codes: []diag.Code{diag.InvalidUTF8}},

	{name: "types", syntax: Qwen3Coder, text: "<function=note><parameter=count>12345678901234567890</parameter><parameter=ratio>1.50</parameter><parameter=draft>true</parameter>" +
		"<parameter=none>null</parameter><parameter=tags>[\"a\", \"b\"]</parameter><parameter=meta>{\"z\": 1, \"a\": 2.0}</parameter></function>",
		want: `{"count":12345678901234567890,"ratio":1.50,"draft":true,"none":null,"tags":["a","b"],"meta":{"z":1,"a":2.0}}`},
	{name: "text stays text", syntax: Qwen3Coder, text: "<function=note><parameter=text>12</parameter><parameter=title>{\"a\": 1}</parameter><parameter=path>null</parameter></function>",
		want: `{"text":"12","title":"{\"a\": 1}","path":"null"}`},
	{name: "literals of Python", syntax: Qwen3Coder, text: "<function=note><parameter=draft>True</parameter><parameter=tags>['a', 'b']</parameter></function>",
		want: `{"draft":true,"tags":["a","b"]}`, status: chat.StatusRepaired, codes: []diag.Code{diag.PythonLiteral, diag.QuoteCharacter, diag.QuoteCharacter}},
	{name: "what does not parse is text", syntax: Qwen3Coder, text: "<function=note><parameter=count>three</parameter><parameter=meta>{\"a\": }</parameter><parameter=tags>a, b</parameter></function>",
		want: `{"count":"three","meta":"{\"a\": }","tags":"a, b"}`},
	{name: "wrong type is text", syntax: Qwen3Coder, text: "<function=note><parameter=count>[1]</parameter></function>", want: `{"count":"[1]"}`},
	{name: "text or something else", syntax: Qwen3Coder, text: "<function=note><parameter=maybe>null</parameter><parameter=code>007</parameter></function>", want: `{"maybe":null,"code":"007"}`},
	{name: "text or something else, the other way", syntax: Qwen3Coder, text: "<function=note><parameter=maybe>5</parameter><parameter=code>7</parameter></function>", want: `{"maybe":"5","code":7}`},
	{name: "escapes of a string without its quotes", syntax: GLM45, text: "<tool_call>note\n<arg_key>meta</arg_key>\n<arg_value>{\\\"by\\\": \\\"C:\\\\\\\\x\\\"}</arg_value>\n</tool_call>", want: `{"meta":{"by":"C:\\x"}}`, status: chat.StatusRepaired, codes: []diag.Code{diag.DoubleEncoded}},
	{name: "no blank in the tags", syntax: MiniCPM5, text: `<functionname="note"><paramĠname="text">a</param></function>`, want: `{"text":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.CallMember, diag.CallMember}},
	{name: "no types, the rule", syntax: MiniCPM5, text: `<function name="f"><param name="a">1</param><param name="b">[1]</param><param name="c">{}</param><param name="d">true</param></function>`, want: `{"a":"1","b":[1],"c":{},"d":"true"}`, as: "f", blind: true},
	{name: "no types, the tag says it", syntax: DSML, text: `<invoke name="f"><parameter name="a" string="false">1</parameter></invoke>`, want: `{"a":1}`, as: "f", blind: true, status: chat.StatusRepaired, codes: []diag.Code{diag.MissingOpener}},
	{name: "double encoded", syntax: Qwen3Coder, text: `<function=note><parameter=meta>"{\"by\": \"x\"}"</parameter></function>`, want: `{"meta":{"by":"x"}}`, status: chat.StatusRepaired, codes: []diag.Code{diag.DoubleEncoded}},
	{name: "key twice in a value", syntax: Qwen3Coder, text: `<function=note><parameter=meta>{"by": 1, "by": 2}</parameter></function>`, status: chat.StatusInvalid, codes: []diag.Code{diag.DuplicateKey}},
	{name: "no types", syntax: Qwen3Coder, text: "<function=f><parameter=a>1</parameter><parameter=b>[1]</parameter></function>", want: `{"a":"1","b":[1]}`, as: "f", blind: true},
	{name: "value of any type", syntax: GLM45, text: "<tool_call>note<arg_key>any</arg_key><arg_value>1e400</arg_value></tool_call>", want: `{"any":"1e400"}`},

	{name: "minimax", syntax: MinimaxM2, text: "<invoke name=\"note\">\n<parameter name=\"text\"> a\n</parameter>\n</invoke>\n</minimax:tool_call>", want: `{"text":" a\n"}`, after: "\n</minimax:tool_call>"},
	{name: "XML in the value", syntax: MinimaxM2, text: "<invoke name=\"note\"><parameter name=\"text\">\n<parameter name=\"x\">1</parameter>\n</parameter></invoke>",
		want: `{"text":"\n<parameter name=\"x\">1</parameter>\n"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MarkerInValue}},
	{name: "several in the value", syntax: MinimaxM2, text: "<invoke name=\"note\"><parameter name=\"text\">\n<parameter name=\"x\">1</parameter>\n<parameter name=\"y\"></parameter>\n</parameter></invoke>",
		want: `{"text":"\n<parameter name=\"x\">1</parameter>\n<parameter name=\"y\"></parameter>\n"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MarkerInValue}},
	{name: "several in the value, without the tools", syntax: MinimaxM2, text: "<invoke name=\"note\"><parameter name=\"text\">see <parameter name=\"x\">1</parameter>\n<parameter name=\"y\">2</parameter></invoke>", blind: true,
		want: `{"text":"see <parameter name=\"x\">1","y":"2"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.MarkerInValue}},
	{name: "text between parameters of a line", syntax: MinimaxM2, text: `<invoke name="note"><parameter name="text">a</parameter> and <parameter name="title">b</parameter></invoke>`,
		want: `{"text":"a</parameter> and <parameter name=\"title\">b"}`, other: `{"text":"a","title":"b"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.MarkerInValue}},
	{name: "attributes without quotes", syntax: MinimaxM2, text: "<invoke name=note><parameter name = 'text'>a</parameter></invoke>", want: `{"text":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.NameNoise}},
	{name: "quote missing", syntax: MinimaxM2, text: "<invoke name=\"note>\n<parameter name=text\">a</parameter></invoke>", want: `{"text":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.NameNoise, diag.NameNoise}},
	{name: "tag that closes itself", syntax: MinimaxM2, text: `<invoke name="ping" />`, want: `{}`, as: "ping"},

	{name: "DSML", syntax: DSML, text: `<｜DSML｜invoke name="note"><｜DSML｜parameter name="text" string="true">7</｜DSML｜parameter><｜DSML｜parameter name="any" string="false">7</｜DSML｜parameter></｜DSML｜invoke>`,
		want: `{"text":"7","any":7}`},
	{name: "DSML, broken JSON", syntax: DSML, text: `<｜DSML｜invoke name="note"><｜DSML｜parameter name="meta" string="false">{"a": }</｜DSML｜parameter></｜DSML｜invoke>`, want: `{"meta":"{\"a\": }"}`,
		status: chat.StatusRepaired, codes: []diag.Code{diag.CallMember}},
	{name: "DSML, text that should be a number", syntax: DSML, text: `<｜DSML｜invoke name="note"><｜DSML｜parameter name="count" string="true"> 7 </｜DSML｜parameter></｜DSML｜invoke>`, want: `{"count":7}`,
		status: chat.StatusRepaired, codes: []diag.Code{diag.CallMember}},
	{name: "DSML, text that is no number", syntax: DSML, text: `<｜DSML｜invoke name="note"><｜DSML｜parameter name="count" string="true">seven</｜DSML｜parameter></｜DSML｜invoke>`, want: `{"count":"seven"}`},
	{name: "DSML, number that should be text", syntax: DSML, text: `<｜DSML｜invoke name="note"><｜DSML｜parameter name="text" string="false">7</｜DSML｜parameter></｜DSML｜invoke>`, want: `{"text":"7"}`,
		status: chat.StatusRepaired, codes: []diag.Code{diag.CallMember}},
	{name: "DSML, string of JSON", syntax: DSML, text: `<｜DSML｜invoke name="note"><｜DSML｜parameter name="text" string="false">"a\n"</｜DSML｜parameter></｜DSML｜invoke>`, want: `{"text":"a\n"}`},
	{name: "DSML, double encoded", syntax: DSML, text: `<｜DSML｜invoke name="note"><｜DSML｜parameter name="meta" string="false">"{\"by\": \"x\"}"</｜DSML｜parameter></｜DSML｜invoke>`, want: `{"meta":{"by":"x"}}`,
		status: chat.StatusRepaired, codes: []diag.Code{diag.DoubleEncoded}},
	{name: "DSML, JSON of another type", syntax: DSML, text: `<｜DSML｜invoke name="note"><｜DSML｜parameter name="count" string="false">[7]</｜DSML｜parameter></｜DSML｜invoke>`, want: `{"count":[7]}`},
	{name: "DSML, attribute missing", syntax: DSML, text: `<｜DSML｜invoke name="note"><｜DSML｜parameter name="count">7</｜DSML｜parameter></｜DSML｜invoke>`, want: `{"count":7}`,
		status: chat.StatusRepaired, codes: []diag.Code{diag.CallMember}},
	{name: "DSML, object", syntax: DSML, text: `<｜DSML｜invoke name="note">{"text": "</｜DSML｜invoke>", "count": 1}</｜DSML｜invoke>`, want: `{"text":"</｜DSML｜invoke>","count":1}`},
	{name: "DSML, broken object", syntax: DSML, text: `<｜DSML｜invoke name="note">{"text": x y}</｜DSML｜invoke>`, status: chat.StatusInvalid, codes: []diag.Code{diag.NotALiteral}},
	{name: "DSML, object with a key twice", syntax: DSML, text: `<｜DSML｜invoke name="note">{"text": "a", "text": "b"}</｜DSML｜invoke>`, status: chat.StatusInvalid, codes: []diag.Code{diag.DuplicateKey}},
	{name: "DSML without its token", syntax: DSML, text: `<invoke name="note"><parameter name="text" string="true">a</parameter></invoke>`, want: `{"text":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MissingOpener}},
	{name: "DSML, marks without the token in a value", syntax: DSML, text: `<｜DSML｜invoke name="note"><｜DSML｜parameter name="text" string="true"><a></parameter></invoke></｜DSML｜parameter></｜DSML｜invoke>`,
		want: `{"text":"<a></parameter></invoke>"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MarkerInValue}},
	{name: "DSML, closed without the token", syntax: DSML, text: `<｜DSML｜invoke name="note"><｜DSML｜parameter name="text" string="true">a</parameter><｜DSML｜parameter name="title" string="true">b</｜DSML｜parameter></｜DSML｜invoke>`,
		want: `{"text":"a","title":"b"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.WrongCloser}},

	{name: "ATEM, token in a name", syntax: ATEM, text: "<atem:invoke name=\"no<|message|>te\"><atem:parameter name=\"text\">a<|eot|>b</atem:parameter></atem:invoke>",
		want: `{"text":"a<|eot|>b"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MarkupInName, diag.MarkerInValue}},
	{name: "ATEM, token and no quote", syntax: ATEM, text: "<atem:invoke name=\"note<|message|><atem:parameter name=\"text\">a</atem:parameter>\n</atem:invoke>",
		want: `{"text":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MarkupInName}},
	{name: "Step3", syntax: Step3, text: `<steptml:invoke name="note"><steptml:parameter name="text">a</steptml:parameter></steptml:invoke>`, want: `{"text":"a"}`},
	{name: "Step3 without closer", syntax: Step3, text: `<steptml:invoke name="note"><steptml:parameter name="text">a</steptml:parameter><｜tool_call_end｜>`,
		want: `{"text":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MissingCloser}, after: "<｜tool_call_end｜>"},

	{name: "XML", syntax: MiniCPM5, text: `<function name="note"><param name="text">a &lt; &#98; & c</param><param name="title"><![CDATA[</param></function>]]></param></function>`, want: `{"text":"a < b & c","title":"</param></function>"}`},
	{name: "XTML", syntax: KimiK3, text: `<|open|>call tool="no&amp;te" index="1"<|sep|><|open|>argument key="a" type="string"<|sep|>1<|close|>argument<|sep|><|open|>argument key="b" type="number"<|sep|>1<|close|>argument<|sep|><|close|>call<|sep|>`,
		want: `{"a":"1","b":1}`, as: "no&te"},
	{name: "BFCL", syntax: BFCL, text: `<function name="note"><params><param name="count" value="3" type="integer"/><param name="text" type="string">a</param></params></function>`, want: `{"count":3,"text":"a"}`},
	{name: "BFCL, closed by the tag around", syntax: BFCL, text: `<function name="note"><params><param name="text">a</params></function>`, want: `{"text":"a"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.WrongCloser}},
	{name: "Command", syntax: CommandXML, text: cofl + `<cofl:value name="text" type="raw">a &lt;b&gt; &amp; c</cofl:value><cofl:value name="count" type="json">7</cofl:value></cofl:tool_call>`,
		want: `{"text":"a <b> & c","count":7}`},
	{name: "Command, older", syntax: CommandXML, text: cofl + `<cofl:tool_param name="text" string="true">7</cofl:tool_param><cofl:tool_param name="tags" string="false">["a"]</cofl:tool_param></cofl:tool_call>`,
		want: `{"text":"7","tags":["a"]}`},
	{name: "Command, values in values", syntax: CommandXML, text: cofl + `<cofl:value name="meta" type="dict">` + "\n" + `<cofl:value name="by" type="raw">A &amp; B</cofl:value>` + "\n" + `<cofl:value name="empty" type="dict"></cofl:value><cofl:value name="at" type="list">` +
		`<cofl:value type="json">1</cofl:value><cofl:value type="list"/><cofl:value type="dict"><cofl:value name="x" type="json">"y"</cofl:value></cofl:value></cofl:value></cofl:value></cofl:tool_call>`,
		want: `{"meta":{"by":"A & B","empty":{},"at":[1,[],{"x":"y"}]}}`},
	{name: "Command, wrong form", syntax: CommandXML, text: cofl + `<cofl:value name="count" type="raw">7</cofl:value><cofl:value name="text">a</cofl:value><cofl:value name="tags" type="json">a</cofl:value></cofl:tool_call>`,
		want: `{"count":7,"text":"a","tags":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.CallMember, diag.CallMember, diag.CallMember}},
	{name: "Command, name in a list", syntax: CommandXML, text: cofl + `<cofl:value name="tags" type="list"><cofl:value name="0" type="raw">a</cofl:value></cofl:value></cofl:tool_call>`,
		want: `{"tags":["a"]}`, status: chat.StatusRepaired, codes: []diag.Code{diag.CallMember}},
	{name: "Command, no name", syntax: CommandXML, text: cofl + `<cofl:value name="meta" type="dict"><cofl:value type="raw">a</cofl:value></cofl:value></cofl:tool_call>`, status: chat.StatusInvalid, codes: []diag.Code{diag.CallMember}},
	{name: "Command, name twice", syntax: CommandXML, text: cofl + `<cofl:value name="meta" type="dict"><cofl:value name="a" type="raw">a</cofl:value><cofl:value name="a" type="raw">b</cofl:value></cofl:value></cofl:tool_call>`,
		status: chat.StatusInvalid, codes: []diag.Code{diag.DuplicateKey}},
	{name: "Command, text in a list", syntax: CommandXML, text: cofl + `<cofl:value name="tags" type="list">a</cofl:value></cofl:tool_call>`, status: chat.StatusInvalid, codes: []diag.Code{diag.NotACall}},
	{name: "Command, closer missing", syntax: CommandXML, text: cofl + `<cofl:value name="tags" type="list"><cofl:value type="raw">a</cofl:value></cofl:tool_call>`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.WrongCloser}, want: `{"tags":["a"]}`},
	{name: "Command, leaf not closed", syntax: CommandXML, text: cofl + `<cofl:value name="tags" type="list"><cofl:value type="raw">a</cofl:tool_call>`, status: chat.StatusInvalid, codes: []diag.Code{diag.MissingCloser, diag.WrongCloser}},

	{name: "elements", syntax: MinimaxM3, text: m3 + `<invoke name="note">` + m3 + `<text><b>1</b>` + m3 + `</text>` + m3 + `<meta>` + m3 + `<by>A &amp; B` + m3 + `</by>` + m3 + `<year>7` + m3 + `</year>` + m3 + `<empty>` + m3 + `</empty>` + m3 + `</meta>` +
		m3 + `<sizes>` + m3 + `<item>1` + m3 + `</item>` + m3 + `<item>2` + m3 + `</item>` + m3 + `</sizes>` + m3 + `</invoke>`,
		want: `{"text":"<b>1</b>","meta":{"by":"A & B","year":7,"empty":{}},"sizes":[1,2]}`},
	{name: "elements without the token", syntax: MinimaxM3, text: `<invoke name="note"><tags>a</tags><tags>b</tags><any><x><item>1</item></x></any></invoke>`,
		want: `{"tags":["a","b"],"any":{"x":[1]}}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MissingOpener}},
	{name: "elements, end of a tag missing", syntax: MinimaxM3, text: m3 + `<invoke name="note` + m3 + `<text>a` + m3 + `</text>` + m3 + `</invoke>`,
		want: `{"text":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MissingCloser, diag.NameNoise}},
	{name: "same element inside", syntax: MinimaxM3, text: m3 + `<invoke name="f">` + m3 + `<a>` + m3 + `<a>1` + m3 + `</a>` + m3 + `<a>2` + m3 + `</a>` + m3 + `</a>` + m3 + `</invoke>`, want: `{"a":{"a":[1,2]}}`, as: "f"},

	{name: "GLM", syntax: GLM45, text: "<tool_call>note\n<arg_key>text</arg_key>\n<arg_value> a </arg_value>\n<arg_key>count</arg_key>\n<arg_value>1</arg_value>\n</tool_call>", want: `{"text":" a ","count":1}`},
	{name: "GLM, compact", syntax: GLM47, text: "<tool_call>ping</tool_call><tool_call>", want: `{}`, as: "ping", after: "<tool_call>"},
	{name: "GLM, line ends as two characters", syntax: GLM45, text: `<tool_call>note\n<arg_key>text</arg_key>\n<arg_value>a\n</arg_value>\n</tool_call>`, want: `{"text":"a\\n"}`},
	{name: "GLM, closer missing", syntax: GLM45, text: "<tool_call>note<arg_key>path</arg_key><arg_value>a<arg_key>text</arg_key><arg_value>b</tool_call>",
		want: `{"path":"a","text":"b"}`, status: chat.StatusAmbiguous, codes: []diag.Code{diag.WrongCloser, diag.WrongCloser}},
	{name: "GLM, opener missing", syntax: GLM45, text: "<tool_call>note\n<arg_key>path</arg_key>\na\n</arg_value>\n</tool_call>", want: `{"path":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.MissingOpener}},
	{name: "GLM, closer of the key missing", syntax: GLM45, text: "<tool_call>note\n<arg_key>path\n<arg_value>a</arg_value></tool_call>", want: `{"path":"a"}`, status: chat.StatusRepaired, codes: []diag.Code{diag.WrongCloser}},
	{name: "GLM, value missing", syntax: GLM45, text: "<tool_call>note\n<arg_key>path</arg_key>\n<arg_key>text</arg_key><arg_value>a</arg_value></tool_call>", status: chat.StatusInvalid, codes: []diag.Code{diag.CallMember}},
	{name: "GLM, closer in the value", syntax: GLM45, text: "<tool_call>note<arg_key>text</arg_key><arg_value>a </arg_value> b </tool_call> c</arg_value></tool_call>", want: `{"text":"a </arg_value> b </tool_call> c"}`,
		status: chat.StatusRepaired, codes: []diag.Code{diag.MarkerInValue}},
	{name: "Hunyuan", syntax: HunyuanV3, text: "<tool_call>note<tool_sep>\n<arg_key>text</arg_key><arg_value>a</arg_value>\n</tool_call>\n</tool_calls>", want: `{"text":"a"}`, after: "\n</tool_calls>"},
	{name: "Laguna, object", syntax: Laguna, text: "<tool_call>note\n{\"text\": \"</tool_call>\"}\n</tool_call>", want: `{"text":"</tool_call>"}`},
	{name: "Longcat", syntax: LongcatXML, text: "<longcat_tool_call>note\n<longcat_arg_key>text</longcat_arg_key>\n<longcat_arg_value>a</longcat_arg_value>\n</longcat_tool_call>", want: `{"text":"a"}`},
}

func TestNone(t *testing.T) {
	for _, s := range []sample{
		{syntax: Qwen3Coder, text: "  hello"},
		{syntax: Qwen3Coder, text: " <functions>"},
		{syntax: Qwen3Coder, text: "<function=></function>"},
		{syntax: Qwen3Coder, text: "</tool_call>"},
		{syntax: GLM45, text: "<tool_call></tool_call>"},
		{syntax: GLM45, text: `<tool_call>{"name": "f"}</tool_call>`},
		{syntax: GLM45, text: "<tool_call> \n "},
		{syntax: MinimaxM2, text: `<invoke id="x">`},
	} {
		r := read(&s)
		if call, ok := r.Call(); ok || r.End() != 0 || len(r.Findings()) > 0 {
			t.Errorf("%q: %v %d %v", s.text, call, r.End(), r.Findings())
		}
	}
}

// TestFixes checks that applying the fixes of a repaired call keeps its name and
// arguments.
func TestFixes(t *testing.T) {
	for _, s := range samples {
		r := read(&s)
		if call, _ := r.Call(); call.Status != chat.StatusRepaired {
			continue
		}
		var edits []diag.Edit
		for _, f := range r.Findings() {
			for _, fix := range f.Fixes {
				edits = append(edits, fix.Edits...)
			}
		}
		slices.SortStableFunc(edits, func(a, b diag.Edit) int { return cmp.Compare(b.Start, a.Start) })
		text := s.text
		for _, e := range edits {
			text = text[:e.Start] + e.New + text[e.End:]
		}
		again := s
		again.text = text
		before, _ := r.Call()
		if after, _ := read(&again).Call(); string(after.Arguments) != string(before.Arguments) || after.Name != before.Name {
			t.Errorf("%s: %q\n%s\n%s", s.name, text, before.Arguments, after.Arguments)
		}
	}
}
