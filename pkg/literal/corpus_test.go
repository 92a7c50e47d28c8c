package literal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/chat"
)

// A corpusRow is a case of a shared collection of what models wrote and what
// other parsers make of it.
type corpusRow struct {
	ID      string
	Dialect string
	Input   string
	Calls   []corpusCall `json:"expected_calls"`
}

type corpusCall struct {
	Name       string
	Arguments  json.RawMessage
	Positional []json.RawMessage
}

// corpus returns the rows of some dialects that hold calls, and skips the test
// where the collection is missing.
func corpus(t *testing.T, files []string, dialects ...string) []corpusRow {
	shared := os.Getenv("ONESHOT_SHARED")
	if shared == "" {
		t.Skip("ONESHOT_SHARED names no folder, so nothing is compared with other parsers")
	}
	var rows []corpusRow
	for _, name := range files {
		file, err := os.Open(filepath.Join(shared, "corpus", name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var row corpusRow
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			if slices.Contains(dialects, row.Dialect) {
				rows = append(rows, row)
			}
		}
	}
	if len(rows) == 0 {
		t.Fatal("no rows")
	}
	return rows
}

// between returns the parts of a text between two marks; the last one need not be
// closed. Without an opening mark it is the whole text.
func between(text, open, shut string) []string {
	_, rest, found := strings.Cut(text, open)
	if !found {
		whole, _, _ := strings.Cut(text, shut)
		return []string{whole}
	}
	var parts []string
	for found {
		var part string
		part, rest, _ = strings.Cut(rest, shut)
		parts = append(parts, part)
		_, rest, found = strings.Cut(rest, open)
	}
	return parts
}

// pythonDifferences are the rows that are read differently on purpose.
var pythonDifferences = map[string]string{
	lfm2Row + "#14":                     "\\' in a string of Python is a quote",
	lfm2Row + "#21":                     "\\n in a string of Python is a line end",
	"bfcl:multi_turn_long_context_52:2": mixture,
	"bfcl:multi_turn_miss_func_52:3":    mixture,
	"bfcl:multi_turn_miss_param_53:4":   mixture,
}

const (
	lfm2Row = "ollama:lfm2_test:parsers.TestLFM2Parser_parseToolCallsContent.func1:L1088:LFM2Parser.parseToolCallsContent"
	mixture = "which parameters the arguments without names are for is not known here"
)

func TestPythonCorpus(t *testing.T) {
	frames := map[string][2]string{
		"pythonic": {"<|python_start|>", "<|python_end|>"}, "llama4_pythonic": {"<|python_start|>", "<|python_end|>"},
		"olmo3": {"<function_calls>", "</function_calls>"}, "olmo3#inner": {"<function_calls>", "</function_calls>"},
		"lfm2": {"<|tool_call_start|>", "<|tool_call_end|>"}, "lfm2#inner": {"<|tool_call_start|>", "<|tool_call_end|>"},
	}
	dialects := []string{"pythonic", "llama4_pythonic", "olmo3", "olmo3#inner", "lfm2", "lfm2#inner"}
	files := []string{"vllm.jsonl", "ollama.jsonl", "bfcl_pythonic.jsonl", "mlx_lm.jsonl"}
	read := 0
	for _, row := range corpus(t, files, dialects...) {
		if len(row.Calls) == 0 && !strings.HasSuffix(row.Dialect, "#inner") {
			continue // it is about what stands around calls
		}
		var calls []chat.Call
		frame := frames[row.Dialect]
		for _, part := range between(row.Input, frame[0], frame[1]) {
			pythonList(part, len(part), Options{JSONWords: true}, func(s *Scanner, _ State) {
				if call, ok := s.Call(); ok && call.Executable {
					calls = append(calls, call)
				}
			})
		}
		read++
		compareCalls(t, row, calls, pythonDifferences)
	}
	t.Logf("%d rows", read)
}

// compareCalls compares calls with those of a row, unless they are known to differ.
func compareCalls(t *testing.T, row corpusRow, calls []chat.Call, differences map[string]string) {
	t.Helper()
	same := len(calls) == len(row.Calls)
	for i := 0; same && i < len(calls); i++ {
		same = sameCall(row.Calls[i], calls[i])
	}
	_, known := differences[row.ID]
	switch {
	case same && known:
		t.Errorf("%s is read as expected, and listed as different", row.ID)
	case !same && !known:
		var got, want []string
		for _, c := range calls {
			got = append(got, c.Name+string(c.Arguments))
		}
		for _, c := range row.Calls {
			want = append(want, c.Name+string(c.Arguments))
		}
		t.Errorf("%s: %q\n\tis read as %q\n\twant %q", row.ID, row.Input, got, want)
	}
}

func sameCall(want corpusCall, got chat.Call) bool {
	if want.Name != got.Name {
		return false
	}
	if got.Positional && len(want.Positional) > 0 {
		list, _ := json.Marshal(want.Positional)
		return sameJSON(list, got.Arguments)
	}
	if got.Positional && string(got.Arguments) == "[]" {
		return sameJSON(want.Arguments, []byte("{}"))
	}
	return sameJSON(want.Arguments, got.Arguments) && len(want.Positional) == 0
}

// sameJSON compares two values; the order of keys does not matter, and numbers
// are equal if their values are.
func sameJSON(a, b []byte) bool { return sameValue(decoded(a), decoded(b)) }

func decoded(text []byte) any {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return string(text)
	}
	return v
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		n, ok := b.(json.Number)
		x, _ := new(big.Float).SetString(string(a))
		y, _ := new(big.Float).SetString(string(n))
		return ok && x.Cmp(y) == 0
	case []any:
		list, ok := b.([]any)
		ok = ok && len(list) == len(a)
		for i := 0; ok && i < len(a); i++ {
			ok = sameValue(a[i], list[i])
		}
		return ok
	case map[string]any:
		object, ok := b.(map[string]any)
		ok = ok && len(object) == len(a)
		for key, value := range a {
			other, has := object[key]
			ok = ok && has && sameValue(value, other)
		}
		return ok
	}
	return a == b
}

