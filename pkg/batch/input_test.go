package batch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readAll returns the records of an input as text, and its errors in their places.
func readAll(text string, format Format, idField string, needsID bool) (all []string) {
	for r, err := range ReadRecords(strings.NewReader(text), format, idField, needsID) {
		switch {
		case errors.As(err, new(*RecordError)):
			all = append(all, err.Error())
		case err != nil:
			all = append(all, "end: "+err.Error())
		default:
			all = append(all, fmt.Sprint(r.Index, " ", r.Line, " ", r.ID, " ", r.Fields))
		}
	}
	return all
}

// Records have IDs, numbers and lines; an invalid record is an error with its line.
func TestReadRecords(t *testing.T) {
	tests := []struct {
		name, text string
		format     Format
		idField    string
		needsID    bool
		want       []string
	}{
		{"JSON Lines", "\xef\xbb\xbf{\"id\":\"a\",\"n\":1.50,\"o\":{\"k\": [true]}}\r\n\n{\"x\":null}", JSONL, "id", false, []string{
			`1 1 a [{id a} {n 1.50} {o {"k":[true]}}]`, "2 3 3 []",
		}},
		{"IDs", "{\"id\":7}\n{\"id\":\"\"}\n{\"name\":\"x\"}\n{\"id\":[1]}\n", JSONL, "id", false, []string{
			"1 1 7 [{id 7}]", `line 2: field "id" is empty`, "3 3 3 [{name x}]", "4 4 [1] [{id [1]}]",
		}},
		{"a field that is needed", "{\"id\":7}\n{\"key\":\"k\"}\n", JSONL, "key", true, []string{`line 1: the record has no field "key"`, "2 2 k [{key k}]"}},
		{"no objects", "[1]\n{\"a\":1} {\"b\":2}\n{\"a\":1,\"a\":2}\n{\"a\"\n\"\xff\"\n", JSONL, "id", false, []string{
			"line 1: expected a JSON object", "line 2: expected one JSON object", "line 3: invalid JSON: column 8: duplicate object member name",
			"line 4: invalid JSON: column 5: unexpected EOF", "line 5: invalid JSON: column 2: invalid UTF-8",
		}},
		{"CSV", "id,text\n1,\"a\nb\"\n\n2,\"c,\"\"d\"\"\"\n", CSV, "id", false, []string{"1 2 1 [{id 1} {text a\nb}]", `2 5 2 [{id 2} {text c,"d"}]`}},
		{"faults of CSV", "id,text\n1\n2,a\"b\n3,c\n4,\xff\n", CSV, "id", false, []string{
			"line 2: wrong number of fields", `line 3: bare " in non-quoted-field`, "3 4 3 [{id 3} {text c}]", `line 5: field "text" is not UTF-8 text`,
		}},
		{"a header without a name", "id,\n1,2\n", CSV, "id", false, []string{"end: line 1: the names of the fields: field 2 has no name"}},
		{"nothing", "", CSV, "id", false, nil},
		{"blank lines", "\n \n", JSONL, "id", false, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, readAll(test.text, test.format, test.idField, test.needsID)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A record over the size limit is an error.
func TestLongRecords(t *testing.T) {
	long := strings.Repeat("x", MaxRecord)
	got := readAll(`{"a":"`+long+"\"}\n{\"a\":1}\n", JSONL, "id", false)
	if want := []string{"line 1: the record has more than 16 MiB", "2 2 2 [{a 1}]"}; !slices.Equal(got, want) {
		t.Errorf("JSON Lines: %.200q", got)
	}
	got = readAll("a\n\""+long+long, CSV, "id", false)
	if len(got) != 1 || !strings.Contains(got[0], "a record has more than 16 MiB") {
		t.Errorf("CSV: %.200q", got)
	}
}

// Records with different texts have different digests.
func TestDigests(t *testing.T) {
	seen := map[string]string{}
	for _, text := range []string{"a,b\n1,2\n", "a,b\n12,\n", "b,a\n1,2\n", "ab,c\n1,2\n"} {
		for r, err := range ReadRecords(strings.NewReader(text), CSV, "id", false) {
			if err != nil || seen[r.Digest] != "" || !strings.HasPrefix(r.Digest, "sha256:") {
				t.Errorf("%q: %v, the digest is that of %q", text, err, seen[r.Digest])
			}
			seen[r.Digest] = text
		}
	}
}

// Reading any input ends, and each record has an ID and a digest.
func FuzzReadRecords(f *testing.F) {
	f.Add("{\"id\":1}\n", false)
	f.Add("a,b\n\"1\n2\",3\n", true)
	f.Fuzz(func(t *testing.T, text string, isCSV bool) {
		format := JSONL
		if isCSV {
			format = CSV
		}
		for r, err := range ReadRecords(strings.NewReader(text), format, "id", false) {
			if err == nil && (r.ID == "" || r.Digest == "" || r.Line < 1 || r.Index < 1) {
				t.Fatalf("%q: %+v", text, r)
			}
		}
	})
}
