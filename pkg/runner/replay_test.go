package runner

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
