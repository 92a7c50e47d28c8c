package markup

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/internal/testsize"
)

// TestPlaces checks that LocateArguments returns the span of each value, also in nested
// tags.
func TestPlaces(t *testing.T) {
	tools := Toolset{"f": shapeOfSchema(json.RawMessage(`{"properties":{"list":{"type":"array"},"n":{"type":"integer"}}}`))}
	for _, tt := range []struct {
		name   string
		syntax *Syntax
		text   string
		args   string
		want   []string
	}{
		{
			"in the tag", Qwen3Coder, "<function=f><parameter=a>\nx\n\n</parameter>\n<parameter=n> 5</parameter></function>",
			`{"a":"x\n","n":5}`, []string{`/a a "x\n"`, `/n n " 5"`},
		},
		{
			"no closing mark", Qwen3Coder, "<function=f><parameter=a>x</parameter>",
			`{"a":"x"}`, []string{`/a a "x"`},
		},
		{
			"a value without one", Step3, `<steptml:invoke name="f"><steptml:parameter name="a">x`,
			`{"a":"x"}`, []string{`/a a "x"`},
		},
		{
			"pairs", GLM45, "<tool_call>f\n<arg_key> a/b </arg_key><arg_value>x</arg_value>\n<arg_key>b</arg_key>\n<arg_value></arg_value></tool_call>",
			`{"a/b":"x","b":""}`, []string{`/a~1b a/b "x"`, `/b b ""`},
		},
		{
			"the value in the tag", BFCL, `<function name="f"><param name="a" value="x &amp; y"/><param name="n">5</param></function>`,
			`{"a":"x & y","n":5}`, []string{`/a a "x &amp; y"`, `/n n "5"`},
		},
		{
			"elements", MinimaxM3, `<invoke name="f"><o><a>1</a><b/><a>2</a></o><list><item>x</item><item><c>y</c></item></list><p>1</p><p>2</p></invoke>`,
			`{"o":{"a":[1,2],"b":""},"list":["x",{"c":"y"}],"p":[1,2]}`, []string{
				`/o o "<a>1</a><b/><a>2</a>"`, `/o/a a "1</a><b/><a>2"`, `/o/a/0 a "1"`, `/o/b b ""`, `/o/a/1 a "2"`,
				`/list list "<item>x</item><item><c>y</c></item>"`, `/list/0 item "x"`, `/list/1 item "<c>y</c>"`, `/list/1/c c "y"`,
				`/p p "1</p><p>2"`, `/p/0 p "1"`, `/p/1 p "2"`,
			},
		},
		{
			"no elements after all", MinimaxM3, `<invoke name="f"><o><a>1</a> and</o></invoke>`,
			`{"o":"<a>1</a> and"}`, []string{`/o o "<a>1</a> and"`},
		},
		{
			"values in values", CommandXML, `<tool_call name="f"><value name="o" type="dict"><value name="a" type="list"><value type="raw">x</value><value type="json">[1]</value></value><value name="b" type="dict"/></value></tool_call>`,
			`{"o":{"a":["x",[1]],"b":{}}}`, []string{
				`/o o "<value name=\"a\" type=\"list\"><value type=\"raw\">x</value><value type=\"json\">[1]</value></value><value name=\"b\" type=\"dict\"/>"`,
				`/o/a a "<value type=\"raw\">x</value><value type=\"json\">[1]</value>"`, `/o/a/0  "x"`, `/o/a/1  "[1]"`, `/o/b b ""`,
			},
		},
		{"one object", DSML, `<invoke name="f">{"a":1}</invoke>`, `{"a":1}`, nil},
		{"a fault", Qwen3Coder, "<function=f><parameter=a>x</parameter><parameter=a>y</parameter></function>", ``, nil},
		{"another syntax", GLM45, "<function=f><parameter=a>x</parameter></function>", ``, nil},
		{"no tag", GLM45, `{"a":1}`, ``, nil},
		{"nothing", MinimaxM3, "", ``, nil},
	} {
		args, places := LocateArguments(tt.syntax, tt.text, tools)
		var got []string
		for _, p := range places {
			got = append(got, fmt.Sprintf("%s %s %q", p.Pointer, tt.text[p.Name.Start:p.Name.End], tt.text[p.Value.Start:p.Value.End]))
		}
		if d := cmp.Diff(tt.want, got); d != "" || string(args) != tt.args {
			t.Errorf("%s: %s (-want +got)\n%s", tt.name, args, d)
		}
	}
}

// TestPlacesAreLinear checks that the work is bounded for many values and for deeply
// nested ones.
func TestPlacesAreLinear(t *testing.T) {
	begin := time.Now()
	deep, long, count := 50, strings.Repeat("n", 100), testsize.Pick(200_000, 40_000)
	text := `<invoke name="f">` + strings.Repeat("<"+long+">", deep) + strings.Repeat("<a>1</a><b>2</b>", count/2) + strings.Repeat("</"+long+">", deep) + "</invoke>"
	args, places := LocateArguments(MinimaxM3, text, nil)
	if len(args) == 0 || len(places) == 0 || len(places) > deep {
		t.Errorf("%d bytes, %d places", len(args), len(places))
	}
	flat := `<invoke name="f">` + strings.Repeat("<a>1</a>", count) + "</invoke>"
	if _, places := LocateArguments(MinimaxM3, flat, nil); len(places) != count+1 {
		t.Errorf("%d places", len(places))
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}
