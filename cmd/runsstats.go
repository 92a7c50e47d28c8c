package cmd

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/runfile"
	"oneshot/pkg/telemetry"
)

// statsOptions are the flags of "oneshot runs stats".
type statsOptions struct {
	*runsOptions
	by     string
	format string
}

// groupings are the values of --by.
var groupings = []string{string(telemetry.ByDay), string(telemetry.ByModel), string(telemetry.ByAgent), string(telemetry.ByTool)}

func newStats(runs *runsOptions) *cobra.Command {
	o := &statsOptions{runsOptions: runs}
	c := &cobra.Command{
		Use:   "stats [flags]",
		Short: "Count recorded runs: success, calls, tokens and cost",
		Long: `Stats counts the runs in the state directory, those of batches included: how they
ended, their calls and failures by tool, their tokens and cost. Replays cost nothing and
are counted separately. Records that cannot be read are named on stderr and counted.`,
		Example: "  oneshot runs stats\n  oneshot runs stats --by day --since 30d --format csv",
		RunE:    func(*cobra.Command, []string) error { return o.stats() },
	}
	o.defineBatch(c)
	o.filter.define(c, runs.env)
	f := c.Flags()
	f.StringVar(&o.format, "format", "text", "print `FORMAT`: text, json or csv")
	f.StringVar(&o.by, "by", "", "group by `KEY`: day, model, agent or tool")
	_ = c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(groupings, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// A statsDocument is the output as JSON.
type statsDocument struct {
	By         string            `json:"by,omitempty"`
	Since      *time.Time        `json:"since,omitempty"`
	Total      telemetry.Stats   `json:"total"`
	Groups     []telemetry.Stats `json:"groups,omitempty"`
	Unreadable []unreadableRun   `json:"unreadable"`
}

// An unreadableRun is a record that is not counted.
type unreadableRun struct {
	File  string `json:"file"`
	Fault string `json:"fault"`
}

func (o *statsOptions) stats() error {
	if err := cmp.Or(checkFormat(o.format, "text", "json", "csv"), o.filter.check()); err != nil {
		return err
	}
	if o.by != "" && !slices.Contains(groupings, o.by) {
		return usagef("use --by day, model, agent or tool", "--by: unknown value %q", o.by)
	}
	doc, err := o.collect()
	if err != nil {
		return err
	}
	for _, u := range doc.Unreadable {
		o.console.note("not counted: %s: %s", u.File, u.Fault)
	}
	switch o.format {
	case "json":
		return report.JSON(o.console.out, doc)
	case "csv":
		return doc.writeCSV(o.console.out)
	}
	return doc.writeText(o.console.out)
}

// statsChunk is the number of runs that are kept in memory.
const statsChunk = 1000

// collect reads the runs.
func (o *statsOptions) collect() (*statsDocument, error) {
	paths, err := o.allFiles()
	if err != nil {
		return nil, err
	}
	own, err := o.console.defaults.ownPrices()
	if err != nil {
		return nil, err
	}
	doc := &statsDocument{By: o.by, Unreadable: []unreadableRun{}}
	if since := o.filter.since.at; !since.IsZero() {
		doc.Since = &since
	}
	all := telemetry.NewCollector(telemetry.Grouping(o.by), o.env.Now().Location())
	for some := range slices.Chunk(paths, statsChunk) {
		runs, faults, selected := make([]telemetry.Run, len(some)), make([]error, len(some)), make([]bool, len(some))
		inParallel(len(some), func(i int) {
			runs[i], faults[i] = telemetry.ReadRun(some[i], own)
			selected[i] = o.filter.matches(runs[i])
			runs[i].Prompt = "" // it can be large
		})
		for i, run := range runs {
			switch {
			case faults[i] != nil:
				doc.Unreadable = append(doc.Unreadable, unreadableRun{filepath.Base(some[i]), faults[i].Error()})
			case selected[i]:
				all.CountRun(run)
			}
		}
	}
	doc.Total, doc.Groups = all.Stats()
	return doc, nil
}

// inParallel calls do for each number below n, on all processors.
func inParallel(n int, do func(i int)) {
	var workers sync.WaitGroup
	for w, step := 0, runtime.GOMAXPROCS(0); w < step; w++ {
		workers.Go(func() {
			for i := w; i < n; i += step {
				do(i)
			}
		})
	}
	workers.Wait()
}

// writeCSV prints a line for each group, or one for all runs.
func (d *statsDocument) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{
		cmp.Or(d.By, "all"), "runs", "ok", "unfinished", "replays", "success_rate", "turns", "calls", "failed_calls", "needs", "input_tokens", "cached_input_tokens",
		"cache_write_tokens", "output_tokens", "reasoning_tokens", "estimated_tokens", "cost_usd", "known_cost_usd", "seconds",
	})
	for _, s := range d.rows() {
		cost := ""
		if s.Cost.Known {
			cost = s.Cost.Amount.String()
		}
		row := []string{s.Key}
		for _, n := range []int{s.Runs, s.OK, s.Unfinished, s.Replays} {
			row = append(row, strconv.Itoa(n))
		}
		row = append(row, fractionText(s.SuccessRate, ""))
		for _, n := range []int{
			s.Turns, s.Calls, s.Failed, s.Needs, s.Usage.InputTokens, s.Usage.CachedInputTokens, s.Usage.CacheWriteTokens, s.Usage.OutputTokens,
			s.Usage.ReasoningTokens, s.Usage.EstimatedTokens,
		} {
			row = append(row, strconv.Itoa(n))
		}
		_ = out.Write(append(row, cost, s.KnownCost.String(), strconv.FormatFloat(s.Seconds, 'f', 3, 64)))
	}
	out.Flush()
	return out.Error()
}

