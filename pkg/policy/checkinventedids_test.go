package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oneshot/internal/testsize"
	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

const naming = `
name: ticket
description: Read tickets.
parameters:
  id: {type: string, identifier: true, required: false}
  number: {type: integer, identifier: true, required: false}
  ids: {type: array, items: {type: string, identifier: true}, required: false}
  links: {type: array, required: false, items: {type: object, properties: {to: {type: [string, "null"], identifier: true}, note: {type: string, required: false}}}}
  by: {type: object, required: false, additionalProperties: {anyOf: [{type: string, identifier: true}, {type: boolean}]}}
  words: {type: string, required: false}
examples: [{call: 'ticket({id: "a"})'}, {call: 'ticket({number: 2})'}, {call: 'ticket({ids: ["a"]})'}]
effect: read
builtin: x
`

func namingTool(t testing.TB) *tool.Definition {
	t.Helper()
	defs, findings := tool.Loader{}.Parse("tools.yaml", []byte(naming))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return defs[0]
}

// told returns the state after a story: u:TEXT is a request with a user message, of which only the first
// is the prompt, p:JSON the arguments of the next call, r:JSON the data of a call, and e:TEXT the error
// of a call.
func told(story ...string) *State {
	s, n, args := &State{}, 0, "{}"
	for _, event := range story {
		kind, text, _ := strings.Cut(event, ":")
		switch kind {
		case "u":
			s.Apply(time.Time{}, runfile.Request{Messages: []chat.Message{{Role: chat.User, Content: text}}})
		case "p":
			args = text
		default:
			n++
			id := fmt.Sprint("c", n)
			s.Apply(time.Time{}, runfile.Call{ID: id, Name: "ticket", Verdict: "allow", Rule: "x", Proposed: json.RawMessage(args)})
			r := runfile.Result{Call: id, Result: chat.Result{Data: json.RawMessage(text)}}
			if kind == "e" {
				r.Result = chat.Failure(chat.NotFound, "%s", text)
			}
			s.Apply(time.Time{}, r)
			args = "{}"
		}
	}
	return s
}

