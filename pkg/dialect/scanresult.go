package dialect

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A ScanResult is the content of a whole response.
type ScanResult struct {
	Dialect        Dialect // of the first call, if none was requested
	Why            string  // evidence for the dialect
	Content        string  // text outside calls and reasoning
	Reasoning      string
	ReasoningSpans []diag.Span    // of the reasoning
	Calls          []chat.Call    // in text order, complete or faulty
	CallDialects   []*Dialect     // of each call, if no dialect was requested
	NameSpans      []diag.Span    // of the names of the calls, as far as known
	Findings       []diag.Finding // in text order, with lines and columns
}

// Findings collects the first [MaxKept] findings of a response. The zero value is empty.
type Findings struct {
	kept         []diag.Finding
	firstDropped diag.Finding // the first finding dropped
	dropped      int          // number of findings dropped
}

// Add adds a finding of a [Scanner].
func (f *Findings) Add(found diag.Finding) {
	switch {
	case len(f.kept) < MaxKept && (found.Call == nil || *found.Call < MaxKept):
		f.kept = append(f.kept, found)
		return
	case f.dropped == 0:
		f.firstDropped = found
	}
	f.dropped++
}

// Locate returns the kept findings in text order, with lines and columns in text, the whole response. One more
// finding reports dropped ones.
func (f *Findings) Locate(text string) []diag.Finding {
	if f.dropped > 0 {
		f.kept = append(f.kept, diag.New(diag.TooMany, f.firstDropped.Span, "%d more findings are not shown; the first of them is here", f.dropped))
		f.dropped = 0
	}
	diag.Sort(f.kept)
	if len(f.kept) > 0 {
		diag.NewLines([]byte(text)).LocateAll(f.kept)
	}
	return f.kept
}

// Scan reads a whole response. It keeps the first [MaxKept] calls and findings, and reports dropped ones in a
// finding.
func Scan(text string, o Options) ScanResult {
	c := collectors.Get().(*collector)
	c.text = append(c.text[:0], text...)
	return c.scan(text, c.text, o)
}

// ScanBytes is [Scan] for bytes, which it does not retain.
func ScanBytes(text []byte, o Options) ScanResult {
	c := collectors.Get().(*collector)
	return c.scan(string(text), text, o)
}

// scan reads a response and releases the collector.
func (c *collector) scan(text string, same []byte, o Options) ScanResult {
	r := c.read(text, same, o)
	if len(text) <= maxReusedBytes {
		collectors.Put(c)
	}
	return r
}

// collectors are reused: allocating one costs several times as much as reading a short response.
var collectors = sync.Pool{New: func() any { return new(collector) }}

// maxReusedBytes bounds the length of responses whose collector is reused, because it keeps its buffers.
const maxReusedBytes = 64 << 10

// A collector collects the events of a response.
type collector struct {
	scanner            Scanner
	emit               func(Event) // the method take
	text               []byte      // buffer for the response
	content, reasoning textRanges
	kept               []chat.Call
	dialects           []*Dialect  // dialect of each kept call
	nameSpans          []diag.Span // span of the name of each kept call
	calls, revoked     int
	firstDropped       chat.Call // the first call dropped
	findings           Findings
}

// read reads a response, given both as a string and as bytes.
func (c *collector) read(text string, same []byte, o Options) ScanResult {
	if c.emit == nil {
		c.emit = c.addEvent
	}
	c.content, c.reasoning, c.kept, c.dialects = c.content[:0], c.reasoning[:0], c.kept[:0], c.dialects[:0]
	c.nameSpans = c.nameSpans[:0]
	c.calls, c.revoked, c.findings = 0, 0, Findings{}
	c.scanner.reset(o.markerSet(), o.Reasoning, o.Tools, c.emit)
	c.scanner.whole = text
	c.scanner.Write(same)
	c.scanner.Close()
	return c.buildResult(text)
}

func (c *collector) buildResult(text string) ScanResult {
	if c.calls > MaxKept {
		c.findings.Add(diag.New(diag.TooMany, diag.Bytes(c.firstDropped.Start, c.firstDropped.End), "%d more calls are not shown; the first of them is here", c.calls-MaxKept))
	}
	r := ScanResult{Content: c.content.join(text), Reasoning: c.reasoning.join(text), Findings: c.findings.Locate(text)}
	for _, part := range c.reasoning {
		r.ReasoningSpans = append(r.ReasoningSpans, diag.Bytes(part.from, part.to))
	}
	if len(c.kept) > 0 {
		r.Calls, r.NameSpans = slices.Clone(c.kept), slices.Clone(c.nameSpans)
		clear(c.kept)
		if len(c.scanner.markers.dialects) > 1 {
			r.CallDialects = slices.Clone(c.dialects)
		}
	}
	row, at := c.scanner.detectedDialect()
	r.Dialect = *cmp.Or(row, &Dialects()[0])
	why := make([]byte, 0, 96)
	if at >= 0 {
		why = strconv.AppendInt(append(why, "line "...), int64(1+strings.Count(text[:at], "\n")), 10)
		why = append(why, ' ')
	}
	r.Why = string(c.scanner.appendDetectionReason(why))
	return r
}

// textRanges are parts of a text in order, none of them adjacent.
type textRanges []textRange

// A textRange is a part of a text between two offsets.
type textRange struct{ from, to int }

// add appends a range, merging adjacent ones.
func (p *textRanges) add(from, to int) {
	if last := len(*p) - 1; last >= 0 && (*p)[last].to == from {
		(*p)[last].to = to
	} else if from < to {
		*p = append(*p, textRange{from, to})
	}
}

// join joins the ranges of a text.
func (p textRanges) join(text string) string {
	if len(p) == 1 {
		return text[p[0].from:p[0].to]
	}
	size := 0
	for _, one := range p {
		size += one.to - one.from
	}
	var b strings.Builder
	b.Grow(size)
	for _, one := range p {
		b.WriteString(text[one.from:one.to])
	}
	return b.String()
}

func (c *collector) addEvent(e Event) {
	shown := c.scanner.contentEnd
	switch {
	case e.Finding != nil:
		c.findings.Add(*e.Finding)
	case e.ContentWasReasoning:
		c.reasoning = append(c.reasoning, c.content...)
		c.content = c.content[:0]
	case e.Revoked:
		for i := c.revoked; i < len(c.kept); i++ {
			Suppress(&c.kept[i])
		}
		c.revoked = len(c.kept)
	case e.Content != "":
		c.content.add(shown-len(e.Content), shown)
	case e.Reasoning != "":
		c.reasoning.add(shown-len(e.Reasoning), shown)
	default:
		if c.calls++; c.calls <= MaxKept {
			c.kept, c.dialects, c.nameSpans = append(c.kept, *e.Call), append(c.dialects, c.scanner.frame.dialect), append(c.nameSpans, c.scanner.nameSpan)
		} else if c.calls == MaxKept+1 {
			c.firstDropped = *e.Call
		}
	}
}
