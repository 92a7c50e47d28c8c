package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A row is one case: a text, and the result of another parser. Members for
// which null and absent differ are raw: nil only if absent.
type row struct {
	ID      string `json:"id"`
	Dialect string `json:"dialect"` // the label of the corpus
	Parser  string `json:"parser"`  // the tested parser, if one dialect has several
	Mode    string `json:"mode"`    // whole, or in pieces
	Kind    string `json:"kind"`    // subject of the test, if not the reading of calls
	Input   string `json:"input"`
	Framing string `json:"framing"`

	Chunks []string  `json:"chunks"`
	Tools  []toolDef `json:"tools"`

	Think    *bool    `json:"think"`    // whether the request switched reasoning on
	Prefill  *prefill `json:"prefill"`  // the message that the text continues
	ToolTag  string   `json:"tool_tag"` // text of the model's template before calls
	Options  options  `json:"options"`
	Response response `json:"response"` // the message around the text
	Schema   json.RawMessage
	Accepted *bool           `json:"accepted"`
	Args     json.RawMessage `json:"args"` // of the tested function

	Content   json.RawMessage `json:"expected_content"`
	Reasoning json.RawMessage `json:"expected_reasoning"`
	Calls     []expectedCall  `json:"expected_calls"`
	Partial   []expectedCall  `json:"expected_partial"`
	JSON      *string         `json:"expected_json"`
	Value     json.RawMessage `json:"expected_value"`
	Open      bool            `json:"not_flushed"` // the end of the text was not passed to the parser
	Error     json.RawMessage `json:"expect_error"`
	From      string          `json:"expected_from"`

	source string // the name of the file, without ".jsonl"
}

// A prefill is a message for the model to continue.
type prefill struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// hasPrefill reports whether the text continues a prefilled message.
func (r *row) hasPrefill() bool {
	return r.Prefill != nil && r.Prefill.Role == "assistant" && r.Prefill.Content != ""
}

// isReasoningOn reports whether the request switched reasoning on.
func (r *row) isReasoningOn() bool { return r.Think != nil && *r.Think }

// isReasoningOff reports whether the request switched reasoning off.
func (r *row) isReasoningOff() bool { return r.Think != nil && !*r.Think }

// options are the arguments of the tested function that affect its result.
type options struct {
	ReasoningEnds *bool `json:"is_reasoning_end"`
}

// A response is a message of a protocol with native calls.
type response struct {
	Message string `json:"message"`
	Calls   []struct {
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// An expectedCall is an expected call. Arguments is a value, or a string with
// text that the reference could not parse; Subset replaces it if only a part of
// the object is known.
type expectedCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"` // "" in a row of parts: not known
	Arguments json.RawMessage `json:"arguments"`
	Subset    json.RawMessage `json:"arguments_subset"`
	// Positional are the arguments without a name, which precede the others.
	Positional []json.RawMessage `json:"positional"`
	Custom     bool              `json:"custom"` // the tool takes a text: Arguments

	sent bool // in a stream: arguments that are not JSON are the part sent so far
}

// unparsedArguments returns the text of arguments that the reference could not parse.
func (w expectedCall) unparsedArguments() (string, bool) {
	var text string
	err := json.Unmarshal(w.Arguments, &text)
	return text, err == nil && string(w.Arguments) != "null" && !w.Custom
}

// A toolDef is a tool as the request defined it.
type toolDef struct {
	Name       string
	Parameters json.RawMessage // its JSON Schema, or nil
}

// UnmarshalJSON reads {"function":{"name","parameters"}}, or its content.
func (t *toolDef) UnmarshalJSON(raw []byte) error {
	type bare struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	}
	var wrapped struct {
		bare
		Function *bare `json:"function"`
	}
	if err := json.Unmarshal(raw, &wrapped); err != nil {
		return err
	}
	if wrapped.Function != nil {
		wrapped.bare = *wrapped.Function
	}
	*t = toolDef{Name: wrapped.Name, Parameters: translateTypes(wrapped.Parameters)}
	return nil
}

// errNoCorpus reports that the folder has no cases.
var errNoCorpus = errors.New("there is no *.jsonl in it")

// loadRows reads every file of a folder, in the order of their names.
func loadRows(folder string) ([]*row, error) {
	if _, err := os.Stat(folder); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", folder, errNoCorpus)
	}
	var rows []*row
	for _, file := range files {
		more, err := loadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// loadFile reads a file with one object per line.
func loadFile(name string) ([]*row, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := json.NewDecoder(bufio.NewReader(f))
	var rows []*row
	for {
		r := &row{source: strings.TrimSuffix(filepath.Base(name), ".jsonl")}
		switch err := lines.Decode(r); err {
		case nil:
			rows = append(rows, r)
		case io.EOF:
			return rows, nil
		default:
			return nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
		}
	}
}