// rows returns the groups, or the total if runs are not grouped.
func (d *statsDocument) rows() []telemetry.Stats {
	if d.By == "" {
		return []telemetry.Stats{d.Total}
	}
	return d.Groups
}

// fractionText returns a rate, or a text if there is none.
func fractionText(rate *float64, none string) string {
	if rate == nil {
		return none
	}
	return strconv.FormatFloat(*rate, 'f', 3, 64)
}

// writeText prints the statistics within 80 columns.
func (d *statsDocument) writeText(w io.Writer) error {
	out := bufio.NewWriter(w)
	if d.By == "" {
		writeTotal(out, d.Total)
	} else {
		writeGroups(out, d.By, d.Groups)
	}
	var omitted []string
	if n := d.Total.Replays; n > 0 && d.By != "" { // the total has a line for them
		omitted = append(omitted, report.Count(n, "replay"))
	}
	if n := len(d.Unreadable); n > 0 {
		omitted = append(omitted, report.Count(n, "unreadable record"))
	}
	if len(omitted) > 0 {
		fmt.Fprintf(out, "\nnot counted: %s\n", strings.Join(omitted, ", "))
	}
	return out.Flush()
}

// writeTotal prints the statistics of all runs.
func writeTotal(w io.Writer, s telemetry.Stats) {
	fmt.Fprintf(w, "runs     %d: %d ok, %d unfinished; %s of the finished succeeded\n", s.Runs, s.OK, s.Unfinished, percentText(s.SuccessRate))
	fmt.Fprintf(w, "replays  %d\n", s.Replays)
	fmt.Fprintf(w, "turns    %d\n", s.Turns)
	fmt.Fprintf(w, "calls    %d: %d failed, %d needed information\n", s.Calls, s.Failed, s.Needs)
	fmt.Fprintf(w, "tokens   %s\n", describeUsage(s.Usage))
	fmt.Fprintf(w, "cost     %s\n", costText(s.Cost))
	fmt.Fprintf(w, "time     %v\n", time.Duration(s.Seconds*float64(time.Second)).Round(time.Millisecond))
	fmt.Fprintln(w)
	writeColumns(w, "EXIT\tRUNS", func(row func(cells ...any)) {
		for _, name := range slices.Sorted(maps.Keys(s.Exits)) {
			row(report.EscapeLine(name), s.Exits[name])
		}
	})
	if len(s.Models) > 0 {
		fmt.Fprintln(w)
		writeColumns(w, "MODEL\tREQUESTS\tINPUT\tOUTPUT\tCOST", func(row func(cells ...any)) {
			for _, m := range s.Models {
				row(keyText(m.Model), m.Requests, m.Usage.InputTokens, m.Usage.OutputTokens, costText(m.Cost))
			}
		})
	}
	if len(s.Tools) > 0 {
		fmt.Fprintln(w)
		writeTools(w, s.Tools)
	}
}

// writeTools prints the calls by tool and outcome.
func writeTools(w io.Writer, tools []runfile.ToolCount) {
	writeColumns(w, "TOOL\tCALLS\tOK\tNEEDS\tFAILURES", func(row func(cells ...any)) {
		for _, t := range tools {
			var failures []string
			for _, reason := range slices.Sorted(maps.Keys(t.Failures)) {
				failures = append(failures, fmt.Sprintf("%s %d", escapeInvisible(reason), t.Failures[reason]))
			}
			row(keyText(t.Tool), t.Calls, t.OK, t.Needs, strings.Join(failures, ", "))
		}
	})
}

// writeGroups prints a line for each group.
func writeGroups(w io.Writer, by string, groups []telemetry.Stats) {
	if by == string(telemetry.ByTool) {
		var tools []runfile.ToolCount
		for _, g := range groups {
			tools = append(tools, g.Tools...)
		}
		writeTools(w, tools)
		return
	}
	writeColumns(w, strings.ToUpper(by)+"\tRUNS\tOK\tCALLS\tFAILED\tINPUT\tOUTPUT\tCOST", func(row func(cells ...any)) {
		for _, g := range groups {
			if g.Runs == 0 { // replays only
				continue
			}
			row(keyText(g.Key), g.Runs, percentText(g.SuccessRate), g.Calls, g.Failed, g.Usage.InputTokens, g.Usage.OutputTokens, costText(g.Cost))
		}
	})
}

// writeColumns prints aligned columns.
func writeColumns(w io.Writer, heading string, rows func(row func(cells ...any))) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, heading)
	rows(func(cells ...any) {
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = fmt.Sprint(c)
		}
		fmt.Fprintln(t, strings.TrimRight(strings.Join(texts, "\t"), "\t"))
	})
	_ = t.Flush() // the buffer below it keeps the error
}

// maxKey is the width of the first column.
const maxKey = 26

// keyText returns a key for a table.
func keyText(key string) string { return oneLineExcerpt(cmp.Or(key, "(none)"), maxKey) }

func percentText(rate *float64) string {
	if rate == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", *rate*100)
}

// costText returns a cost for a table: for a partly unknown cost, the known part and " + unknown".
func costText(c chat.Cost) string {
	rounded := (c.Amount + chat.NanosPerUSD/20_000) / (chat.NanosPerUSD / 10_000)
	text := fmt.Sprintf("$%d.%04d", rounded/10_000, rounded%10_000)
	switch {
	case c.Known:
		return text
	case c.Amount == 0:
		return "unknown"
	}
	return text + " + unknown"
}
