package cmd

import (
	"bufio"
	"io"

	"oneshot/pkg/diag"
	"oneshot/pkg/events"
	"oneshot/pkg/runfile"
)

// project prints a run file as events or messages, one per line. Records that a resumed run voids are left out.
func (o *runsOptions) project(path string, f io.ReadSeeker) error {
	scan, err := runfile.NewLiveRecordScanner(f)
	if err != nil {
		return asInputError(err)
	}
	out := bufio.NewWriter(o.console.out)
	add, flush := o.eventPrinter(out)
	if o.format == "messages" {
		add, flush = o.messagePrinter(out)
	}
	shown, ended := 0, false
	for r := range scan.Records() {
		shown++
		add(r)
		_, ended = r.Body.(runfile.End)
	}
	flush()
	if err := o.checkShown(path, scan, shown, out.Flush()); err != nil {
		return err
	}
	if !ended {
		o.console.note("the run has not ended: more may follow")
	}
	return nil
}

// eventPrinter returns functions that print the events of each record, and those that wait for more records. The writer
// keeps its first error.
func (o *runsOptions) eventPrinter(out *bufio.Writer) (add func(runfile.Record), flush func()) {
	p := events.NewProjector(nil, func(line []byte) { _, _ = out.Write(line) })
	return func(r runfile.Record) { p.Add(r.Body) }, p.FlushOutcomes
}

// messagePrinter is eventPrinter for messages.
func (o *runsOptions) messagePrinter(out *bufio.Writer) (add func(runfile.Record), flush func()) {
	p := events.NewMessages(func(m events.Message) {
		line, err := m.Encode()
		if err == nil {
			_, _ = out.Write(diag.EscapeInvisibleJSON(line))
		}
	})
	return p.Add, p.Flush
}
