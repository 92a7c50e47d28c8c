//go:build unix

package wire

import (
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// The work for each delta of a stream must not depend on the number of earlier ones. In whole
// bodies the cost of parsing JSON would hide a loop over them, so these parts are tested
// separately.
func TestPiecesAreCheap(t *testing.T) {
	arguments := gjson.Parse(`"{\"a\":1}"`)
	for name, repeat := range map[string]func(n int){
		"calls that are over": func(n int) {
			r := Response{EagerCalls: true}
			for range n {
				r.BeginCall(gjson.Result{}, gjson.Result{Str: "f"}, arguments)
				r.EmitEndedCalls()
			}
		},
		"calls without arguments": func(n int) {
			r := Response{EagerCalls: true}
			for range n {
				r.BeginCall(gjson.Result{}, gjson.Result{Str: "f"}, gjson.Result{})
				r.EmitEndedCalls()
			}
			r.EmitAllCalls(chat.StopEnd)
		},
		"members": func(n int) {
			var m Node
			for i := range n {
				m.EnsureMember(strconv.Itoa(i)).Merge("", arguments)
			}
			m.Append(nil)
		},
		"elements": func(n int) {
			var m Node
			for i := range n {
				m.Merge("", gjson.Parse(`[{"index":`+strconv.Itoa(i)+`}]`))
			}
			m.Append(nil)
		},
		"texts": func(n int) {
			var m Node
			for range n {
				m.Merge("", gjson.Parse(`[{"type":"text","text":"word"}]`))
			}
			m.Append(nil)
		},
	} {
		const few = 5000
		small, large := timeOf(func() { repeat(few) }), timeOf(func() { repeat(16 * few) })
		if large > 50*small+150*time.Millisecond {
			t.Errorf("%s: %d take %v, sixteen times as many %v", name, few, small, large)
		}
	}
}

// timeOf returns the least CPU time of this process for f.
func timeOf(f func()) time.Duration {
	least := time.Hour
	for range 3 {
		var before, after syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
		f()
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
		least = min(least, time.Duration(after.Utime.Nano()-before.Utime.Nano()))
	}
	return least
}
