package lint

import (
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/diag"
	"oneshot/pkg/tool"
)

// exampleTools are the tools that the examples of the TC3 codes call.
const exampleTools = `name: search
description: Search.
signature: 'search(query: string, limit?: integer, sort?: "date" | "rank"): string'
examples: [{call: 'search("x")'}, {call: 'search("x", 5)'}, {call: 'search({query: "x", sort: "date"})'}]
effect: read
builtin: x
---
name: file_put
description: Write a file.
signature: "file_put(path: string, content: string): string"
examples: [{call: 'file_put("a", "b")'}, {call: 'file_put("a", "c")'}, {call: 'file_put("a", "")'}]
effect: write
builtin: x
---
name: wget
description: Fetch a page.
signature: "wget(uri: string, timeoutMs?: integer): string"
examples: [{call: 'wget("x")'}, {call: 'wget("x", 1)'}, {call: 'wget("y")'}]
effect: read
builtin: x
---
name: gmail_list
description: List messages.
parameters: {maxResults: {type: integer, maximum: 500, required: false}}
examples: [{call: 'gmail_list()'}, {call: 'gmail_list(1)'}, {call: 'gmail_list({maxResults: 2})'}]
effect: read
builtin: x
`

// C2: what --explain shows is true. The bad example of each code about calls
// raises it, and the good one does not.
func TestRuleExamples(t *testing.T) {
	defs, findings := tool.Parse("tools.yaml", []byte(exampleTools))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	tools, findings := tool.NewRegistry(defs...)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	tested := 0
	for _, rule := range diag.Rules {
		if !strings.HasPrefix(string(rule.Code), "TC") || strings.Contains(rule.Bad, " … ") {
			continue
		}
		tested++
		t.Run(string(rule.Code), func(t *testing.T) {
			var o Options
			if strings.HasPrefix(string(rule.Code), "TC3") {
				o.Tools = tools
			}
			if got := codes(rule.Bad, o); !slices.Contains(got, rule.Code) {
				t.Errorf("the bad example raises %v:\n%s", got, rule.Bad)
			}
			if got := codes(rule.Good, o); slices.Contains(got, rule.Code) {
				t.Errorf("the good example raises it, too:\n%s", rule.Good)
			}
		})
	}
	if tested < 40 {
		t.Errorf("only %d codes have examples", tested)
	}
}

// codes returns the codes that an example raises. One without a fence, JSON or
// marks is the inside of a fence.
func codes(example string, o Options) []diag.Code {
	if !strings.Contains("`<{", example[:1]) && !strings.Contains(example, `{"tool`) && !strings.Contains(example, "</tool_call>") {
		example = fenced(example)
	}
	var out []diag.Code
	for _, f := range Response("x", []byte(example), o).Findings {
		out = append(out, f.Code)
	}
	return out
}