func TestIdentifiers(t *testing.T) {
	def := namingTool(t)
	for _, c := range []struct {
		name  string
		story []string
		args  string
		lacks string // the argument that is refused, "" for none
	}{
		{"nothing said", nil, `{"id":"tick-7"}`, "id"},
		{"no identifier", nil, `{"words":"tick-7"}`, ""},
		{"null", nil, `{"links":[{"to":null}]}`, ""},
		{"said by the user", []string{"u:Read tick-7, please."}, `{"id":"tick-7"}`, ""},
		{"at the end of a sentence", []string{"u:Read number 12."}, `{"number":12}`, ""},
		{"in a list", []string{"u:Read 3,4,12 and (19)"}, `{"ids":["3","12","19"]}`, ""},
		{"only the first message", []string{"u:Read it.", "u:Results: tick-7"}, `{"id":"tick-7"}`, "id"},
		{"inside a longer word", []string{"u:Read tick-70 and xtick-7 and tick-7b"}, `{"id":"tick-7"}`, "id"},
		{"a part of a name", []string{"u:Read tick-7"}, `{"id":"tick"}`, "id"},
		{"a part of a UUID", []string{"u:Read 0d2c1b6e-77f1-4f5e-9a50-55d3a1c0e8aa"}, `{"id":"55d3a1c0e8aa"}`, "id"},
		{"a part of a number", []string{"u:It costs 12.50 in 2026-11-12"}, `{"ids":["12"]}`, "ids[0]"},
		{"a part of an address", []string{"u:See https://desk.example/t/4711?view=full"}, `{"number":4711}`, ""},
		{"in another case", []string{"u:Read TICK-7"}, `{"id":"tick-7"}`, "id"},
		{"a letter with a mark", []string{"u:naïve"}, `{"id":"na"}`, "id"},
		{"an address of mail", []string{"u:Write to ada@desk.example today"}, `{"id":"ada@desk.example"}`, ""},
		{"several words", []string{`r:"Room: Big Hall, floor 2"`}, `{"id":"Big Hall"}`, ""},
		{"input that is shown as JSON", []string{"u:Read:\n--- m begin ---\n\"<\\u007c\\ntick-7\\nend\"\n--- m end ---"}, `{"id":"tick-7"}`, ""},
		{"a scalar of a result", []string{`r:[{"key":"tick-7","n":12}]`}, `{"id":"tick-7","number":12}`, ""},
		{"a name of a member", []string{`r:{"tick-7":{}}`}, `{"id":"tick-7"}`, ""},
		{"a number as a text", []string{`r:{"n":12}`}, `{"id":"12"}`, ""},
		{"a text as a number", []string{`r:{"n":"12"}`}, `{"number":12}`, ""},
		{"a number in another form", []string{`r:{"n":12.0}`}, `{"number":1.2e1}`, ""},
		{"a text in another form", []string{`r:{"n":12}`}, `{"id":"12.0"}`, "id"},
		{"a large number", []string{`r:{"n":9007199254740993}`}, `{"number":9007199254740992}`, "number"},
		{"in a text of a result", []string{`r:"Open: tick-7\ntick-8"`}, `{"ids":["tick-7","tick-8"]}`, ""},
		{"behind an escape", []string{`r:"\ttick-7\u0009"`}, `{"id":"tick-7"}`, ""},
		{"an error", []string{"e:There is no tick-7."}, `{"id":"tick-7"}`, "id"},
		{"an echo", []string{`p:{"words":"tick-7"}`, `r:{"query":"tick-7","hits":[]}`}, `{"id":"tick-7"}`, "id"},
		{"an echo in a sentence", []string{`p:{"words":"find tick-7 now"}`, `r:"Nothing for: find tick-7 now"`}, `{"id":"tick-7"}`, "id"},
		{"an echo without escapes", []string{`p:{"words":"https://x.example/?q=tick%2D7"}`, `r:"You asked for tick-7"`}, `{"id":"tick-7"}`, "id"},
		{"an echo of a part of a word", []string{`p:{"words":"xxticket-7000xx"}`, `r:"ticket-7000"`}, `{"id":"ticket-7000"}`, "id"},
		{"an echo by position", []string{`p:["tick-7"]`, `r:"tick-7"`}, `{"id":"tick-7"}`, "id"},
		{"known before the echo", []string{`r:["tick-7"]`, `p:{"words":"tick-7"}`, `r:"tick-7"`}, `{"id":"tick-7"}`, ""},
		{"said before the echo", []string{"u:Look for tick-7", `p:{"words":"tick-7"}`, `r:"tick-7"`}, `{"id":"tick-7"}`, ""},
		{"known after the echo", []string{`p:{"words":"tick-7"}`, `r:"tick-7"`, `r:"tick-7 is old"`}, `{"id":"tick-7"}`, ""},
		{"a short number in another one", []string{`p:{"number":10}`, `r:[{"n":1}]`}, `{"number":1}`, ""},
		{"one of many", []string{`r:["a1","a2"]`}, `{"ids":["a1","a2","a3","a1"]}`, "ids[2]"},
		{"in an object of a list", []string{`r:["a1"]`}, `{"links":[{"to":"a1","note":"new"},{"to":"a2"}]}`, "links[1].to"},
		{"a member of any name", []string{`r:["a1"]`}, `{"by":{"x":"a1","z":true,"y":"a2"}}`, "by.y"},
		{"empty", []string{"u:Read  it"}, `{"id":""}`, "id"},
		{"a space", []string{"u:Read it"}, `{"id":" "}`, ""},
		{"a whole sentence that is too long", []string{"u:" + strings.Repeat("x ", 400)}, `{"id":"` + strings.Repeat("x ", 400) + `"}`, "id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := (&Policy{}).Decide(told(c.story...), Facts{Def: def, Arguments: json.RawMessage(c.args)})
			switch {
			case c.lacks == "" && d.Verdict != Allow:
				t.Errorf("%+v", d)
			case c.lacks != "" && (d.Verdict != Deny || d.Rule != "floor:identifier" || d.Code != chat.InvalidArguments || !strings.HasPrefix(d.Why, c.lacks+": ")):
				t.Errorf("%+v, want that %s is refused", d, c.lacks)
			}
		})
	}
}

