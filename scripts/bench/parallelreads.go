//go:build unix

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"time"

	"oneshot/pkg/runfile"
	"oneshot/scripts/modelserver"
)

// The reads of B7: their number in a response, and the time of each.
const (
	readTime   = 100 * time.Millisecond
	sideBySide = 8 // how many reads run at the same time
)

// measureParallelReadCalls measures B7: as many independent reads in one response as may run in
// parallel, and twice as many.
func (b *Bench) measureParallelReadCalls(ctx context.Context, p programs) ([]Row, error) {
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(readTime):
		case <-r.Context().Done():
		}
	}))
	defer slow.Close()
	var rows []Row
	for _, f := range []form{toolOllama, nativeChat} {
		for _, n := range []int{sideBySide, 2 * sideBySide} {
			more, err := b.parallelForm(ctx, p, f, n, slow)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
			rows = append(rows, more...)
		}
	}
	return rows, nil
}

func (b *Bench) parallelForm(ctx context.Context, p programs, f form, n int, slow *httptest.Server) ([]Row, error) {
	runs := min(b.Runs, 7) // each takes a while
	b.logProgress("%d reads in a response, %s: %d rounds", n, f.name, runs)
	var lines []string
	for i := range n {
		if i > 0 {
			lines = append(lines, f.callSeparator())
		}
		lines = append(lines, f.scriptCallLine(fmt.Sprintf("call_%d", i), "wget", fmt.Sprintf(`{"uri": "%s/%d"}`, slow.URL, i)))
	}
	m := startModel(&modelserver.Server{}, f.conversation(f.callsReply(lines...)))
	defer m.Close()
	var walls, slowest, sums []float64
	for round := range runs {
		log, err := b.recordedRun(ctx, m.runArguments(p, f), f, round, "--tool", "wget", "--allow-host", slow.Listener.Addr().String())
		if err != nil {
			return nil, err
		}
		wall, durations := readTimes(log)
		if len(durations) != n {
			return nil, fmt.Errorf("%d results of %d reads", len(durations), n)
		}
		sum := 0.0
		for _, d := range durations {
			sum += d
		}
		walls, slowest, sums = append(walls, wall), append(slowest, slices.Max(durations)), append(sums, sum)
	}
	self := func(v float64) float64 { return v }
	what := fmt.Sprintf("%d reads of %v in a response, %s", n, readTime, f.name)
	waves := float64(n / sideBySide)
	best := Row{ID: "B7", What: what, Value: median(walls, self), Unit: "ms", Against: "the slowest", Base: median(slowest, self)}
	row := Row{ID: "B7", What: what, Value: best.Value, Unit: "ms", Against: "one after the other", Base: median(sums, self)}
	return []Row{best.withGoal(fmt.Sprintf("≤ %.2f×", 1.25*waves), best.Value <= 1.25*waves*best.Base), row}, nil
}

// readTimes returns the total time of the first turn's calls, from the first start to the next
// request, and the time of each, in milliseconds.
func readTimes(log *runfile.Log) (wall float64, durations []float64) {
	var first, next time.Time
	for _, r := range log.Records {
		switch body := r.Body.(type) {
		case runfile.Call:
			if first.IsZero() {
				first = r.Time
			}
		case runfile.Result:
			durations = append(durations, ms(body.Duration))
		case runfile.Request:
			if body.Turn == 2 {
				next = r.Time
			}
		}
	}
	return ms(next.Sub(first)), durations
}
