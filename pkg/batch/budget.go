package batch

import (
	"context"
	"fmt"
	"sync"

	"oneshot/pkg/chat"
)

// A Budget limits the cost of all runs of a batch. Each request reserves the most that it may cost, so that requests
// under way at the same time do not exceed the limit together. It is safe for concurrent use.
type Budget struct {
	limit chat.USD // 0: no limit

	mu       sync.Mutex
	spent    chat.Cost
	reserved chat.USD
	freed    chan struct{} // closed when a reservation ends
}

// NewBudget returns a budget of which earlier runs have spent a part. Limit 0 is no limit.
func NewBudget(limit chat.USD, spent chat.Cost) *Budget {
	return &Budget{limit: limit, spent: spent, freed: make(chan struct{})}
}

// A BudgetError reports a request that may cost more than is left of a [Budget].
type BudgetError struct {
	Limit, Left chat.USD
	Needed      chat.USD // by the request that was not sent; 0 if its response was cut off
}

func (e *BudgetError) Error() string {
	if e.Needed == 0 {
		return fmt.Sprintf("the batch exceeds its budget of $%s", e.Limit)
	}
	return fmt.Sprintf("the next request may cost $%s, but only $%s of the batch's $%s are left; it was not sent", e.Needed, e.Left, e.Limit)
}

// Spent returns the cost of the runs so far, without requests under way.
func (b *Budget) Spent() chat.Cost {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Reserve reserves the cost of a request. If too little is left because of other reservations, it waits for them to end. The
// error is a *[BudgetError], or the cause of ctx's end.
func (b *Budget) Reserve(ctx context.Context, most chat.USD) (*Reservation, error) {
	for {
		r, freed, err := b.tryReserve(most)
		if r != nil || err != nil {
			return r, err
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// tryReserve reserves an amount, or returns a channel that is closed when more may be left.
func (b *Budget) tryReserve(most chat.USD) (*Reservation, <-chan struct{}, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch left := b.limit - b.spent.Amount; {
	case b.limit == 0 || b.reserved.Add(most) <= left:
		b.reserved = b.reserved.Add(most)
		return &Reservation{of: b, most: most}, nil, nil
	case most > left:
		return nil, nil, &BudgetError{Limit: b.limit, Left: max(0, left), Needed: most}
	}
	return nil, b.freed, nil
}

// A Reservation is the part of a [Budget] that a request may cost.
type Reservation struct {
	of   *Budget
	most chat.USD
}

// Raise reserves more for a request under way. The error is a *[BudgetError] if too little is left.
func (r *Reservation) Raise(most chat.USD) error {
	b := r.of
	b.mu.Lock()
	defer b.mu.Unlock()
	if most <= r.most || b.limit == 0 {
		return nil
	}
	if (b.reserved - r.most).Add(most) > b.limit-b.spent.Amount {
		return &BudgetError{Limit: b.limit}
	}
	b.reserved += most - r.most
	r.most = most
	return nil
}

// End replaces the reservation by the cost of the request. It is called once.
func (r *Reservation) End(cost chat.Cost) {
	b := r.of
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= r.most
	b.spent = b.spent.Add(cost)
	close(b.freed)
	b.freed = make(chan struct{})
}
