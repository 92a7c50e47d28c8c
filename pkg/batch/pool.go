package batch

import (
	"context"
	"iter"
	"sync"
)

// A Pool sets the concurrency of [Run].
type Pool struct {
	Workers int
	// Ahead is the maximum number of items that are begun and not delivered.
	Ahead     int
	Unordered bool // deliver results as they come, not in the order of the items
}

// Run passes items to work and each result to deliver, one at a time. It begins no item after ctx has ended or deliver has
// returned an error. It returns when all work in progress has ended and its results are delivered; after an error of deliver,
// nothing more is delivered. It returns the error of deliver, or else that of the items. Work has to handle its own panics.
func Run[T, R any](ctx context.Context, p Pool, items iter.Seq2[T, error], work func(T) R, deliver func(R) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type job struct {
		item   T
		result chan<- R
	}
	todo := make(chan job)
	slots := make(chan struct{}, p.Ahead)
	results := make(chan (<-chan R), p.Ahead) // in the order of delivery
	common := make(chan R, p.Ahead)           // for results in any order
	begin := func(item T) bool {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return false
		}
		result := common
		if !p.Unordered {
			result = make(chan R, 1)
		}
		select {
		case todo <- job{item, result}:
			results <- result
			return true
		case <-ctx.Done():
			return false
		}
	}
	var failure error // of the items; set when results is closed
	var workers sync.WaitGroup
	for range p.Workers {
		workers.Go(func() {
			for j := range todo {
				j.result <- work(j.item)
			}
		})
	}
	workers.Go(func() {
		defer close(results)
		defer close(todo)
		for item, err := range items {
			if failure = err; err != nil || ctx.Err() != nil || !begin(item) {
				return
			}
		}
	})
	var failed error
	for next := range results {
		result := <-next
		<-slots
		if failed == nil {
			if failed = deliver(result); failed != nil {
				stop()
			}
		}
	}
	workers.Wait()
	if failed != nil {
		return failed
	}
	return failure
}
