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
)

// A parseReport is a report while it is written. Of what has been printed it keeps no more
// than numbers, but for JUnit, where the number of findings stands before them.
type parseReport struct {
	*parseOptions
	ordered bool // what is printed about a record depends on those before it
	quota   *quota
	later   report.Collector // nil: what is printed about records stands for itself
	held    heldOutput
	free    sync.Pool // buffers that have been printed
	sums
}

// newBatch returns an empty batch.
func (p *parseReport) newBatch(of piece) *batch {
	text, ok := p.free.Get().(*bytes.Buffer)
	if !ok {
		text = new(bytes.Buffer)
	}
	return &batch{piece: of, text: text}
}

// sums are what is said about all records in the end.
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
	r := &parseReport{parseOptions: o, quota: o.findings.quota(), later: newCollector(o.format), held: heldOutput{w: o.console.out, most: heldBytes}}
	r.ordered = r.later != nil || r.quota.most > 0 || o.findings.remembers()
	if o.format == "jsonl" {
		r.held.most = 0
	}
	return r
}

// settle finds out which findings of a record count, and what is printed about it. Several
// goroutines may do so, unless the order counts.
func (p *parseReport) settle(b *batch, r *lint.ParseResult) {
	p.findings.count(subject{b.number, r.File, r.Text, r.Calls, &r.Findings})
	tally := diag.TallyOf(r.Findings)
	b.add(sums{1, tally, len(diag.SafeFixes(r.Findings))})
	r.Findings, r.FindingsCut = p.quota.take(r.Findings)
	p.print(b.text, b.number, r, tally)
}

// print prints a record. Its findings have been counted; some may be left out.
func (p *parseReport) print(w *bytes.Buffer, number int, r *lint.ParseResult, tally diag.Tally) {
	file := report.File{Name: r.File, Number: number, Text: r.Text, Findings: r.Findings}
	switch p.format { // a buffer takes everything
	case "text":
		printRecord(w, r, tally)
	case "json":
		printElement(w, r)
	case "jsonl":
		w.Write(append(diag.EscapeInvisibleJSON(r.AppendJSON(w.AvailableBuffer())), '\n'))
	case "github":
		_ = report.GitHub(w, file)
	default:
		_ = p.later.Add(w, file)
	}
}

// take prints a batch, in the order of the files.
func (p *parseReport) take(b *batch) error {
	for i := range b.records {
		p.settle(b, &b.records[i])
	}
	b.Release()
	if p.format == "json" && p.records == 0 && b.text.Len() > 0 {
		b.text.Bytes()[0] = '[' // in the place of a comma
	}
	p.add(b.sums)
	_, err := b.text.WriteTo(&p.held)
	p.free.Put(b.text)
	return err
}

// end prints what stands behind all records, and judges.
func (p *parseReport) end() error {
	stale, err := p.findings.settle(p.console)
	if err != nil {
		return err
	}
	if len(stale) > 0 {
		if err := p.take(p.aboutBaseline(stale)); err != nil {
			return err
		}
	}
	if err := p.close(); err != nil {
		return err
	}
	return p.judge(p.tally)
}

// aboutBaseline returns what is wrong with the baseline. It has no dialect.
func (p *parseReport) aboutBaseline(stale []diag.Finding) *batch {
	base := p.findings.base
	b := p.newBatch(piece{number: -1})
	b.records = []lint.ParseResult{{
		File: base.name, Why: "it is the baseline", Calls: []lint.Call{}, Findings: stale, Text: diag.Text{Bytes: base.text},
	}}
	return b
}

// close ends the document.
func (p *parseReport) close() error {
	switch p.format {
	case "text":
		p.quota.rest(&p.held)
		if !p.findings.strict {
			printFixable(&p.held, p.fixable)
		}
	case "json":
		fmt.Fprint(&p.held, map[bool]string{true: "\n]\n", false: "[]\n"}[p.records > 0])
	case "github":
		p.quota.note(p.console)
	case "sarif", "junit":
		p.quota.note(p.console)
		if err := p.later.End(&p.held); err != nil {
			return err
		}
	}
	return p.held.flush()
}

// heldBytes is how much of a report is held back.
const heldBytes = 1 << 20

// heldOutput writes the beginning of a text, up to so many bytes, only when it is flushed or
// goes on: where a file turns out to be unreadable there is nothing on stdout then. It
// remembers the first error.
type heldOutput struct {
	w    io.Writer
	most int
	text []byte
	err  error
}

func (h *heldOutput) Write(p []byte) (int, error) {
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

func (h *heldOutput) flush() error {
	if h.err == nil && len(h.text) > 0 {
		_, h.err = h.w.Write(h.text)
		h.text, h.most = nil, 0
	}
	return h.err
}

// printElement prints a record as an element of an array behind another one.
func printElement(w *bytes.Buffer, r *lint.ParseResult) {
	w.WriteString(",\n  ")
	_ = json.Indent(w, diag.EscapeInvisibleJSON(r.AppendJSON(nil)), "  ", "  ") // it is JSON
}

// printRecord prints a record for people.
func printRecord(w *bytes.Buffer, r *lint.ParseResult, tally diag.Tally) {
	printCalls(w, r, tally)
	if len(r.Findings) > 0 {
		_ = report.Text(w, r.Findings, excerptsFrom(r.File, r.Text), nil) // a buffer takes everything
	}
}

// excerptsFrom returns the text of a file for a report, unless the file was too large to be kept.
func excerptsFrom(name string, text diag.Text) map[string]diag.Text {
	if text.Bytes == nil {
		return nil
	}
	return map[string]diag.Text{name: text}
}

// printCalls prints what was read in a response: a line about it, and one for each call.
func printCalls(w io.Writer, r *lint.ParseResult, tally diag.Tally) {
	if r.Dialect == "" {
		return
	}
	fmt.Fprintf(w, "%s: dialect %s (%s): %s, %s\n", title(r), report.EscapeLine(r.Dialect), report.EscapeLine(r.Why), report.Count(len(r.Calls), "call"), report.Summary(tally))
	for i, c := range r.Calls {
		fmt.Fprintf(w, "%s:%d:%d: call %d: %s %s%s%s\n", report.EscapeLine(r.File), c.Span.Line, c.Span.Column, i,
			report.EscapeLine(c.Name), shortened(report.EscapeLine(string(c.Arguments))), defaults(c), remark(c))
	}
}

// title says in which file a record stands, where in it, and what it calls itself.
func title(r *lint.ParseResult) string {
	text := report.EscapeLine(r.File)
	if r.Record > 0 {
		text += fmt.Sprintf(":%d", r.Record)
	}
	if r.ID != "" {
		text += ": " + shortened(report.EscapeLine(r.ID))
	}
	return text
}

// defaults says what the tool is given besides the arguments: ", by default {…}".
func defaults(c lint.Call) string {
	if c.Defaults == nil {
		return ""
	}
	return ", by default " + shortened(report.EscapeLine(string(c.Defaults)))
}

// remark says what is special about a call: " (repaired, not executable)".
func remark(c lint.Call) string {
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

// shortened cuts a long text for people, and says how long it is.
func shortened(text string) string {
	const most = 300 // bytes
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("… (%d bytes)", len(text))
}
