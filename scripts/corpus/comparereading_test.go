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
		if got := sameJSON(json.RawMessage(test.a), json.RawMessage(test.b)); got != test.same {
			t.Errorf("sameJSON(%s, %s) = %t", test.a, test.b, got)
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
	a, b := wantCall{Name: "a", Arguments: json.RawMessage(`{"x":1}`)}, wantCall{Name: "b", Arguments: json.RawMessage(`{}`)}
	unread := wantCall{Name: "a", Arguments: json.RawMessage(`"{\"x\":"`)}
	id := wantCall{Name: "b", Arguments: json.RawMessage(`{}`), ID: "7"}
	sent := func(text string) []wantCall {
		quoted, _ := json.Marshal(text)
		return []wantCall{{Name: "a", Arguments: quoted, sent: true}}
	}
	long := good("a", `{"x":"1 \" 2","y":[3,4]}`)
	part := wantCall{Name: "a", Subset: json.RawMessage(`{"x":1}`)}
	ours, other := good("a", `{"x":1}`), good("b", `{}`)
	positional := good("b", `[]`)
	positional.Positional = true
	two := good("b", `["x", 1]`)
	two.Positional = true
	both := wantCall{Name: "b", Arguments: json.RawMessage(`{}`), Positional: []json.RawMessage{json.RawMessage(`"x"`), json.RawMessage(`1.0`)}}
	mixed := both
	mixed.Arguments = json.RawMessage(`{"y":2}`)
	tests := []struct {
		name   string
		wanted []wantCall
		got    []chat.Call
		same   bool
	}{
		{"none", nil, nil, true},
		{"both", []wantCall{a, b}, []chat.Call{ours, other}, true},
		{"in another order", []wantCall{a, b}, []chat.Call{other, ours}, false},
		{"one is missing", []wantCall{a, b}, []chat.Call{ours}, false},
		{"one too many", []wantCall{a}, []chat.Call{ours, other}, false},
		{"one too many that is invalid", []wantCall{a}, []chat.Call{with(other, chat.StatusInvalid), ours}, true},
		{"one too many that is cut off", []wantCall{a}, []chat.Call{ours, with(other, chat.StatusTruncated)}, true},
		{"one too many that is ambiguous", []wantCall{a}, []chat.Call{ours, with(other, chat.StatusAmbiguous)}, false},
		{"one too many in reasoning", []wantCall{a}, []chat.Call{with(ours, chat.StatusSuppressed), ours}, true},
		{"the one in reasoning is wanted", []wantCall{a, b}, []chat.Call{with(ours, chat.StatusSuppressed), other}, true},
		{"cut off and the same", []wantCall{a}, []chat.Call{with(ours, chat.StatusTruncated)}, true},
		{"unread here, too", []wantCall{unread, b}, []chat.Call{with(good("a", "null"), chat.StatusInvalid), other}, true},
		{"unread and not here", []wantCall{unread, b}, []chat.Call{other}, true},
		{"custom", []wantCall{{Name: "a", Arguments: json.RawMessage(`"SELECT 1"`), Custom: true}}, []chat.Call{good("a", `{"input":"SELECT 1"}`)}, true},
		{"custom, another text", []wantCall{{Name: "a", Arguments: json.RawMessage(`"SELECT 1"`), Custom: true}}, []chat.Call{good("a", `{"input":"SELECT 2"}`)}, false},
		{"unread but executed", []wantCall{unread, b}, []chat.Call{ours, other}, false},
		{"only the name was sent", sent(""), []chat.Call{ours}, true},
		{"the beginning was sent", sent(`{"x": "1 \" 2", "y" :[ 3`), []chat.Call{long}, true},
		{"another beginning was sent", sent(`{"x": "1\" 2"`), []chat.Call{long}, false},
		{"all of it was sent, and more", sent(`{"x":1}}`), []chat.Call{ours}, false},
		{"the beginning was sent for another tool", sent(`{"x"`), []chat.Call{good("b", `{"x":1}`)}, false},
		{"the beginning was sent, and there is no call", sent(`{"x"`), nil, true},
		{"an id is missing", []wantCall{id}, []chat.Call{other}, false},
		{"more than the part", []wantCall{part}, []chat.Call{good("a", `{"x":1,"y":2}`)}, true},
		{"another part", []wantCall{part}, []chat.Call{good("a", `{"x":2}`)}, false},
		{"no argument by position", []wantCall{b}, []chat.Call{positional}, true},
		{"arguments by position", []wantCall{both}, []chat.Call{two}, true},
		{"arguments by position that are not there", []wantCall{both}, []chat.Call{positional}, false},
		{"arguments by position that are not wanted", []wantCall{b}, []chat.Call{two}, false},
		{"arguments by position and by name", []wantCall{mixed}, []chat.Call{two}, false},
	}
	for _, test := range tests {
		if got := sameCalls(test.wanted, test.got); got != test.same {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

func TestNothingFound(t *testing.T) {
	r := &row{Content: json.RawMessage(`"text {cut"`), Calls: []wantCall{}}
	w := newWant(r, asWritten)
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
		if got := len(w.faults(test.got, []toolDef{{Name: "a"}})) == 0; got != test.ok {
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
		if got, why := isAccepted(reading{calls: test.calls}, schema); got != test.want {
			t.Errorf("%v: %t%s", test.calls, got, why)
		}
	}
}

func TestEarly(t *testing.T) {
	r := &row{Mode: "stream", Calls: []wantCall{{Name: "a", Arguments: json.RawMessage(`"{"`)}}}
	w := newWant(r, asWritten)
	if !w.isEarly(reading{calls: []chat.Call{good("a", "{}")}}) || w.isEarly(reading{calls: []chat.Call{with(good("a", "{}"), chat.StatusTruncated)}}) {
		t.Error("early is what was sent in part there, and is whole here")
	}
}

func TestHeld(t *testing.T) {
	w := want{calls: []wantCall{{Name: "a", Arguments: json.RawMessage(`{}`)}}}
	if !w.isHeld(reading{calls: []chat.Call{with(good("a", "{}"), chat.StatusTruncated)}}) || w.isHeld(reading{calls: []chat.Call{good("a", "{}")}}) {
		t.Error("held is what is equal and not executed")
	}
}
