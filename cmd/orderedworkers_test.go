package cmd

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"testing"

	"go.uber.org/goleak"
)

// numbers yields the numbers below n, and then the error if it is not nil.
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

// Results arrive in the order of their items, and those before an error arrive first.
func TestMapOrdered(t *testing.T) {
	defer goleak.VerifyNone(t)
	broken := errors.New("broken")
	for _, want := range []error{nil, broken} {
		var got []int
		err := mapOrdered(t.Context(), numbers(1000, want), func(i int) int { return 2 * i }, func(i int) error {
			got = append(got, i)
			return nil
		})
		if !errors.Is(err, want) || len(got) != 1000 || !slices.IsSorted(got) {
			t.Errorf("%d results and %v, want 1000 in order and %v", len(got), err, want)
		}
	}
}

// mapOrdered ends at the first error or panic of its functions or of ctx, and leaves no goroutine behind.
func TestMapOrderedEnds(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := errors.New("ended")
	for name, run := range map[string]func() error{
		"take": func() error {
			return mapOrdered(t.Context(), numbers(1e6, nil), double, func(int) error { return ended })
		},
		"work": func() error { return mapOrdered(t.Context(), numbers(1e6, nil), func(int) int { panic(ended) }, drop) },
		"the item": func() error {
			return mapOrdered(t.Context(), func(func(int, error) bool) { panic(ended) }, double, drop)
		},
		"ctx": func() error {
			return mapOrdered(ctx, numbers(1e9, nil), double, func(int) error { cancel(ended); return nil })
		},
	} {
		err, bug := run(), new(panicError)
		if errors.As(err, &bug) {
			err = bug.value.(error)
		}
		if !errors.Is(err, ended) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// mapOrdered does not wait for a blocked read.
func TestMapOrderedHangs(t *testing.T) {
	defer goleak.VerifyNone(t)
	r, w := io.Pipe()
	defer w.Close()
	hangs := func(yield func(int, error) bool) {
		if yield(1, nil) {
			_, err := r.Read(make([]byte, 1))
			yield(0, err)
		}
	}
	ended := errors.New("ended")
	if err := mapOrdered(t.Context(), hangs, double, func(int) error { return ended }); !errors.Is(err, ended) {
		t.Error(err)
	}
}

func double(i int) int { return 2 * i }

func drop(int) error { return nil }
