package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/lint"
	"oneshot/pkg/quote"
)

// A parseReport writes a report. It keeps only totals of printed records, except for JUnit, whose header has totals.
type parseReport struct {
	*parseOptions
	ordered   bool // the output for a record depends on earlier records
	quota     *quota
	collector report.Collector // nil: records are printed one by one
	style     report.Style     // of the findings in a text
	held      bufferedOutput
	free      sync.Pool // printed buffers
	sums
}

// newPiece returns an empty piece of the report.
func (p *parseReport) newPiece(of piece) *parsedPiece {
	text, ok := p.free.Get().(*bytes.Buffer)
	if !ok {
		text = new(bytes.Buffer)
	}
	return &parsedPiece{piece: of, text: text}
}

// sums are the totals of records.
type sums struct {
	records int
	tally   diag.Tally
	fixable int // findings with a safe fix
}

func (s *sums) add(more sums) {
	s.records += more.records
	s.tally = s.tally.Add(more.tally)
	s.fixable += more.fixable
}

func (o *parseOptions) newReport() *parseReport {
	r := &parseReport{
		parseOptions: o, quota: o.findings.quota(), collector: newCollector(o.format), style: o.console.findingStyle(onStdout),
		held: bufferedOutput{w: o.console.out, most: bufferedBytes},
	}
	r.ordered = r.collector != nil || r.quota.most > 0 || o.findings.isStateful()
	if o.format == "jsonl" {
		r.held.most = 0
	}
	return r
}

// printToPiece selects the findings of a record and prints it to a piece. It may run concurrently unless the report is ordered.
func (p *parseReport) printToPiece(b *parsedPiece, r *lint.ParseResult) {
	p.findings.filterReported(subject{b.number, r.File, r.Text, r.Calls, &r.Findings})
	tally := diag.TallyOf(r.Findings)
	b.add(sums{1, tally, len(diag.SafeFixes(r.Findings))})
	shown, cut := p.quota.take(r.Findings)
	r.Findings, r.FindingsCut = shown, len(cut)
	p.print(b.text, b.number, r, tally, diag.TallyOf(cut))
}

// print prints a record whose findings have been selected, with the tallies of all its findings and of the omitted ones.
func (p *parseReport) print(w *bytes.Buffer, number int, r *lint.ParseResult, tally, omitted diag.Tally) {
	file := report.File{Name: r.File, Number: number, Text: r.Text, Findings: r.Findings, Omitted: omitted}
	switch p.format { // a buffer takes everything
	case "text":
		printRecord(w, r, tally, p.style)
	case "json":
		printJSONElement(w, r)
	case "jsonl":
		w.Write(append(diag.EscapeInvisibleJSON(r.AppendJSON(w.AvailableBuffer())), '\n'))
	case "github":
		_ = report.GitHub(w, file)
	default:
		_ = p.collector.Add(w, file)
	}
}

// take prints a piece, in the order of the files.
func (p *parseReport) take(b *parsedPiece) error {
	for i := range b.records {
		p.printToPiece(b, &b.records[i])
	}
	b.Release()
	if p.format == "json" && p.records == 0 && b.text.Len() > 0 {
		b.text.Bytes()[0] = '[' // replaces a comma
	}
	p.add(b.sums)
	_, err := b.text.WriteTo(&p.held)
	p.free.Put(b.text)
	return err
}

// finish prints the end of the report, and returns an error if findings reach the threshold.
func (p *parseReport) finish() error {
	stale, err := p.findings.finishBaseline(p.console)
	if err != nil {
		return err
	}
	if len(stale) > 0 {
		if err := p.take(p.baselinePiece(stale)); err != nil {
			return err
		}
	}
	if err := p.close(); err != nil {
		return err
	}
	return p.thresholdError(p.tally)
}

// baselinePiece returns a piece with the findings about the baseline.
func (p *parseReport) baselinePiece(stale []diag.Finding) *parsedPiece {
	base := p.findings.base
	b := p.newPiece(piece{number: -1})
	b.records = []lint.ParseResult{{
		File: base.name, Why: "it is the baseline", Calls: []lint.Call{}, Findings: stale, Text: diag.Text{Bytes: base.text},
	}}
	return b
}

