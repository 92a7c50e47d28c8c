package main

import (
	"encoding/json"
	"testing"

	"oneshot/pkg/chat"
)

func TestSameJSON(t *testing.T) {
	tests := []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[true,null]}`, `{ "b": [true, null], "a": 1 }`, true},
		{`1`, `1.0`, true},
		{`1e3`, `1000`, true},
		{`0.00120`, `1.2E-3`, true},
		{`-0`, `0.0`, true},
		{`12345678901234567890`, `12345678901234567891`, false},
		{`0.1`, `0.10000000000000001`, false},
		{`1`, `-1`, false},
		{`1`, `"1"`, false},
		{`1e999999999999999999999`, `1`, false},
		{`[1,2]`, `[2,1]`, false},
		{`[1]`, `[1,2]`, false},
		{`{"a":null}`, `{}`, false},
		{`null`, `null`, true},
		{`{`, `{`, false},
		{`{} {}`, `{}`, false},
	}
	for _, test := range tests {
		if got := isSameJSON(json.RawMessage(test.a), json.RawMessage(test.b)); got != test.same {
			t.Errorf("isSameJSON(%s, %s) = %t", test.a, test.b, got)
		}
	}
}

// good returns a call that can be executed.
func good(name, args string) chat.Call {
	return chat.Call{Name: name, Arguments: json.RawMessage(args), Status: chat.StatusOK, Executable: true}
}

// with returns a call with another status, which is not executed.
func with(c chat.Call, s chat.Status) chat.Call {
	c.Status, c.Executable = s, false
	return c
}

func TestSameCalls(t *testing.T) {
	a, b := expectedCall{Name: "a", Arguments: json.RawMessage(`{"x":1}`)}, expectedCall{Name: "b", Arguments: json.RawMessage(`{}`)}
	unread := expectedCall{Name: "a", Arguments: json.RawMessage(`"{\"x\":"`)}
	id := expectedCall{Name: "b", Arguments: json.RawMessage(`{}`), ID: "7"}
	sent := func(text string) []expectedCall {
		quoted, _ := json.Marshal(text)
		return []expectedCall{{Name: "a", Arguments: quoted, sent: true}}
	}
	long := good("a", `{"x":"1 \" 2","y":[3,4]}`)
	part := expectedCall{Name: "a", Subset: json.RawMessage(`{"x":1}`)}
	ours, other := good("a", `{"x":1}`), good("b", `{}`)
	positional := good("b", `[]`)
	positional.Positional = true
	two := good("b", `["x", 1]`)
	two.Positional = true
	both := expectedCall{Name: "b", Arguments: json.RawMessage(`{}`), Positional: []json.RawMessage{json.RawMessage(`"x"`), json.RawMessage(`1.0`)}}
	mixed := both
	mixed.Arguments = json.RawMessage(`{"y":2}`)
	tests := []struct {
		name   string
		wanted []expectedCall
		got    []chat.Call
		same   bool
	}{
		{"none", nil, nil, true},
		{"both", []expectedCall{a, b}, []chat.Call{ours, other}, true},
		{"in another order", []expectedCall{a, b}, []chat.Call{other, ours}, false},
		{"one is missing", []expectedCall{a, b}, []chat.Call{ours}, false},
		{"one too many", []expectedCall{a}, []chat.Call{ours, other}, false},
		{"one too many that is invalid", []expectedCall{a}, []chat.Call{with(other, chat.StatusInvalid), ours}, true},
		{"one too many that is cut off", []expectedCall{a}, []chat.Call{ours, with(other, chat.StatusTruncated)}, true},
		{"one too many that is ambiguous", []expectedCall{a}, []chat.Call{ours, with(other, chat.StatusAmbiguous)}, false},
		{"one too many in reasoning", []expectedCall{a}, []chat.Call{with(ours, chat.StatusSuppressed), ours}, true},
		{"the one in reasoning is wanted", []expectedCall{a, b}, []chat.Call{with(ours, chat.StatusSuppressed), other}, true},
		{"cut off and the same", []expectedCall{a}, []chat.Call{with(ours, chat.StatusTruncated)}, true},
		{"unread here, too", []expectedCall{unread, b}, []chat.Call{with(good("a", "null"), chat.StatusInvalid), other}, true},
		{"unread and not here", []expectedCall{unread, b}, []chat.Call{other}, true},
		{"custom", []expectedCall{{Name: "a", Arguments: json.RawMessage(`"SELECT 1"`), Custom: true}}, []chat.Call{good("a", `{"input":"SELECT 1"}`)}, true},
		{"custom, another text", []expectedCall{{Name: "a", Arguments: json.RawMessage(`"SELECT 1"`), Custom: true}}, []chat.Call{good("a", `{"input":"SELECT 2"}`)}, false},
		{"unread but executed", []expectedCall{unread, b}, []chat.Call{ours, other}, false},
		{"only the name was sent", sent(""), []chat.Call{ours}, true},
		{"the beginning was sent", sent(`{"x": "1 \" 2", "y" :[ 3`), []chat.Call{long}, true},
		{"another beginning was sent", sent(`{"x": "1\" 2"`), []chat.Call{long}, false},
		{"all of it was sent, and more", sent(`{"x":1}}`), []chat.Call{ours}, false},
		{"the beginning was sent for another tool", sent(`{"x"`), []chat.Call{good("b", `{"x":1}`)}, false},
		{"the beginning was sent, and there is no call", sent(`{"x"`), nil, true},
		{"an id is missing", []expectedCall{id}, []chat.Call{other}, false},
		{"more than the part", []expectedCall{part}, []chat.Call{good("a", `{"x":1,"y":2}`)}, true},
		{"another part", []expectedCall{part}, []chat.Call{good("a", `{"x":2}`)}, false},
		{"no argument by position", []expectedCall{b}, []chat.Call{positional}, true},
		{"arguments by position", []expectedCall{both}, []chat.Call{two}, true},
		{"arguments by position that are not there", []expectedCall{both}, []chat.Call{positional}, false},
		{"arguments by position that are not wanted", []expectedCall{b}, []chat.Call{two}, false},
		{"arguments by position and by name", []expectedCall{mixed}, []chat.Call{two}, false},
	}
	for _, test := range tests {
		if got := hasMatchingCalls(test.wanted, test.got); got != test.same {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

func TestNothingFound(t *testing.T) {
	r := &row{Content: json.RawMessage(`"text {cut"`), Calls: []expectedCall{}}
	w := newExpectation(r, asWritten)
	cut := with(good("a", "null"), chat.StatusTruncated)
	cut.Text = "{cut"
	doubtful := with(cut, chat.StatusAmbiguous)
	unknown := good("b", "{}")
	unknown.Text = "{cut"
	elsewhere := cut
	elsewhere.Text = "{cut off"
	tests := []struct {
		name string
		got  reading
		ok   bool
	}{
		{"the same text", reading{content: "text {cut\n"}, true},
		{"a call that is not executed", reading{content: "text", calls: []chat.Call{cut}}, true},
		{"a call of which there are two readings", reading{content: "text", calls: []chat.Call{doubtful}}, true},
		{"a call that stands elsewhere", reading{content: "text", calls: []chat.Call{elsewhere}}, false},
		{"a call that is not executed, and its text", reading{content: "text {cut }", calls: []chat.Call{cut}}, false},
		{"a call that is", reading{content: "text", calls: []chat.Call{good("a", "{}")}}, false},
		{"a call that is, of no tool of the request", reading{content: "text", calls: []chat.Call{unknown}}, false},
		{"less text", reading{content: "text"}, false},
		{"a call that is not executed, and other text", reading{content: "other", calls: []chat.Call{cut}}, false},
	}
	for _, test := range tests {
		if got := len(w.mismatches(test.got, []toolDef{{Name: "a"}})) == 0; got != test.ok {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

func TestAccepts(t *testing.T) {
	schema := []byte(`{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}`)
	for _, test := range []struct {
		calls []chat.Call
		want  bool
	}{
		{[]chat.Call{good("f", `{"x":1}`)}, true},
		{[]chat.Call{good("f", `{"x":"1"}`)}, false},
		{[]chat.Call{with(good("f", `{"x":1}`), chat.StatusTruncated)}, false},
		{[]chat.Call{good("f", `{"x":1}`), good("f", `{"x":1}`)}, false},
		{nil, false},
	} {
		if got, why := hasOneValidCall(reading{calls: test.calls}, schema); got != test.want {
			t.Errorf("%v: %t%s", test.calls, got, why)
		}
	}
}

func TestEarly(t *testing.T) {
	r := &row{Mode: "stream", Calls: []expectedCall{{Name: "a", Arguments: json.RawMessage(`"{"`)}}}
	w := newExpectation(r, asWritten)
	if !w.isAheadOfReference(reading{calls: []chat.Call{good("a", "{}")}}) || w.isAheadOfReference(reading{calls: []chat.Call{with(good("a", "{}"), chat.StatusTruncated)}}) {
		t.Error("early is what was sent in part there, and is whole here")
	}
}

func TestHeld(t *testing.T) {
	w := expectation{calls: []expectedCall{{Name: "a", Arguments: json.RawMessage(`{}`)}}}
	if !w.hasNonExecutableCall(reading{calls: []chat.Call{with(good("a", "{}"), chat.StatusTruncated)}}) || w.hasNonExecutableCall(reading{calls: []chat.Call{good("a", "{}")}}) {
		t.Error("held is what is equal and not executed")
	}
}