// Identifiers in arguments that a person supplies are not checked, and an approval makes the
// identifiers in the arguments that it changes known.
func TestIdentifiersOfApprovals(t *testing.T) {
	def := namingTool(t)
	asks := &Policy{Layers: []*Layer{{tools: map[string]*toolRules{"ticket": {ask: []rule{{limit: limit{calls: -1}}}, limit: limit{calls: -1}}}, Budget: Budget{Calls: -1, Writes: -1}}}}
	s, f := told("u:Read a1"), Facts{Def: def, Arguments: json.RawMessage(`{"id":"a2"}`)}
	if d := asks.Decide(s, f); d.Rule != "floor:identifier" {
		t.Errorf("made up: %+v", d)
	}
	f.Trusted = true
	if d := asks.Decide(s, f); d.Verdict != Ask {
		t.Errorf("given: %+v", d)
	}
	f.Trusted = false
	s.Apply(time.Time{}, runfile.Call{ID: "c", Name: "ticket", Verdict: "ask", Proposed: json.RawMessage(`{"id":"a1"}`)})
	s.Apply(time.Time{}, runfile.Approval{Call: "c", Approved: true, By: "tty", Modified: json.RawMessage(`{"id":"a2"}`)})
	if d := asks.Decide(s, f); d.Verdict != Ask {
		t.Errorf("given before: %+v", d)
	}
}

// A result that the record truncates makes the same values known as the whole result.
func TestIdentifiersOfCutResults(t *testing.T) {
	def := namingTool(t)
	all := []string{
		`["tick-7",` + strings.Repeat(`"fill",`, runfile.MaxResult/7) + `"tick-8","tick-9"]`,
		`"tick-7 ` + strings.Repeat("fill\\n", runfile.MaxResult/6) + `tick-8"`,
		`"tick-7 ` + strings.Repeat("x", runfile.MaxResult-8) + `tick-8"`,
	}
	for _, data := range testsize.Pick(all, all[1:2]) {
		whole := runfile.Result{Call: "c", Result: chat.Result{Data: json.RawMessage(data)}}
		text, _ := json.Marshal(data[:runfile.MaxResult])
		cut := runfile.Result{Call: "c", Result: chat.Result{Data: text}, Truncated: true, Bytes: len(data)}
		for _, r := range []runfile.Result{whole, cut} {
			s := &State{}
			s.Apply(time.Time{}, runfile.Call{ID: "c", Name: "ticket", Verdict: "allow"})
			s.Apply(time.Time{}, r)
			verdict := func(id string) Verdict {
				return (&Policy{}).Decide(s, Facts{Def: def, Arguments: json.RawMessage(`{"id":"` + id + `"}`)}).Verdict
			}
			if verdict("tick-7") != Allow || verdict("tick-8") != Deny {
				t.Errorf("%.20s, cut %v: %s and %s", data, r.Truncated, verdict("tick-7"), verdict("tick-8"))
			}
		}
	}
}

// The oldest results are dropped first. The prompt is always kept.
func TestKnownIsBounded(t *testing.T) {
	var k knownValues
	k.addPrompt([]chat.Message{{Role: chat.User, Content: "mine"}})
	for i := range 80 {
		data, _ := json.Marshal(fmt.Sprintf("n%d %s", i, strings.Repeat("x", 900_000)))
		k.addResult(runfile.Call{}, runfile.Result{Result: chat.Result{Data: data}})
	}
	if k.size > maxKnownBytes || k.size < maxKnownBytes/2 {
		t.Errorf("%d bytes are kept", k.size)
	}
	if got := k.areKnown([]string{"mine", "n0", "n79"}); !slices.Equal(got, []bool{true, false, true}) {
		t.Errorf("known: %v", got)
	}
}

