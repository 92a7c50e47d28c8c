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
// bodies a loop over them would hide behind the cost of reading JSON, so these parts are tested
// by themselves.
func TestPiecesAreCheap(t *testing.T) {
	arguments := gjson.Parse(`"{\"a\":1}"`)
	for name, repeat := range map[string]func(n int){
		"calls that are over": func(n int) {
			q := callQueue{eager: true}
			for range n {
				q.add(gjson.Result{}, gjson.Result{Str: "f"}, arguments)
				q.emitEnded(func(chat.Call, CallSources) {})
			}
		},
		"calls without arguments": func(n int) {
			q := callQueue{eager: true}
			for range n {
				q.add(gjson.Result{}, gjson.Result{Str: "f"}, gjson.Result{})
				q.emitEnded(func(chat.Call, CallSources) {})
			}
			q.emitAll(chat.StopEnd, func(chat.Call, CallSources) {})
		},
		"pieces of calls": func(n int) {
			q, r := callQueue{}, callIndex{}
			for i := range n {
				p := callDelta{index: strconv.Itoa(i / 2), name: "f"}
				c := r.lookup(&q, p, 0, 1)
				if c == nil {
					c = q.add(gjson.Result{}, gjson.Result{Str: "f"}, gjson.Result{})
				}
				r.record(c, p)
			}
		},
		"members": func(n int) {
			var m node
			for i := range n {
				m.member(strconv.Itoa(i)).merge("", arguments, maxMergeDepth)
			}
			m.append(nil)
		},
		"elements": func(n int) {
			var m node
			for i := range n {
				m.merge("", gjson.Parse(`[{"index":`+strconv.Itoa(i)+`}]`), maxMergeDepth)
			}
			m.append(nil)
		},
		"texts": func(n int) {
			var m node
			for range n {
				m.merge("", gjson.Parse(`[{"type":"text","text":"word"}]`), maxMergeDepth)
			}
			m.append(nil)
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
