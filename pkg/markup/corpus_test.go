package markup

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/schema"
)

// dialects are the syntaxes of the dialects of the corpus.
var dialects = map[string]*Syntax{
	"qwen3_coder_xml": Qwen3Coder, "step3p5": Qwen3Coder, "seed_oss": SeedOSS, "openhands_xml": OpenHands,
	"minimax_m2": MinimaxM2, "minimax_m3": MinimaxM3, "deepseek_dsml_v32": DSML, "deepseek_dsml_v4": DSML,
	"glm4_moe": GLM45, "glm47_moe": GLM47, "laguna": Laguna, "muse_glimmer": ATEM, "longcat": LongcatXML,
}

// differences are the beginnings of the ids of cases that are read differently on
// purpose here, each with the reason.
var differences = map[string]string{
	"lmdeploy:test_glm47_parser::TestGlm47ResponseParserStreaming::test_stream_chunk_keeps_string_without_schema": untypedText,
	"ollama:glm47_test:parsers.TestGLM47ParserToolCallIndex":                                                      untypedText,

	"mlx_lm:test_parsers:2":                                                      otherGrammar,
	"mlx_lm:test_parsers:3":                                                      "a name and key=value words: no grammar of any model",
	"mlx_lm:test_parsers:9":                                                      otherGrammar,
	"mlx_lm:test_parsers:19":                                                     otherGrammar,
	"ollama:laguna_test:parsers.TestLagunaParserJSONToolCall":                    otherGrammar,
	"ollama:laguna_test:parsers.TestLagunaParserStandaloneJSON":                  otherGrammar,
	"ollama:laguna_test:parsers.TestLagunaParserStreamingStandaloneJSON":         otherGrammar,
	"ollama:laguna_test:parsers.TestLagunaParserNormalizesCommonToolAliases":     otherGrammar,
	"ollama:laguna_test:parsers.TestLagunaParserUserTaggedJSONToolCall":          otherGrammar,
	"mlx_lm:test_parsers:14":                                                     "the type is a string, so quotes are part of the text",
	"ollama:laguna_test:parsers.TestLagunaParserIgnoresDuplicatedNestedToolCall": "two calls are two calls; that they are equal is told elsewhere",
	"ollama:laguna_test:parsers.TestLagunaParserUserTaggedNonToolContent":        outside,

	"ollama:glimmer_test:parsers.TestGlimmerParserNamespacedSelfReference":                  outside,
	"ollama:glimmer_test:parsers.TestGlimmerParserRejectsMismatchedATEMInvoke":              outside,
	"ollama:glimmer_test:parsers.TestGlimmerParserContentThatResemblesToolCallStaysContent": outside,
	"ollama:glimmer_test:parsers.TestGlimmerParserUndeclaredRecipientRemainsContent":        outside,

	"ollama:glm46_test:parsers.TestGLM46ToolCallParsing.func1:L1051:parseGLM46ToolCall#14": "a parameter that is there twice is an error, and not the last of them",
	"ollama:glm46_test:parsers.TestGLM46ParserFinalizesCompleteToolCallOnDone":             "a call that is cut off is never executed, even if no argument is missing",
	"ollama:qwen3coder_test:parsers.TestQwenToolParser:L551:parseToolCall#2":               "quotes around a name are no part of it",
	"vllm:test_glm4_moe_tool_parser::test_extract_tool_calls_malformed_xml":                "an argument whose name is not closed is kept, and the repair reported",

	"xgrammar:test_additional_properties_schema[1]":         "the schema allows a name that begins with a digit",
	"xgrammar:test_minimax_additional_properties_schema[1]": "the schema allows a name that begins with a digit",
	"xgrammar:test_deepseek_string_schema":                  saysText,
	"xgrammar:test_deepseek_inner_object_schema":            saysText,
	"xgrammar:test_deepseek_numbers_schema":                 saysText,
}

const (
	untypedText  = "without a type a value is JSON where it is strictly valid, as the model's template writes it"
	otherGrammar = "JSON in the tag is another grammar, which is read elsewhere"
	outside      = "what stands around calls, and which tools there are, decides elsewhere"
	saysText     = "a value that the model marks as text is text, which does not fit the schema"
)

// different returns why a case is read differently, "" if it should not be.
func different(id string) string {
	for begin, why := range differences {
		if rest, ok := strings.CutPrefix(id, begin); ok && strings.TrimLeft(rest, "0123456789") == rest {
			return why
		}
	}
	return ""
}

