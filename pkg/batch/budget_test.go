package batch

import (
	"context"
	"errors"
	"sync"
	"testing"

	"oneshot/pkg/chat"
)

func known(amount chat.USD) chat.Cost { return chat.Cost{Amount: amount, Known: true} }

// A request that may cost more than is left is an error. One that fits once other reservations end waits for them.
func TestBudget(t *testing.T) {
	b := NewBudget(100, known(20))
	first, err := b.Reserve(t.Context(), 60)
	if err != nil {
		t.Fatal(err)
	}
	var over *BudgetError
	if _, err := b.Reserve(t.Context(), 81); !errors.As(err, &over) || *over != (BudgetError{Limit: 100, Left: 80, Needed: 81}) {
		t.Errorf("81 of 80: %v", err)
	}
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(errors.ErrUnsupported)
	if _, err := b.Reserve(gone, 21); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a wait that is cancelled: %v", err)
	}
	waited := make(chan error)
	go func() {
		second, err := b.Reserve(t.Context(), 21)
		if err == nil {
			second.End(known(21))
		}
		waited <- err
	}()
	first.End(known(10))
	if err := <-waited; err != nil {
		t.Errorf("21 of 70: %v", err)
	}
	if got := b.Spent(); got != known(51) {
		t.Errorf("spent %+v", got)
	}
}

// Raise fails if a response costs more than was reserved and the rest of the budget does not suffice.
func TestBudgetRaise(t *testing.T) {
	b := NewBudget(100, known(0))
	first, err1 := b.Reserve(t.Context(), 10)
	second, err2 := b.Reserve(t.Context(), 10)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	var over *BudgetError
	if err := first.Raise(90); err != nil {
		t.Errorf("90 of 90: %v", err)
	}
	if err := second.Raise(11); !errors.As(err, &over) || over.Needed != 0 {
		t.Errorf("11 of 10: %v", err)
	}
	first.End(chat.Cost{Amount: 5})
	if err := second.Raise(95); err != nil {
		t.Errorf("95 of 95: %v", err)
	}
	if got := b.Spent(); got != (chat.Cost{Amount: 5}) {
		t.Errorf("spent %+v", got)
	}
}

// Concurrent requests never exceed the limit together, and none waits forever.
func TestBudgetConcurrent(t *testing.T) {
	b := NewBudget(1000, known(0))
	var runs sync.WaitGroup
	for range 50 {
		runs.Go(func() {
			for {
				r, err := b.Reserve(t.Context(), 30)
				if err != nil {
					return
				}
				r.End(known(7))
			}
		})
	}
	runs.Wait()
	if got := b.Spent(); got.Amount <= 1000-30 || got.Amount > 1000 {
		t.Errorf("spent %+v", got)
	}
}

// A budget without a limit only adds up costs.
func TestBudgetWithoutLimit(t *testing.T) {
	b := NewBudget(0, known(1))
	r, err := b.Reserve(t.Context(), 1<<62)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Raise(1<<63 - 1); err != nil {
		t.Error(err)
	}
	r.End(known(2))
	if got := b.Spent(); got != known(3) {
		t.Errorf("spent %+v", got)
	}
}
