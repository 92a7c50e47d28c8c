package subprocess

import (
	"io"
	"math"
	"os"
	"sync/atomic"
)

const (
	// kept is how much of a stream is kept when nothing else is said.
	kept = 1 << 20
	// drained is how many times what is kept a program may print before it is ended.
	drained = 16
)

// A capture keeps the beginning of what is written to it.
type capture struct {
	text   Text
	most   int64
	budget *atomic.Int64 // of all streams of a program
	flood  func()        // called when it is used up
	done   chan struct{}
}

// captures are those of stdout and stderr.
func (c Command) captures(flood func()) (stdout, stderr *capture) {
	most, budget := c.Max, new(atomic.Int64)
	if most <= 0 {
		most = kept
	}
	budget.Store(min(most, math.MaxInt64/drained) * drained)
	return &capture{most: most, budget: budget, flood: flood, done: make(chan struct{})}, &capture{most: most, budget: budget, flood: flood, done: make(chan struct{})}
}

func (c *capture) Write(b []byte) (int, error) {
	room := min(int64(len(b)), c.most-int64(len(c.text.Bytes)))
	c.text.Bytes = append(c.text.Bytes, b[:room]...)
	c.text.Total += int64(len(b))
	if c.budget.Add(-int64(len(b))) < 0 {
		c.flood()
	}
	return len(b), nil
}

// read writes what comes from a pipe, to its end.
func (c *capture) read(from *os.File) {
	defer close(c.done)
	_, _ = io.Copy(c, struct{ io.Reader }{from}) // its errors end it, too
}

// feed writes what a program reads, as far as it reads it.
func feed(to *os.File, text []byte) {
	_, _ = to.Write(text)
	_ = to.Close()
}
