package cmd

import (
	"context"
	"iter"
	"runtime"
)

// mapOrdered applies work to items concurrently and passes the results to take in the order of the items. It buffers a
// bounded number of them. It returns the first error of the items, of take or of ctx, without waiting for blocked reads.
func mapOrdered[T, R any](ctx context.Context, items iter.Seq2[T, error], work func(T) R, take func(R) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	workers := runtime.GOMAXPROCS(0)
	todo, order := make(chan job[T, R], workers), make(chan job[T, R], workers)
	var failure error // of the items; set when order is closed
	go func() {
		defer close(order)
		defer close(todo)
		failure = enqueue(ctx, items, todo, order)
	}()
	for range workers {
		go func() {
			for j := range todo {
				j.run(work)
			}
		}()
	}
	for {
		select {
		case j, more := <-order:
			if !more {
				return failure
			}
			if err := j.taken(ctx, take); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// enqueue sends a job for each item to both channels.
func enqueue[T, R any](ctx context.Context, items iter.Seq2[T, error], todo, order chan<- job[T, R]) (err error) {
	defer recoverPanic(&err)
	for item, err := range items {
		if err != nil {
			return err
		}
		j := job[T, R]{item, make(chan outcome[R], 1)}
		for _, q := range []chan<- job[T, R]{todo, order} {
			select {
			case q <- j:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// A job is an item and its future result.
type job[T, R any] struct {
	item T
	done chan outcome[R]
}

// An outcome is a result or a panic.
type outcome[R any] struct {
	result R
	err    error
}

func (j job[T, R]) run(work func(T) R) {
	var o outcome[R]
	defer func() { j.done <- o }()
	defer recoverPanic(&o.err)
	o.result = work(j.item)
}

// taken waits for the result and passes it to take.
func (j job[T, R]) taken(ctx context.Context, take func(R) error) error {
	select {
	case o := <-j.done:
		if o.err != nil {
			return o.err
		}
		return take(o.result)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
