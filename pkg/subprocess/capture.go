package subprocess

import (
	"io"
	"math"
	"os"
	"sync/atomic"
)

const (
	defaultCapture = 1 << 20 // the default limit of a captured stream, in bytes
	// A program may print floodFactor times the limit before it is killed.
	floodFactor = 16
)

// A capture keeps the beginning of the data written to it.
type capture struct {
	text    Text
	limit   int64
	budget  *atomic.Int64 // shared by all streams of a program
	onFlood func()        // called when the budget is exhausted
	done    chan struct{}
}

// newCaptures returns the captures of stdout and stderr.
func (c Command) newCaptures(flood func()) (stdout, stderr *capture) {
	most, budget := c.Max, new(atomic.Int64)
	if most <= 0 {
		most = defaultCapture
	}
	budget.Store(min(most, math.MaxInt64/floodFactor) * floodFactor)
	return &capture{limit: most, budget: budget, onFlood: flood, done: make(chan struct{})}, &capture{limit: most, budget: budget, onFlood: flood, done: make(chan struct{})}
}

func (c *capture) Write(b []byte) (int, error) {
	room := min(int64(len(b)), c.limit-int64(len(c.text.Bytes)))
	c.text.Bytes = append(c.text.Bytes, b[:room]...)
	c.text.Total += int64(len(b))
	if c.budget.Add(-int64(len(b))) < 0 {
		c.onFlood()
	}
	return len(b), nil
}

// readPipe captures the data of a pipe until its end.
func (c *capture) readPipe(from *os.File) {
	defer close(c.done)
	_, _ = io.Copy(c, struct{ io.Reader }{from}) // an error is treated as the end
}

// writeStdin writes text to a program's stdin until the program stops reading.
func writeStdin(to *os.File, text []byte) {
	_, _ = to.Write(text)
	_ = to.Close()
}