// A row is a case of the corpus.
type row struct {
	ID      string `json:"id"`
	Dialect string `json:"dialect"`
	Input   string `json:"input"`
	Tools   []struct {
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Calls *[]struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"expected_calls"`
	Partial []struct {
		Name      string                     `json:"name"`
		Arguments map[string]json.RawMessage `json:"arguments_subset"`
	} `json:"expected_partial"`
	From     string          `json:"expected_from"`
	Error    string          `json:"expect_error"`
	Kind     string          `json:"kind"`
	Schema   json.RawMessage `json:"schema"`
	Accepted bool            `json:"accepted"`
}

// rows calls f with the rows of the corpus in the dialects of this package.
func rows(t *testing.T, f func(r row, s *Syntax)) {
	shared := os.Getenv("ONESHOT_SHARED")
	if shared == "" {
		t.Log("skipped: ONESHOT_SHARED is not set")
		return
	}
	files, err := filepath.Glob(filepath.Join(shared, "corpus", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal("there is no corpus", err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<26)
		for lines.Scan() {
			var r row
			dialect, _, _ := strings.Cut(dialectOf(lines.Bytes()), "#")
			if s := dialects[dialect]; s != nil && json.Unmarshal(lines.Bytes(), &r) == nil {
				f(r, s)
			}
		}
		file.Close()
	}
}

func dialectOf(line []byte) string {
	var of struct {
		Dialect string `json:"dialect"`
	}
	if json.Unmarshal(line, &of) != nil {
		return ""
	}
	return of.Dialect
}

func (r *row) toolset() Toolset {
	if r.Tools == nil {
		return nil
	}
	tools := Toolset{}
	for _, tool := range r.Tools {
		tools[tool.Function.Name] = ShapeOf(tool.Function.Parameters)
	}
	return tools
}

// text returns the input without reasoning, and with the tag that stands around
// it where the row has only what is inside.
func (r *row) text(s *Syntax) string {
	text := r.Input
	for _, closer := range []string{"</think>", "</seed:think>", "</mm:think>"} {
		if i := strings.LastIndex(text, closer); i >= 0 {
			text = text[i+len(closer):]
		}
	}
	if strings.HasSuffix(r.Dialect, "#inner") && s.Name == InText {
		text = "<" + s.Calls[0] + ">" + text + "</" + s.Calls[0] + ">"
	}
	return text
}

// calls reads all calls of a text that are not cut: each begins at the next
// opening word.
func calls(s *Syntax, text string, tools Toolset) []chat.Call {
	var all []chat.Call
	for at := 0; at < len(text); {
		i := nextOpening(s, text[at:])
		if i < 0 {
			break
		}
		at += i
		r := New(s, Options{Base: at, Tools: tools})
		if _, state := r.Write([]byte(text[at:])); state == More {
			r.Close()
		}
		if call, ok := r.Call(); ok {
			if call.Status != chat.StatusTruncated {
				all = append(all, call)
			}
			at = max(at+1, call.End)
		} else {
			at++
		}
	}
	return all
}

func nextOpening(s *Syntax, text string) int {
	m := machine{syntax: s, words: s.words(), text: []byte(text), whole: true}
	for {
		found, ok := m.nextMark()
		if !ok {
			return -1
		}
		if found.kind == callOpen {
			return found.start
		}
	}
}

func decode(t *testing.T, text json.RawMessage) any {
	t.Helper()
	if len(text) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

type plainCall struct {
	Name      string
	Arguments any
}

func TestCorpus(t *testing.T) {
	equal, other := map[string]int{}, map[string]int{}
	rows(t, func(r row, s *Syntax) {
		if r.Kind != "" {
			return
		}
		var want, got []plainCall
		read := calls(s, r.text(s), r.toolset())
		for _, call := range read {
			got = append(got, plainCall{call.Name, decode(t, call.Arguments)})
		}
		if r.Calls != nil {
			for _, call := range *r.Calls {
				want = append(want, plainCall{call.Name, decode(t, call.Arguments)})
			}
		}
		for i, call := range r.Partial {
			name, args := call.Name, map[string]any{}
			for key, value := range call.Arguments {
				args[key] = decode(t, value)
			}
			if name == "" && i < len(got) {
				name = got[i].Name
			}
			want = append(want, plainCall{name, args})
		}
		diff := cmp.Diff(want, got)
		switch {
		case diff == "":
			equal[r.Dialect]++
		case different(r.ID) != "":
			other[r.Dialect]++
		default:
			t.Errorf("%s %s %s error %q\n%q\n%s", r.ID, r.Dialect, r.From, r.Error, r.Input, diff)
		}
	})
	t.Log("equal", equal)
	t.Log("different", other)
}

// around returns parameters with the tags of a call around them.
func around(s *Syntax, parameters string) string {
	call := s.Prefix + s.Calls[0]
	switch s.Name {
	case InTag:
		return "<" + call + "=f>" + parameters + "</" + call + ">"
	case InText:
		return "<" + call + ">f" + parameters + "</" + call + ">"
	}
	return "<" + call + ` name="f">` + parameters + "</" + call + ">"
}

// TestAcceptance reads what a grammar made from a schema accepts or refuses: here
// a call is accepted if it is read without repair and fits the schema.
func TestAcceptance(t *testing.T) {
	equal, other := map[string]int{}, map[string]int{}
	rows(t, func(r row, s *Syntax) {
		if r.Kind != "schema-acceptance" {
			return
		}
		compiled, faults := schema.Compile("schema", r.Schema)
		if len(faults) > 0 {
			t.Fatal(r.ID, faults)
		}
		scanner := New(s, Options{Tools: Toolset{"f": ShapeOf(r.Schema)}})
		text := around(s, r.Input)
		n, _ := scanner.Write([]byte(text))
		call, _ := scanner.Call()
		accepted := n == len(text) && call.Status == chat.StatusOK && len(compiled.Check(call.Arguments)) == 0
		if accepted == r.Accepted {
			equal[r.Dialect]++
			return
		}
		if other[r.Dialect]++; different(r.ID) != "" {
			return
		}
		t.Errorf("%s %s accepted %v\n%q\n%s\n%s %s %v", r.ID, r.Dialect, r.Accepted, r.Input, r.Schema, call.Status, call.Arguments, compiled.Check(call.Arguments))
	})
	t.Log("equal", equal)
	t.Log("different", other)
}
