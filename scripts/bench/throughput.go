//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/jsonrepair"
	"oneshot/pkg/tool"
)

// The goals of B2.
const (
	jsonGoal  = 0.6    // of a validator of JSON
	proseGoal = 1000.0 // MB/s
)

// The called tool, and arguments of about 100 bytes and of 64 KB.
const (
	benchTool  = "search"
	benchSmall = `{"query":"release notes","limit":10,"labels":["INBOX","UNREAD"],"all":false,"since":"2026-01-01"}`
	benchText  = "All work and no play makes Jack a dull boy. "
)

var (
	benchLarge = `{"query":"` + strings.Repeat(benchText+`\n`, 1400) + `","limit":10}`
	benchTools = dialect.Toolset{benchTool: (&tool.Definition{Schema: []byte(`{"type":"object","properties":{
		"query":{"type":"string"},"limit":{"type":"integer"},"labels":{"type":"array"},"all":{"type":"boolean"},"since":{"type":"string"}}}`)}).Shape}
)

// textSize is the approximate size of texts with several calls, or none.
const textSize = 512 << 10

// benchProse and benchMarkdown are responses without calls.
var (
	benchProse = []byte("So:\n" + strings.Repeat("The first thing to do (before anything else) is to read what is there: 12 files, none of them long. "+
		benchText+"It's \"done\" when nothing is left; then we go on.\n\n", textSize/200))
	benchMarkdown = []byte("So:\n" + strings.Repeat("Read `README.md`, and then:\n\n1. **Build** it, with `make build`.\n2. Look at [the page](page.html).\n\n"+
		"```go\nfunc main() {\n\tfmt.Println(\"hello\", list[i] < 3)\n}\n```\n\n"+benchText+"\n\n", textSize/220))
)

