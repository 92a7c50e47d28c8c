//go:build unix

package main

import (
	"context"
	"syscall"
	"time"
)

// A Reader reads a text within the process.
type Reader struct {
	Name string
	Size int // of the text, in bytes
	Read func() error
	// Time, if set, is used instead of Read: it says how long a pass takes.
	Time func() (time.Duration, error)
}

// longEnough is how long the passes of a reader are measured together, at least.
const longEnough = 10 * time.Millisecond

// timePass returns how much time of a processor one pass takes.
func (r Reader) timePass() (time.Duration, error) {
	if r.Time != nil {
		return r.Time()
	}
	start, passes, took := cpuTime(), 0, time.Duration(0)
	for ; passes == 0 || took < longEnough; passes++ {
		if err := r.Read(); err != nil {
			return 0, err
		}
		took = cpuTime() - start
	}
	return took / time.Duration(passes), nil
}

// cpuTime returns how much time of processors the process has taken, which depends
// less than the time that has passed on what else the machine does.
func cpuTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// bestThroughputs lets readers read in turn, once per round, and returns the throughput
// of each in MB/s: the best, because what else the machine does only takes time.
func bestThroughputs(ctx context.Context, rounds int, readers []Reader) ([]float64, error) {
	best := make([]float64, len(readers))
	for range rounds {
		for i, r := range readers {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			took, err := r.timePass()
			if err != nil {
				return nil, &readerError{r.Name, err}
			}
			best[i] = max(best[i], float64(r.Size)/1e6/took.Seconds())
		}
	}
	return best, nil
}

// A readerError says which reader failed.
type readerError struct {
	reader string
	err    error
}

func (e *readerError) Error() string { return e.reader + ": " + e.err.Error() }

func (e *readerError) Unwrap() error { return e.err }
