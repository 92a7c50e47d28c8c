package batch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oneshot/pkg/atomicfile"
)

// testLine returns a valid line.
func testLine(t *testing.T, id string) string {
	text, err := OutputLine{ID: id, Index: 1, Input: "i", Plan: "p", Exit: Exit{Name: "ok"}, Answer: []byte(`{"a":1}`)}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// continueOutput opens an output with this content, and returns its IDs and its content after another line is appended.
func continueOutput(t *testing.T, isKnown bool, content string) (ids []string, after string, err error) {
	path := filepath.Join(t.TempDir(), "out.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := OpenOutput(path)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if _, err := OpenOutput(path); !errors.Is(err, atomicfile.ErrLocked) {
		t.Errorf("opened twice: %v", err)
	}
	err = o.Read(isKnown, func(l OutputLine, number int, offset int64) error {
		ids = append(ids, fmt.Sprint(number, l.ID, strings.HasPrefix(content[offset:], linePrefix+l.ID)))
		return nil
	})
	if text, err := os.ReadFile(path); err != nil || string(text) != content {
		t.Errorf("reading has changed it: %q, %v", text, err)
	}
	if err == nil {
		err = o.Repair()
	}
	if err == nil {
		err = o.Append([]byte(testLine(t, "new")))
	}
	text, readErr := os.ReadFile(path)
	return ids, string(text), errors.Join(err, readErr)
}

// Each prefix of an output can be continued: its whole lines count, with or without a line feed, and a torn one is cut off.
func TestRepair(t *testing.T) {
	one, two := testLine(t, "one"), testLine(t, "two\"")
	for n := range len(one+two) + 1 {
		ids, after, err := continueOutput(t, true, (one + two)[:n])
		lines := 0
		for _, end := range []int{len(one), len(one + two)} {
			if n >= end-len("\n") {
				lines++
			}
		}
		want := strings.Join([]string{one, two}[:lines], "") + testLine(t, "new")
		if err != nil || len(ids) != lines || after != want {
			t.Fatalf("%d bytes: %v, %q, %v", n, ids, after, err)
		}
	}
}

// A file that is not the output of a batch remains unchanged.
func TestForeignOutput(t *testing.T) {
	for _, content := range []string{"{", `{"id":"msg_01","type":"message"}`, testLine(t, "a") + `{"id":"msg_01","type":"message"}`, "notes", "notes\n", "{\"id\": \"x\"}\n", "{\"id\":\"x\"}\n", testLine(t, "a") + "notes", testLine(t, "a") + "\n", strings.Replace(testLine(t, "a"), `"answer"`, `"reply"`, 1)} {
		_, after, err := continueOutput(t, false, content)
		if !errors.As(err, new(*ForeignError)) || after != content {
			t.Errorf("%q: %v, now %q", content, err, after)
		}
	}
}
