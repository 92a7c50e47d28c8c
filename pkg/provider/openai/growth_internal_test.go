//go:build unix

package openai

import (
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"oneshot/pkg/provider/wire"
)

// The work for each delta of a stream must not depend on the number of earlier calls.
func TestLookupIsCheap(t *testing.T) {
	repeat := func(n int) {
		var r wire.Response
		var x callIndex
		for i := range n {
			p := callDelta{index: strconv.Itoa(i / 2), name: "f"}
			c := x.lookup(p, 0, 1)
			if c == nil {
				c = newCall(r.BeginCall(gjson.Result{}, gjson.Result{Str: "f"}, gjson.Result{}), &wire.Node{})
				x.all = append(x.all, c)
			}
			x.recordDelta(&r, c, p)
		}
	}
	const few = 5000
	small, large := timeOf(func() { repeat(few) }), timeOf(func() { repeat(16 * few) })
	if large > 50*small+150*time.Millisecond {
		t.Errorf("%d take %v, sixteen times as many %v", few, small, large)
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