// close ends the document.
func (p *parseReport) close() error {
	switch p.format {
	case "text":
		p.quota.printRest(&p.held)
		if !p.findings.strict {
			printFixable(&p.held, p.fixable)
		}
	case "json":
		fmt.Fprint(&p.held, map[bool]string{true: "\n]\n", false: "[]\n"}[p.records > 0])
	case "github":
		p.quota.note(p.console)
	case "sarif", "junit":
		p.quota.note(p.console)
		if err := p.collector.End(&p.held); err != nil {
			return err
		}
	}
	return p.held.flush()
}

// bufferedBytes is how much of a report is buffered before the first write.
const bufferedBytes = 1 << 20

// bufferedOutput buffers the first bytes of a text, so that nothing is on stdout if a file turns out to be unreadable early.
// It keeps the first error.
type bufferedOutput struct {
	w    io.Writer
	most int
	text []byte
	err  error
}

func (h *bufferedOutput) Write(p []byte) (int, error) {
	if h.most == 0 && h.err == nil {
		_, h.err = h.w.Write(p)
		return len(p), h.err
	}
	h.text = append(h.text, p...)
	if len(h.text) > h.most {
		return len(p), h.flush()
	}
	return len(p), h.err
}

func (h *bufferedOutput) flush() error {
	if h.err == nil && len(h.text) > 0 {
		_, h.err = h.w.Write(h.text)
		h.text, h.most = nil, 0
	}
	return h.err
}

// printJSONElement prints a record as a further element of a JSON array.
func printJSONElement(w *bytes.Buffer, r *lint.ParseResult) {
	w.WriteString(",\n  ")
	_ = json.Indent(w, diag.EscapeInvisibleJSON(r.AppendJSON(nil)), "  ", "  ") // it is JSON
}

// printRecord prints a record as text.
func printRecord(w *bytes.Buffer, r *lint.ParseResult, tally diag.Tally, style report.Style) {
	printCalls(w, r, tally)
	if len(r.Findings) > 0 {
		_ = report.Text(w, r.Findings, excerptsFrom(r.File, r.Text), style) // a buffer takes everything
	}
}

// excerptsFrom returns the text of a file for a report, unless the file was too large to be kept.
func excerptsFrom(name string, text diag.Text) map[string]diag.Text {
	if text.Bytes == nil {
		return nil
	}
	return map[string]diag.Text{name: text}
}

// printCalls prints a line about a response and one for each call.
func printCalls(w io.Writer, r *lint.ParseResult, tally diag.Tally) {
	if r.Dialect == "" {
		return
	}
	fmt.Fprintf(w, "%s: dialect %s (%s): %s, %s\n", recordTitle(r), report.EscapeLine(r.Dialect), report.EscapeLine(r.Why), report.Count(len(r.Calls), "call"), report.Summary(tally))
	for i, c := range r.Calls {
		fmt.Fprintf(w, "%s:%d:%d: call %d: %s %s%s%s\n", report.EscapeLine(r.File), c.Span.Line, c.Span.Column, i,
			report.EscapeLine(c.Name), truncateWithLength(report.EscapeLine(string(c.Arguments))), describeDefaults(c), describeStatus(c))
	}
}

// recordTitle returns the file, position and ID of a record.
func recordTitle(r *lint.ParseResult) string {
	text := report.EscapeLine(r.File)
	if r.Record > 0 {
		text += fmt.Sprintf(":%d", r.Record)
	}
	if r.ID != "" {
		text += ": " + truncateWithLength(report.EscapeLine(r.ID))
	}
	return text
}

// describeDefaults shows the default arguments of a call: ", by default {…}".
func describeDefaults(c lint.Call) string {
	if c.Defaults == nil {
		return ""
	}
	return ", by default " + truncateWithLength(report.EscapeLine(string(c.Defaults)))
}

// describeStatus shows the status of a call: " (repaired, not executable)".
func describeStatus(c lint.Call) string {
	var remarks []string
	if c.Status != chat.StatusOK {
		remarks = append(remarks, report.EscapeLine(string(c.Status)))
	}
	if !c.Executable {
		remarks = append(remarks, "not executable")
	}
	if len(remarks) == 0 {
		return ""
	}
	return " (" + strings.Join(remarks, ", ") + ")"
}

// truncateWithLength truncates a long text and appends its length.
func truncateWithLength(text string) string {
	const most = 300 // bytes
	if len(text) <= most {
		return text
	}
	return quote.ValidPrefix(text, most) + fmt.Sprintf("… (%d bytes)", len(text))
}
