package cmd

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fatih/color"

	"oneshot/pkg/batch"
)

// batchCounts count the records of a batch.
type batchCounts struct {
	total  int
	byExit map[string]int // lines, by the name of their exit
}

// add counts a line.
func (c *batchCounts) add(l batch.OutputLine) {
	if c.byExit == nil {
		c.byExit = map[string]int{}
	}
	c.byExit[l.Exit.Name]++
}

// done returns the number of records with a line.
func (c *batchCounts) done() (n int) {
	for _, count := range c.byExit {
		n += count
	}
	return n
}

// failed returns the number of records whose line has an error.
func (c *batchCounts) failed() int { return c.done() - c.byExit["ok"] }

// summary returns the number of failed records, by exit, and the number of records without a line.
func (c *batchCounts) summary() string {
	var why []string
	for _, name := range slices.Sorted(maps.Keys(c.byExit)) {
		if name != "ok" {
			why = append(why, fmt.Sprintf("%d %s", c.byExit[name], name))
		}
	}
	text := fmt.Sprintf("%d of %d records failed", c.failed(), c.total)
	if len(why) > 0 {
		text += " (" + strings.Join(why, ", ") + ")"
	}
	if left := c.total - c.done(); left > 0 {
		text += fmt.Sprintf(", %d have no line yet", left)
	}
	return text
}

// batchProgress shows the progress of a batch: one updated line on a terminal, and in a log a line for each record. Without a
// log it also prints the first failures and warnings.
type batchProgress struct {
	console *console
	counts  batchCounts
	budget  *batch.Budget
	start   time.Time
	first   int // records that were done at the start
	shown   int // failures and warnings
	drawn   time.Time
}

func newBatchProgress(t *console, counts batchCounts, budget *batch.Budget) *batchProgress {
	return &batchProgress{console: t, counts: counts, budget: budget, start: time.Now(), first: counts.done()}
}

// maxShownFailures is the maximum number of printed failures and warnings of a batch. The output has all.
const maxShownFailures = 20

// redraw is the minimum time between two updates of the line on a terminal.
const redraw = 200 * time.Millisecond

// add counts the line of a record, and shows it.
func (p *batchProgress) add(l batch.OutputLine) {
	p.counts.add(l)
	t := p.console
	attrs := []slog.Attr{slog.String("record", l.ID), slog.String("run", l.RunID), slog.Int("exit", l.Exit.Code), slog.String("exit_name", l.Exit.Name), slog.Any("cost_usd", l.Cost), slog.Int64("duration_ms", l.DurationMS)}
	switch {
	case l.Error == nil && len(l.Warnings) == 0:
		t.logOnly(slog.LevelInfo, "record done", attrs...)
	case l.Error == nil && t.format == "json":
		t.logOnly(slog.LevelWarn, "record done", append(attrs, slog.Any("warnings", l.Warnings))...)
	case t.format == "json":
		t.logOnly(slog.LevelWarn, "record failed", append(attrs, slog.String("why", l.Error.Message))...)
	case p.shown < maxShownFailures:
		t.note("record %s: %s: %s", l.ID, l.Exit.Name, describeProblem(l))
	case p.shown == maxShownFailures:
		t.note("more failures and warnings are not shown; the output has them")
	}
	if l.Error != nil || len(l.Warnings) > 0 {
		p.shown++
	}
	p.draw()
}

// describeProblem returns the error of a line, or its first warning.
func describeProblem(l batch.OutputLine) string {
	if l.Error == nil {
		return l.Warnings[0]
	}
	return l.Error.Message
}

// draw shows the state on a terminal.
func (p *batchProgress) draw() {
	t, now := p.console, time.Now()
	if !t.canRedraw() || now.Sub(p.drawn) < redraw {
		return
	}
	failed := fmt.Sprintf("%d failed", p.counts.failed())
	if p.counts.failed() > 0 {
		failed = t.colorize(color.FgRed, failed)
	}
	text := fmt.Sprintf("%d of %d records, %s", p.counts.done(), p.counts.total, failed)
	if made, took := p.counts.done()-p.first, now.Sub(p.start); made > 0 && took > redraw {
		left := time.Duration(float64(took) / float64(made) * float64(p.counts.total-p.counts.done()))
		text += fmt.Sprintf(", %.1f/s, %v left", float64(made)/took.Seconds(), left.Round(time.Second))
	}
	t.live.set("oneshot: " + text + p.cost())
	p.drawn = now
}

// cost returns the cost of the runs of the batch in words, or "" if it is 0.
func (p *batchProgress) cost() string { return costSuffix(p.budget.Spent()) }

// summary returns the numbers of failed and unfinished records, and the cost of the runs.
func (p *batchProgress) summary() string { return p.counts.summary() + p.cost() }

// clear removes the line from the terminal.
func (p *batchProgress) clear() { p.console.live.set("") }

// reportAllSucceeded reports that all records succeeded.
func (p *batchProgress) reportAllSucceeded() {
	p.console.progress(slog.LevelInfo, fmt.Sprintf("%d records done in %v%s", p.counts.done()-p.first, time.Since(p.start).Round(time.Millisecond), p.cost()))
}
