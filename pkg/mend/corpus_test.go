package mend

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"oneshot/pkg/chat"
)

// A row is a case of another library: an input and what the library makes of it.
type row struct {
	ID        string          `json:"id"`
	Input     string          `json:"input"`
	JSON      *string         `json:"expected_json"`
	Value     json.RawMessage `json:"expected_value"`
	Extracted *string         `json:"expected_extracted"`
	Error     string          `json:"expect_error"`
	Mask      *uint           `json:"allow_mask"`
	Function  string          `json:"function"`
	Schema    json.RawMessage `json:"schema"`
	Options   struct {
		Mode   string `json:"schema_repair_mode"`
		Strict bool   `json:"strict"`
	} `json:"options"`
}

// An outcome is how a row went.
type outcome int

const (
	equal     outcome = iota
	endBlanks         // equal but for blanks at the end of a string
	other
)

func TestCorpus(t *testing.T) {
	shared := os.Getenv("ONESHOT_SHARED")
	if shared == "" {
		t.Skip("ONESHOT_SHARED names no folder: the cases of other libraries are not compared")
	}
	known := differences(t)
	for file, check := range map[string]func(row) (outcome, string){
		"jsonrepair": repaired, "json_repair": repaired, "partial_json_parser": completed,
		"langchainjs_json": completed, "vercel_fixjson": completed, "instructor": extracted,
	} {
		var counts [4]int
		rows := readRows(t, filepath.Join(shared, "corpus", file+".jsonl"))
		for _, r := range rows {
			out, got := check(r)
			why, listed := known[r.ID]
			switch {
			case out == other && listed:
				counts[2]++
			case out == other:
				counts[3]++
				t.Logf("failed: %s\n  input  %.600q\n  theirs %s\n  ours   %.600s", r.ID, r.Input, r.wanted(), got)
			default:
				if out == endBlanks && !listed {
					t.Errorf("%s is not listed, and differs in the blanks at the end of strings", r.ID)
				}
				counts[out]++
				if listed && out == equal {
					t.Errorf("%s is listed as different, and is equal (%s)", r.ID, why)
				}
			}
		}
		t.Logf("%-20s %d cases: %d equal, %d equal but for blanks at the end of strings, %d different on purpose, %d failed",
			file, len(rows), counts[0], counts[1], counts[2], counts[3])
		if counts[3]*100 > len(rows) {
			t.Errorf("%s: %d of %d rows fail", file, counts[3], len(rows))
		}
	}
}

// differences reads what we do otherwise on purpose.
func differences(t *testing.T) map[string]string {
	known := map[string]string{}
	name := filepath.Join("testdata", "differences.jsonl")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var d struct{ ID, Theirs, Ours, Why string }
		if err := json.Unmarshal(line, &d); err != nil || d.Why == "" || d.Theirs == "" || d.Ours == "" {
			t.Fatalf("%s: %v", line, err)
		}
		known[d.ID] = d.Why
	}
	return known
}

func readRows(t *testing.T, name string) []row {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rows []row
	in := bufio.NewScanner(file)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var r row
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 || in.Err() != nil {
		t.Fatalf("%s: no rows (%v)", name, in.Err())
	}
	return rows
}

func (r row) wanted() string {
	switch {
	case r.JSON != nil:
		return fmt.Sprintf("%.600s", *r.JSON)
	case r.Extracted != nil:
		return *r.Extracted
	case r.Error != "":
		return "an error: " + r.Error
	}
	return fmt.Sprintf("%.600s", r.Value)
}

// repaired compares a repair. Where the library refuses a text, so must we: say
// that there is no certain reading.
func repaired(r row) (outcome, string) {
	got := JSON(r.Input, Options{Schema: r.Schema, Salvage: r.Options.Mode == "salvage"})
	text := fmt.Sprintf("%s (%s)", got.Value, got.Status)
	if r.Error == "" && r.JSON == nil && r.Value == nil { // any JSON will do
		return compare(got.Value, got.Value), text
	}
	if r.Error != "" {
		if got.Status == chat.StatusInvalid || r.Options.Strict && got.Status != chat.StatusOK && got.Status != chat.StatusRepaired {
			return equal, text
		}
		return other, text
	}
	want := r.Value
	if r.JSON != nil {
		want = json.RawMessage(*r.JSON)
	}
	if len(want) == 0 || r.JSON == nil && string(want) == `""` {
		if got.Value == nil || string(got.Value) == `""` {
			return equal, text
		}
		return other, text
	}
	return compare(want, got.Value), text
}

// completed compares a truncated document that was completed.
func completed(r row) (outcome, string) {
	allow := Everything
	if r.Mask != nil {
		allow = Kinds(0)
		for bit, kind := range map[uint]Kinds{1: Strings, 2: Numbers, 4: Arrays, 8: Objects, 16: Nulls, 32: Booleans} {
			if *r.Mask&bit != 0 {
				allow |= kind
			}
		}
	}
	got, err := Partial(r.Input, allow)
	text := fmt.Sprintf("%s (%v)", got, err)
	switch {
	case r.Error != "" || r.JSON != nil && *r.JSON == "":
		if err != nil {
			return equal, text
		}
		return other, text
	case r.JSON != nil:
		return compare(json.RawMessage(*r.JSON), got), text
	}
	return compare(r.Value, got), text
}

// extracted compares the places of JSON: the first and the last of them.
func extracted(r row) (outcome, string) {
	places := Extract(r.Input)
	got := r.Input
	if len(places) > 0 {
		got = r.Input[places[0].Start:places[len(places)-1].End]
	}
	if got == *r.Extracted {
		return equal, got
	}
	return other, got
}

func compare(want, got json.RawMessage) outcome {
	a, b := exact(want), exact(got)
	switch {
	case b == nil:
		return other
	case reflect.DeepEqual(a, b):
		return equal
	case reflect.DeepEqual(trimmed(a), trimmed(b)):
		return endBlanks
	}
	return other
}

// exact decodes a value with exact numbers; nil if it is none.
func exact(text json.RawMessage) any {
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return nil
	}
	return mapped(struct{ v any }{v}, func(x any) any {
		n, ok := x.(json.Number)
		if !ok {
			return x
		}
		if exact, ok := new(big.Rat).SetString(string(n)); ok {
			return exact.RatString()
		}
		return n
	})
}

func trimmed(v any) any {
	return mapped(v, func(x any) any {
		if s, ok := x.(string); ok {
			return strings.TrimRight(s, " \t\r\n")
		}
		return x
	})
}

// mapped changes every string and number of a decoded value.
func mapped(v any, change func(any) any) any {
	switch v := v.(type) {
	case struct{ v any }:
		return struct{ v any }{mapped(v.v, change)}
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = mapped(x, change)
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for k, x := range v {
			m[change(k).(string)] = mapped(x, change)
		}
		return m
	}
	return change(v)
}
