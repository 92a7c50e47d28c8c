package executor

import (
	"encoding/json"
	"errors"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

func TestReplay(t *testing.T) {
	args := json.RawMessage(`{"n":1}`)
	log := &runfile.Log{Records: []runfile.Record{
		{Body: runfile.Call{ID: "a", Name: "f", Effective: args}},
		{Body: runfile.Call{ID: "b", Name: "f", Effective: args}},
		{Body: runfile.Call{ID: "c", Name: "g", Effective: args}},
		{Body: runfile.Result{Call: "b", Result: chat.Success("first")}},
		{Body: runfile.Result{Call: "a", Result: chat.Success("second")}},
		{Body: runfile.Result{Call: "c", Result: chat.Success("lo"), Truncated: true, Bytes: 9}},
	}}
	r := NewReplay(log)
	for _, want := range []string{`"first"`, `"second"`} {
		got, err := r.Run(t.Context(), chat.Execution{Call: chat.Call{Name: "f", Arguments: args}})
		if err != nil || string(got.Data) != want {
			t.Errorf("got %s and %v, want %s", got.Data, err, want)
		}
	}
	for _, name := range []string{"f", "g", "h"} {
		_, err := r.Run(t.Context(), chat.Execution{Call: chat.Call{Name: name, Arguments: args}})
		if !errors.As(err, new(*NoRecordError)) {
			t.Errorf("%s: error %v, want a NoRecordError", name, err)
		}
	}
}

// The ID selects the result of one of several equal calls, in any order of the calls. A
// result with the same ID but another tool or other arguments is not used.
func TestReplayByID(t *testing.T) {
	one, two := json.RawMessage(`{"n":1}`), json.RawMessage(`{"n":2}`)
	log := &runfile.Log{Records: []runfile.Record{
		{Body: runfile.Call{ID: "t1c1", Name: "f", Effective: one}},
		{Body: runfile.Call{ID: "t1c2", Name: "f", Effective: one}},
		{Body: runfile.Call{ID: "t1c3", Name: "f", Effective: two}},
		{Body: runfile.Call{ID: "t2c1", Name: "f", Effective: one}},
		{Body: runfile.Result{Call: "t1c2", Result: chat.Success("t1c2")}}, // ended first
		{Body: runfile.Result{Call: "t1c1", Result: chat.Success("t1c1")}},
		{Body: runfile.Result{Call: "t1c3", Result: chat.Success("t1c3")}},
		{Body: runfile.Result{Call: "t2c1", Result: chat.Success("t2c1")}},
	}}
	r := NewReplay(log)
	for _, c := range []struct {
		id   string
		args json.RawMessage
		want string // "" for no record
	}{
		{"t2c1", one, "t2c1"},
		{"t1c3", one, "t1c2"}, // the id is that of another call
		{"t1c1", one, "t1c1"},
		{"t1c2", one, ""},
		{"other", two, "t1c3"},
		{"t1c3", two, ""},
	} {
		got, err := r.Run(t.Context(), chat.Execution{Call: chat.Call{ID: c.id, Name: "f", Arguments: c.args}})
		if c.want == "" {
			if !errors.As(err, new(*NoRecordError)) {
				t.Errorf("%s %s: %s, %v, want a NoRecordError", c.id, c.args, got.Data, err)
			}
			continue
		}
		if err != nil || data[string](t, got) != c.want {
			t.Errorf("%s %s: %s, %v, want %s", c.id, c.args, got.Data, err, c.want)
		}
	}
}