// measureThroughput measures B2: how fast one core reads texts that consist of calls, in
// every dialect, compared with validators of the same calls as JSON, and texts without
// calls.
func (b *Bench) measureThroughput(ctx context.Context, _ programs) ([]Row, error) {
	rounds := min(b.Runs, 9)
	p := b.startPeers(ctx)
	defer p.Close()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var rows []Row
	for _, what := range []struct{ name, arguments string }{{"small calls", benchSmall}, {"a call of 64 KB", benchLarge}} {
		b.logProgress("throughput, %s", what.name)
		more, err := b.callRows(ctx, rounds, what.name, what.arguments, p)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	more, err := b.repairRows(ctx, rounds, p)
	if err != nil {
		return nil, err
	}
	rows = append(rows, more...)
	for _, what := range []struct {
		name string
		text []byte
		goal float64
	}{{"prose", benchProse, proseGoal}, {"Markdown", benchMarkdown, 0}} {
		b.logProgress("throughput, %s", what.name)
		more, err := proseRows(ctx, rounds, what.name, what.text, what.goal)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// callRows measures calls with these arguments in every dialect.
func (b *Bench) callRows(ctx context.Context, rounds int, what, arguments string, p *peers) ([]Row, error) {
	values := repeatCall(`{"name":"` + benchTool + `","arguments":` + arguments + "},")
	values.text = fmt.Appendf(nil, "[%s]", bytes.TrimSuffix(values.text, []byte(",")))
	validator := values.newValidator("jsontext", func(text []byte) bool { return jsontext.Value(text).IsValid() })
	speeds, err := bestThroughputs(ctx, rounds, []Reader{validator, values.newValidator("gjson.ValidBytes", gjson.ValidBytes)})
	if err != nil {
		return nil, err
	}
	rows := []Row{{ID: "B2", What: "jsontext, " + what, Value: speeds[0], Unit: "MB/s", Against: "gjson.ValidBytes", Base: speeds[1]}}
	for _, d := range dialect.Dialects() {
		t, json := callsIn(d, arguments)
		readers := []Reader{validator, t.newReader(d), t.newReader(dialect.Dialect{})}
		readers = append(readers, b.dialectPeers(p, d.Name, t)...)
		speeds, err := bestThroughputs(ctx, rounds, readers)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		for i, told := range []string{"", ", detected"} {
			row := Row{ID: "B2", What: d.Name + ", " + what + told, Value: speeds[i+1], Unit: "MB/s", Against: "jsontext", Base: speeds[0]}
			if json {
				row = row.withGoal(fmt.Sprintf("≥ %.1f×", jsonGoal), row.Value >= jsonGoal*row.Base)
			}
			rows = append(rows, row)
		}
		for i, r := range readers[3:] {
			rows = append(rows, Row{ID: "B2", What: d.Name + ", " + what, Value: speeds[1], Unit: "MB/s", Against: r.Name, Base: speeds[3+i]})
		}
	}
	return rows, nil
}

// benchBroken is 64 KB of JSON with faults that are repaired.
var benchBroken = "[" + strings.Repeat("{query: 'release notes', \"limit\": 10, labels: ['INBOX', 'UNREAD',], all: False},\n", 800) + "]"

// repairRows measures how fast faulty JSON is repaired, compared with another program.
func (b *Bench) repairRows(ctx context.Context, rounds int, p *peers) ([]Row, error) {
	repairs := Reader{Name: "jsonrepair.JSON", Size: len(benchBroken), Read: func() error {
		if r := jsonrepair.JSON(benchBroken); len(r.Value) == 0 {
			return errors.New("nothing was repaired")
		}
		return nil
	}}
	readers := append([]Reader{repairs}, b.peerReaders(p, "jsonrepair for Go", "jsonrepair", calls{text: []byte(benchBroken)})...)
	speeds, err := bestThroughputs(ctx, rounds, readers)
	if err != nil {
		return nil, err
	}
	row := Row{ID: "B2", What: "jsonrepair.JSON, 64 KB with faults", Value: speeds[0], Unit: "MB/s"}
	if len(speeds) > 1 {
		row.Against, row.Base = readers[1].Name, speeds[1]
	}
	return []Row{row}, nil
}

// proseRows measures a text without calls in every dialect, and with detection. The goal
// is in MB/s.
func proseRows(ctx context.Context, rounds int, what string, text []byte, goal float64) ([]Row, error) {
	t := calls{text: text}
	var rows []Row
	for _, d := range append([]dialect.Dialect{{}}, dialect.Dialects()...) {
		name := d.Name
		if name == "" {
			name = "detected"
		}
		speeds, err := bestThroughputs(ctx, rounds, []Reader{t.newReader(d)})
		if err != nil {
			return nil, err
		}
		row := Row{ID: "B2", What: name + ", " + what, Value: speeds[0], Unit: "MB/s"}
		if goal > 0 {
			row = row.withGoal(fmt.Sprintf("≥ %.0f MB/s", goal), row.Value >= goal)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// A calls value is a text with a number of calls.
type calls struct {
	text  []byte
	count int // of them
}

// repeatCall repeats a small call until the text is long enough. A large call is not
// repeated.
func repeatCall(call string) calls {
	n := 1
	if len(call) < textSize/100 {
		n = textSize / len(call)
	}
	return calls{[]byte(strings.Repeat(call, n)), n}
}

// callsIn returns distinct calls in a dialect, in one list if it has lists, and whether
// the dialect writes the arguments as JSON.
func callsIn(d dialect.Dialect, arguments string) (t calls, json bool) {
	one, _ := d.Render(chat.Call{Name: benchTool, Arguments: []byte(arguments)}, benchTools)
	before, call, behind := splitListItem(one)
	t = repeatCall(call)
	numbered := bytes.NewBuffer(make([]byte, 0, 2*len(t.text)))
	for i := range t.count {
		number := fmt.Sprintf("%05d", i)
		numbered.WriteString(strings.NewReplacer("release notes", "release "+number, `"call_1"`, `"call_`+number+`"`, benchTool+":0", benchTool+":"+number).Replace(call))
		if before != "" && i < t.count-1 {
			numbered.WriteString(", ")
		}
	}
	t.text = fmt.Appendf(nil, "%s%s%s", before, numbered.Bytes(), behind)
	return t, strings.Contains(one, arguments)
}

// splitListItem returns the one item of a list of calls, and the text around it.
func splitListItem(text string) (before, call, behind string) {
	for begin, end := range map[string]string{"[{": "}]", "[" + benchTool + "(": ")]"} {
		from, to := strings.Index(text, begin), strings.LastIndex(text, end)
		if from >= 0 && to > from {
			return text[:from+1], text[from+1 : to+1], text[to+1:]
		}
	}
	return "", text, ""
}

// newReader returns a reader of the text in a dialect, which fails if it does not find
// the calls.
func (t calls) newReader(d dialect.Dialect) Reader {
	return Reader{Name: "oneshot", Size: len(t.text), Read: func() error {
		calls := 0
		s := dialect.NewScanner(dialect.Options{Dialect: d, Tools: benchTools}, func(e dialect.Event) {
			if e.Call != nil && e.Call.Executable {
				calls++
			}
		})
		s.Write(t.text)
		if s.Close(); calls != t.count {
			return fmt.Errorf("%d calls, want %d", calls, t.count)
		}
		return nil
	}}
}

// newValidator returns a reader that validates the text as JSON.
func (t calls) newValidator(name string, valid func([]byte) bool) Reader {
	return Reader{Name: name, Size: len(t.text), Read: func() error {
		if !valid(t.text) {
			return errors.New("not JSON")
		}
		return nil
	}}
}
