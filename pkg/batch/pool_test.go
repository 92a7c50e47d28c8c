package batch

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// numbers yields the numbers below n, and then an error if there is one.
func numbers(n int, err error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

// Each result is delivered once, in the order of the items or, if unordered, as soon as it is ready.
func TestRun(t *testing.T) {
	for _, unordered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var got []int
			var atOnce, most atomic.Int32
			work := func(i int) int {
				most.Store(max(most.Load(), atOnce.Add(1)))
				time.Sleep(time.Duration(100-i) * time.Millisecond)
				atOnce.Add(-1)
				return i
			}
			err := Run(t.Context(), Pool{Workers: 4, Ahead: 64, Unordered: unordered}, numbers(100, nil), work, func(i int) error { got = append(got, i); return nil })
			isSorted := slices.IsSorted(got)
			slices.Sort(got)
			if err != nil || len(got) != 100 || got[0] != 0 || got[99] != 99 || isSorted == unordered || most.Load() != 4 {
				t.Errorf("unordered %v: %v, in order: %v, %d at once, %v", unordered, got, isSorted, most.Load(), err)
			}
		})
	}
}

// While a slow first item runs, only a bounded number of others is begun.
func TestRunBoundedAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun, delivered, most atomic.Int32
		work := func(i int) int {
			most.Store(max(most.Load(), begun.Add(1)-delivered.Load()))
			if time.Sleep(time.Millisecond); i == 0 {
				time.Sleep(time.Second)
			}
			return i
		}
		err := Run(t.Context(), Pool{Workers: 4, Ahead: 64}, numbers(1000, nil), work, func(int) error { delivered.Add(1); return nil })
		if err != nil || delivered.Load() != 1000 || most.Load() != 64 {
			t.Errorf("%d delivered, at most %d begun and not delivered, %v", delivered.Load(), most.Load(), err)
		}
	})
}

// When the context ends, or the items or a delivery fail, no more items are begun, and work in progress is completed first.
func TestRunEnds(t *testing.T) {
	fault := errors.New("fault")
	tests := map[string]struct {
		items   iter.Seq2[int, error]
		deliver error
		cancel  bool
		want    error
	}{
		"items":   {items: numbers(20, fault), want: fault},
		"deliver": {items: numbers(1000, nil), deliver: fault, want: fault},
		"context": {items: numbers(1000, nil), cancel: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var mu sync.Mutex
				begun, ended, delivered := 0, 0, 0
				work := func(i int) int {
					mu.Lock()
					begun++
					mu.Unlock()
					time.Sleep(time.Millisecond)
					mu.Lock()
					ended++
					mu.Unlock()
					return i
				}
				err := Run(ctx, Pool{Workers: 3, Ahead: 9}, test.items, work, func(i int) error {
					if delivered++; i < 10 {
						return nil
					}
					if test.cancel {
						cancel()
					}
					return test.deliver
				})
				if !errors.Is(err, test.want) || begun != ended || begun > 40 {
					t.Errorf("%v, %d begun, %d ended, %d delivered", err, begun, ended, delivered)
				}
				if test.deliver == nil && delivered != begun {
					t.Errorf("%d begun, %d delivered", begun, delivered)
				}
			})
		})
	}
}