// quotedDifferences are the rows that are read differently on purpose.
var quotedDifferences = map[string]string{
	"ollama:gemma4_test:parsers.TestParseGemma4ToolCall_RepairsIssue15315Examples.func1:L1394:parseGemma4ToolCall":             "the text ends inside the call",
	"ollama:gemma4_test:parsers.TestParseGemma4ToolCall_DoesNotRepairNonTerminalUnclosedGemmaString:L1477:parseGemma4ToolCall": "only one place of the missing mark gives a call; the value counts as changed",
	"xinference:test_gemma_tool_parser::test_empty_and_repeated_arguments:4":                                                   "which of two values of a key was meant is unknown",
	"xinference:test_gemma_tool_parser::test_unterminated_string_is_reported_as_text:5":                                        "only the closing mark is missing; the value counts as changed",
	"mlx_lm:test_gemma4:30": "braces between marks are text",
}

func TestQuotedCorpus(t *testing.T) {
	marks := map[string][3]string{
		"gemma4":              {`<|"|>`, "<|tool_call>", "<tool_call|>"},
		"gemma4#inner":        {`<|"|>`, "<|tool_call>", "<tool_call|>"},
		"functiongemma":       {"<escape>", "<start_function_call>", "<end_function_call>"},
		"functiongemma#inner": {"<escape>", "<start_function_call>", "<end_function_call>"},
	}
	read := 0
	for _, row := range corpus(t, []string{"ollama.jsonl", "vllm.jsonl", "xinference.jsonl", "mlx_lm.jsonl"},
		"gemma4", "gemma4#inner", "functiongemma", "functiongemma#inner") {
		m := marks[row.Dialect]
		text := row.Input
		if strings.HasSuffix(row.Dialect, "#inner") {
			text = m[1] + text + m[2]
		}
		if !strings.Contains(text, m[1]) {
			continue
		}
		read++
		compareCalls(t, row, quotedCalls(text, m), quotedDifferences)
	}
	t.Logf("%d rows", read)
}

// quotedCalls reads call:name{…} between marks.
func quotedCalls(text string, marks [3]string) (calls []chat.Call) {
	for {
		_, rest, found := strings.Cut(text, marks[1])
		if !found {
			return calls
		}
		for {
			body, isCall := strings.CutPrefix(rest, "call:")
			brace := strings.IndexByte(body, '{')
			if !isCall || brace < 0 {
				break
			}
			s := NewQuoted(marks[0], Options{Stops: []string{marks[2]}})
			n, state := s.Write([]byte(body[brace:]))
			if state == More {
				state = s.Close()
			}
			if status := s.Status(); state == Done && (status == chat.StatusOK || status == chat.StatusRepaired) {
				calls = append(calls, chat.Call{Name: body[:brace], Arguments: s.Value()})
			}
			rest = s.Taken() + body[brace+n:]
		}
		text = rest
	}
}