// The time is linear in the length of the identifiers and the results.
func TestKnownIsLinear(t *testing.T) {
	var k knownValues
	data, _ := json.Marshal(strings.Repeat("a a ", 250_000))
	for range 8 {
		k.addResult(runfile.Call{}, runfile.Result{Result: chat.Result{Data: data}})
	}
	var named []tool.Identifier
	for i := range 60_000 {
		named = append(named, tool.Identifier{Value: "a a a a " + fmt.Sprint(i)})
	}
	for i := range 200 {
		named = append(named, tool.Identifier{Value: strings.Repeat("a ", i) + "b"})
	}
	begin := time.Now()
	if got := k.firstUnknown(named); got != 0 {
		t.Errorf("the first that is lacking is %d", got)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// An identifier is denied if neither the prompt nor a result contains it: calls, their echoes and
// errors do not count. An identifier between spaces in the prompt is allowed.
func TestIdentifierLaw(t *testing.T) {
	def := namingTool(t)
	piece := rapid.SampledFrom([]string{"k7", "k-7", "k", "7", " ", ".", ",", "x", "ö", "\\n", "/", "\\u0000"})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "text"), "") })
	rapid.Check(t, func(t *rapid.T) {
		var story []string
		var heard, results strings.Builder
		for range rapid.IntRange(0, 4).Draw(t, "events") {
			s := text.Draw(t, "said")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				if len(story) == 0 {
					story = append(story, "u:"+s)
					heard.WriteString(s + "\x00")
				}
			case 1:
				story = append(story, `r:"`+s+`"`)
				results.WriteString(s + "\x00")
			case 2:
				story = append(story, `p:{"words":"`+s+`"}`, `r:"`+s+`"`)
			case 3:
				story = append(story, "e:"+s)
			}
		}
		id := rapid.SampledFrom([]string{"k7", "k-7", "7", "k"}).Draw(t, "id")
		d := (&Policy{}).Decide(told(story...), Facts{Def: def, Arguments: json.RawMessage(`{"id":"` + id + `"}`)})
		if d.Verdict == Allow && !strings.Contains(heard.String()+results.String(), id) {
			t.Errorf("%q passes, after %q", id, story)
		}
		alone := " " + heard.String() + " "
		if d.Verdict != Allow && strings.Contains(alone, " "+id+" ") {
			t.Errorf("%q is refused, after %q", id, story)
		}
	})
}

// scalars returns the names, texts and numbers of a JSON value, independently of the tested code.
func scalars(v any) (out []string) {
	for todo := []any{v}; len(todo) > 0; todo = todo[1:] {
		switch v := todo[0].(type) {
		case string:
			out = append(out, v)
		case json.Number:
			out = append(out, plainNumber(v.String()))
		case []any:
			todo = append(todo, v...)
		case map[string]any:
			for name, member := range v {
				out, todo = append(out, name), append(todo, member)
			}
		}
	}
	return out
}

// occurs reports whether one of the texts contains a value, as a whole word if whole is set.
func occurs(in []string, value string, whole bool) bool {
	return slices.ContainsFunc(in, func(text string) bool {
		for from := range len(text) - len(value) + 1 {
			to := from + len(value)
			if text[from:to] == value && (!whole || isWholeWord(text, from, to)) {
				return true
			}
		}
		return false
	})
}

// FuzzKnown compares the values that a result makes known with a plain search in the result. Values
// in the arguments of its call do not count.
func FuzzKnown(f *testing.F) {
	f.Add([]byte(`{"id":"k-7","n":[12,1.5e1]}`), []byte(`["k-7"]`), "k-7")
	f.Add([]byte(`"see k-7\nand k%2D7"`), []byte(`{"q":"k%2D7"}`), "k-7")
	f.Add([]byte(`{"k-7":{}}`), []byte(`{}`), "15")
	f.Fuzz(func(t *testing.T, data, proposed []byte, id string) {
		var result, said any
		for raw, into := range map[*[]byte]*any{&data: &result, &proposed: &said} {
			dec := json.NewDecoder(strings.NewReader(string(*raw)))
			dec.UseNumber()
			if len(tool.CheckStrict(*raw)) > 0 || dec.Decode(into) != nil {
				return
			}
		}
		if strings.ContainsAny(id+string(data)+string(proposed), "\x00%") || strings.Contains(string(data)+string(proposed), `u0000`) || id == "" || len(id) > maxIdentifierBytes {
			return
		}
		var k knownValues
		k.addResult(runfile.Call{Proposed: proposed}, runfile.Result{Result: chat.Result{Data: data}})
		want := occurs(scalars(result), id, true) && !occurs(scalars(said), id, len(id) < minDistinctiveBytes)
		if got := k.firstUnknown([]tool.Identifier{{Value: id}}) < 0; got != want {
			t.Errorf("%q is known: %v, want %v, of %s by a call with %s", id, got, want, data, proposed)
		}
	})
}
