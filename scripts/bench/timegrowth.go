//go:build unix

package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"oneshot/internal/hostile"
	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/jsonrepair"
	"oneshot/pkg/literal"
)

// growthGoal is the maximum factor by which the time may grow when the text doubles.
const growthGoal = 2.3

// The smallest and the largest texts of B4: doublings between them are measured.
const (
	wholeFrom, wholeTo   = 256 << 10, 64 << 20
	piecesFrom, piecesTo = 256 << 10, 4 << 20
)

// A hostileText is read in a named dialect or with detection.
type hostileText struct {
	hostile.Text
	dialect dialect.Dialect
}

// measureGrowthByLength measures B4: how the time for hostile texts grows with their length, whole
// and byte by byte.
func (b *Bench) measureGrowthByLength(ctx context.Context, _ programs) ([]Row, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var rows []Row
	measure := func(what string, t hostile.Text, from, to int, read func([]byte)) {
		b.logProgress("growth, %s", what)
		worst, size, speed := worstGrowth(ctx, from, to, b.Patience, newTimer(t, to, read))
		row := Row{ID: "B4", What: what, Value: worst, Unit: "× per doubling", Against: fmt.Sprintf("throughput at %g MB", float64(size)/(1<<20)), Base: speed, BaseUnit: "MB/s"}
		rows = append(rows, row.withGoal(fmt.Sprintf("≤ %.1f×", growthGoal), worst <= growthGoal))
	}
	for _, t := range hostileTexts() {
		measure(t.String()+", whole", t.Text, wholeFrom, wholeTo, func(text []byte) { t.read(text, len(text)) })
		measure(t.String()+", byte by byte", t.Text, piecesFrom, piecesTo, func(text []byte) { t.read(text, 1) })
	}
	for _, t := range hostileValues {
		measure("literal.ParseJSON: "+t.String(), t, wholeFrom, wholeTo, func(text []byte) { literal.ParseJSON(string(text)) })
		measure("jsonrepair.JSON: "+t.String(), t, wholeFrom, wholeTo, func(text []byte) { jsonrepair.JSON(string(text)) })
	}
	return rows, ctx.Err()
}

func (t hostileText) String() string {
	name := t.dialect.Name
	if name == "" {
		name = "detected"
	}
	if t.Parser != "" {
		name += " (" + t.Parser + ")"
	}
	return fmt.Sprintf("%s: %s", name, t.Text)
}

// read reads a text in pieces of a size.
func (t hostileText) read(text []byte, piece int) {
	s := dialect.NewScanner(dialect.Options{Dialect: t.dialect}, func(dialect.Event) {})
	for len(text) > 0 {
		n := min(piece, len(text))
		s.Write(text[:n])
		text = text[n:]
	}
	s.Close()
}

// newTimer returns a function that measures the CPU time of reading that many bytes of a
// text.
func newTimer(t hostile.Text, longest int, read func([]byte)) func(size int) time.Duration {
	text := []byte(t.Long(longest))
	return func(size int) time.Duration {
		runtime.GC()
		start := cpuTime()
		read(text[:min(size, len(text))])
		return cpuTime() - start
	}
}

// shortest is the minimum time of a text whose growth counts: shorter texts
// fit into the caches.
const shortest = 5 * time.Millisecond

// worstGrowth measures sizes that double, until one takes longer than the patience. It
// returns the worst growth of all doublings that count, the largest size and the
// throughput there, in MB/s.
func worstGrowth(ctx context.Context, from, to int, patience time.Duration, took func(size int) time.Duration) (worst float64, size int, speed float64) {
	before, size := took(from), from
	for ; size < to && before <= patience && ctx.Err() == nil; size *= 2 {
		twice := took(2 * size)
		for again := 0; again < 5 && before >= shortest && twice.Seconds() > growthGoal*before.Seconds(); again++ { // other load
			before, twice = max(before, took(size)), min(twice, took(2*size))
		}
		if before >= shortest {
			worst = max(worst, twice.Seconds()/before.Seconds())
		}
		before = twice
	}
	return worst, size, float64(size) / 1e6 / before.Seconds()
}

// hostileTexts returns texts at which readers of other projects fail, with detection, and
// texts against a dialect of each grammar.
func hostileTexts() (all []hostileText) {
	for _, t := range hostile.Killers {
		all = append(all, hostileText{t, dialect.Dialect{}})
	}
	for _, name := range []string{"tool", "toolcalls", "hermes", "mistral_args", "qwen3_coder_xml", "glm4_moe", "pythonic", "gemma4", "harmony"} {
		d, _ := dialect.Lookup(name)
		for _, t := range hostileTextsFor(d) {
			all = append(all, hostileText{t, d})
		}
	}
	return all
}

// hostileTextsFor returns texts that are hard to read in a dialect: nesting, backticks,
// unclosed markers, near-markers and quotes.
func hostileTextsFor(d dialect.Dialect) []hostile.Text {
	const name, key, value = "toolname", "keyname", "insidetext"
	list, _ := d.Render(chat.Call{Name: name, Arguments: []byte(`{"` + key + `":["` + value + `"]}`)}, nil)
	call, _ := d.Render(chat.Call{Name: name, Arguments: []byte(`{"` + key + `":"` + value + `"}`)}, nil)
	nested, _, _ := strings.Cut(list, value)
	nested = nested[:strings.LastIndexByte(nested, '[')]
	inside, _, _ := strings.Cut(call, value)
	mark, _, _ := strings.Cut(call, name)
	if mark == "" || mark == "[" {
		mark += name + "("
	}
	return []hostile.Text{
		{Prefix: nested, Piece: "["},
		{Prefix: inside, Piece: "```\n"},
		{Piece: mark},
		{Piece: mark[:len(mark)-1]},
		{Prefix: inside, Piece: `"`},
		{Prefix: inside, Piece: `\"`},
	}
}

// hostileValues are texts that should be JSON.
var hostileValues = []hostile.Text{
	{Piece: ","}, {Prefix: "[", Piece: ","}, {Prefix: `{"a":`, Piece: ","}, {Prefix: "1e", Piece: "9"}, {Prefix: "[", Piece: "1e999999,"},
	{Prefix: "", Piece: "1"}, {Piece: "["}, {Piece: `{"a":`}, {Piece: `"`}, {Prefix: `"`, Piece: `\"`}, {Piece: "/*"}, {Prefix: "[", Piece: "a b "},
}
