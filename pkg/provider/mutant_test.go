package provider_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// strange are values that replace any other.
var strange = []string{`null`, `0`, `-1`, `1.5`, `"x"`, `""`, `{}`, `[]`, `true`, `"{\"a\":1}"`, `{"a":{"b":[1]}}`, `[null]`, `["x",{"type":"text","text":"y"}]`, `"\ud83e\udd9c"`}

// mutate changes a random value.
func mutate(r *rand.Rand, v any) any {
	switch x := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		if len(keys) > 0 && r.IntN(8) > 0 {
			slices.Sort(keys)
			k := keys[r.IntN(len(keys))]
			if x[k] = mutate(r, x[k]); r.IntN(10) == 0 {
				delete(x, k)
			}
			return x
		}
	case []any:
		if len(x) > 0 && r.IntN(8) > 0 {
			i := r.IntN(len(x))
			if x[i] = mutate(r, x[i]); r.IntN(4) == 0 {
				x = append(x, x[r.IntN(len(x))])
			}
			return x
		}
	}
	return json.RawMessage(strange[r.IntN(len(strange))])
}

// mutant changes messages and their order.
func mutant(r *rand.Rand, data []string) []string {
	data = slices.Clone(data)
	for range 1 + r.IntN(4) {
		i, j := r.IntN(len(data)), r.IntN(len(data))
		switch r.IntN(6) {
		case 0:
			data[i], data[j] = data[j], data[i]
		case 1:
			data = slices.Insert(data, i, data[j])
		case 2:
			if len(data) > 1 {
				data = slices.Delete(data, i, i+1)
			}
		default:
			var v any
			d := json.NewDecoder(strings.NewReader(data[i]))
			d.UseNumber()
			if d.Decode(&v) == nil {
				data[i] = mustJSON(mutate(r, v))
			}
		}
	}
	return data
}

// However a server deviates from its own format, decoding does not panic, keeps the invariants, and
// does not depend on how the body is split.
func TestMutants(t *testing.T) {
	for _, format := range formatNames() {
		r := rand.New(rand.NewPCG(1, 2))
		for _, c := range cases(t, format) {
			data := c.data
			if data == nil {
				data = strings.Split(string(c.body), "\n")
			}
			if !bytes.Contains(c.body, []byte("{")) {
				continue
			}
			for range mutants {
				m := mutant(r, data)
				b := stream("data: ", "\n", "\n", m)
				if c.data == nil {
					b = []byte(strings.Join(m, "\n"))
				}
				whole, pieces := read(t, formats[format], maxBytes, b), read(t, formats[format], maxBytes, chunks(b, 7)...)
				if !reflect.DeepEqual(whole, pieces) {
					t.Fatalf("%s: %q (-whole +pieces):\n%s", c.file, m, cmp.Diff(whole, pieces))
				}
				if t.Failed() {
					t.Fatalf("%s: %q", c.file, m)
				}
			}
		}
	}
}
