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
	// Time, if set, is used instead of Read: it returns the time of a pass.
	Time func() (time.Duration, error)
}

// longEnough is the minimum total time of the measured passes of a reader.
const longEnough = 10 * time.Millisecond

// timePass returns the CPU time of one pass.
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

// cpuTime returns the CPU time of this process, which depends less on the load of the
// machine than wall time.
func cpuTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// bestThroughputs runs the readers in turn, once per round, and returns the best
// throughput of each in MB/s: other load only adds time.
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

// A readerError reports the failure of a reader.
type readerError struct {
	reader string
	err    error
}

func (e *readerError) Error() string { return e.reader + ": " + e.err.Error() }

func (e *readerError) Unwrap() error { return e.err }
