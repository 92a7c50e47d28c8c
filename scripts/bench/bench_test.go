//go:build unix

package main

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"oneshot/internal/testsize"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/lint"
	"oneshot/pkg/runfile"
	"oneshot/scripts/command"
	"oneshot/scripts/modelserver"
)

func TestMedian(t *testing.T) {
	tests := []struct {
		values []float64
		want   float64
	}{
		{[]float64{7}, 7},
		{[]float64{9, 1, 5}, 5},
		{[]float64{9, 1, 5, 2}, 3.5},
	}
	for _, test := range tests {
		if got := median(test.values, func(v float64) float64 { return v }); got != test.want {
			t.Errorf("median(%v) = %v, want %v", test.values, got, test.want)
		}
	}
}

func TestOverheadIsPerTurn(t *testing.T) {
	at := func(ms float64) []Sample {
		return []Sample{{Wall: time.Duration(ms * float64(time.Millisecond)), RSS: 20 << 20}}
	}
	const extra = longTurns - shortTurns
	rows := overheadRows("a", [][]Sample{at(4), at(30), at(4 + extra), at(30 + 1.25*extra)})
	rows = append(rows, overheadRows("b", [][]Sample{at(4), at(28), at(4 + extra), at(28 + 2*extra)})...)
	want := []struct {
		value float64
		met   string
	}{{30, "no"}, {0.25, "yes"}, {20, "yes"}, {28, "yes"}, {1, "no"}, {20, "yes"}}
	for i, row := range rows {
		if diff := row.Value - want[i].value; diff > 0.001 || diff < -0.001 || row.verdict() != want[i].met {
			t.Errorf("%s = %.3f, met: %s; want %.3f, %s", row.What, row.Value, row.verdict(), want[i].value, want[i].met)
		}
	}
}

// TestCaptures checks that the same seed gives the same captures, and that each
// capture is a readable record.
func TestCaptures(t *testing.T) {
	t.Chdir("../..")
	var texts [2]bytes.Buffer
	for i := range texts {
		c, err := newCaptureGenerator(1)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := c.write(&texts[i], 200e3); err != nil || n != int64(texts[i].Len()) || n < 190e3 {
			t.Fatalf("%d bytes of %d, %v", n, texts[i].Len(), err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("the same seed writes something else")
	}
	records, formats := lint.NewRecordReader(lint.FieldPaths{Response: "response"}, lint.Options{}), map[string]int{}
	for r := range records.Read("x", lint.Chunk{Text: diag.Text{Bytes: texts[0].Bytes()}}) {
		if formats[r.Dialect]++; r.Dialect == "" {
			t.Errorf("record %d: %v", r.Record, r.Findings)
		}
	}
	if len(formats) < 12 {
		t.Errorf("only these dialects and formats: %v", formats)
	}
}

func TestCorporaAreOneKilobyte(t *testing.T) {
	for name, text := range map[string]string{"response": responseWithCall(), "broken JSON": brokenJSON()} {
		if len(text) != 1024 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
	}
}

// ask returns the reply of a form's model to a conversation.
func ask(t *testing.T, m *model, f form, conversation string) string {
	t.Helper()
	res, err := http.Post(m.URL+f.api.Path(), "application/json", strings.NewReader(`{"model":"m","stream":false,`+conversation+`}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestScriptOfTheServer(t *testing.T) {
	const user, said, result = `{"role":"user","content":"turns: 3"}`, `{"role":"assistant"}`, `{"role":"tool"}`
	for _, f := range []form{toolOllama, toolcallsOllama, nativeOllama, nativeChat} {
		m := startModel(&modelserver.Server{}, f.searchTurn)
		second := map[string]string{"tool": "finalResponse", "toolcalls": "end_turn", "native": "vault_search"}[f.dialect]
		for conversation, want := range map[string]string{
			user: "vault_search", user + "," + said + "," + result + "," + result: second, user + "," + said + "," + user + "," + said + "," + user: "cellar",
		} {
			if got := ask(t, m, f, `"messages":[`+conversation+`]`); !strings.Contains(got, want) {
				t.Errorf("%s, %s: %s, want %s", f.name, conversation, got, want)
			}
		}
		if n := len(m.takeBodies()); n != 3 {
			t.Errorf("%d bodies", n)
		}
		m.Close()
	}
}

func TestTurnsOfResponses(t *testing.T) {
	const call, output = `{"type":"function_call"}`, `{"type":"function_call_output"}`
	for input, want := range map[string]int{
		`{"role":"user"}`:                                              0,
		`{"role":"user"},` + call:                                      1,
		call + "," + call + "," + output:                               1,
		`{"type":"reasoning"},` + call + "," + output:                  1,
		call + "," + output + "," + call + "," + output + "," + output: 2,
	} {
		if got := turnsBefore([]byte(`{"input":[` + input + `]}`)); got != want {
			t.Errorf("%s: %d turns, want %d", input, got, want)
		}
	}
}

func TestTimesOfARun(t *testing.T) {
	at := func(ms int) runfile.Header { return runfile.Header{Time: time.UnixMilli(int64(ms))} }
	call := func(ms int, early bool) runfile.Record {
		return runfile.Record{Header: at(ms), Body: runfile.Call{Early: early}}
	}
	response := runfile.Record{Header: at(40), Body: runfile.Response{}}
	result := func(ms int) runfile.Record {
		return runfile.Record{Body: runfile.Result{Duration: time.Duration(ms) * time.Millisecond}}
	}
	request := func(ms, turn int) runfile.Record {
		return runfile.Record{Header: at(ms), Body: runfile.Request{Turn: turn}}
	}

	log := &runfile.Log{Records: []runfile.Record{request(1, 1), call(10, true), call(12, true), response, result(30), result(50), request(70, 2)}}
	if start, end, err := earlyTimes(&runfile.Log{Records: log.Records[:2]}); err == nil {
		t.Errorf("no response, and times %v %v", start, end)
	}
	if start, end, err := earlyTimes(log); err != nil || start.UnixMilli() != 12 || end.UnixMilli() != 40 {
		t.Errorf("%v %v %v", start, end, err)
	}
	for _, late := range []*runfile.Log{{Records: []runfile.Record{response, call(50, true)}}, {Records: []runfile.Record{call(10, false), response}}} {
		if _, _, err := earlyTimes(late); err == nil {
			t.Error("a late start passes for an early one")
		}
	}
	if wall, each := readTimes(log); wall != 60 || !slices.Equal(each, []float64{30, 50}) {
		t.Errorf("%v, %v", wall, each)
	}
}

func TestPrintIsOneTable(t *testing.T) {
	report := Report{Rows: []Row{{ID: "B1", What: "x", Value: 2, Unit: "ms", Base: 4}, Row{ID: "B6"}.withGoal("≤ 1", false)}}
	var out bytes.Buffer
	if err := report.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 0.50× |", "| – |", "| no |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestSnippet checks that examples make the tools in a prompt longer, and that white
// space makes JSON longer.
func TestSnippet(t *testing.T) {
	b := &Bench{Dir: t.TempDir(), log: io.Discard}
	rows, err := b.measurePromptSize(t.Context(), programs{})
	if err != nil || len(rows) != 6 {
		t.Fatalf("%v, %v", rows, err)
	}
	for i, row := range rows[:3] {
		if with := rows[i+3]; with.Value <= row.Value || with.Value >= row.Base || with.Base != row.Base || row.Met != nil {
			t.Errorf("%+v, with examples %+v", row, with)
		}
		if i > 0 && row.Base <= rows[i-1].Base {
			t.Errorf("%s is no longer than %s", row.Against, rows[i-1].Against)
		}
	}
}

func TestChosenMeasures(t *testing.T) {
	for list, want := range map[string][]string{"": strings.Split(command.IDs(measures, measure.name), ","), "B4": {"B4"}, "B4,size": {"B4", "size"}} {
		some, err := command.Choose("measure", measures, measure.name, list)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range some {
			got = append(got, m.id)
		}
		if !slices.Equal(got, want) {
			t.Errorf("-only %q: %v, want %v", list, got, want)
		}
	}
	if _, err := command.Choose("measure", measures, measure.name, "B2,B99"); err == nil {
		t.Error("a measure that there is not is made")
	}
}

// TestTextsOfThroughput checks that each dialect finds the calls that it is measured
// with, and that prose has none.
func TestTextsOfThroughput(t *testing.T) {
	for i, d := range dialect.Dialects() {
		if i%testsize.Pick(1, 8) != 0 {
			continue
		}
		for _, arguments := range []string{benchSmall, benchLarge} {
			text, _ := callsIn(d, arguments)
			for _, as := range []dialect.Dialect{d, {}} {
				if err := text.newReader(as).Read(); err != nil {
					t.Errorf("%s as %q: %v", d.Name, as.Name, err)
				}
			}
		}
		for _, text := range [][]byte{benchProse, benchMarkdown} {
			if err := (calls{text: text}).newReader(d).Read(); err != nil {
				t.Errorf("%s: %v", d.Name, err)
			}
		}
	}
}

func TestGrowth(t *testing.T) {
	times := func(power float64) func(int) time.Duration {
		return func(size int) time.Duration { return time.Duration(math.Pow(float64(size), power)) * time.Millisecond }
	}
	tests := []struct {
		power    float64
		patience time.Duration
		worst    float64
		size     int
	}{
		{1, time.Hour, 2, 64}, {2, time.Hour, 4, 64}, {1, 20 * time.Millisecond, 2, 32}, {1, 0, 0, 2}, {1, 3 * time.Millisecond, 0, 4},
	}
	for _, test := range tests {
		worst, size, speed := worstGrowth(t.Context(), 2, 64, test.patience, times(test.power))
		if worst != test.worst || size != test.size || test.power == 1 && speed != 1e-3 {
			t.Errorf("%+v: %.2f times as long, %d bytes, %.2f MB/s", test, worst, size, speed)
		}
	}
	disturbed := -1
	once := func(size int) time.Duration {
		if disturbed++; disturbed == 1 {
			return time.Minute
		}
		return times(1)(size)
	}
	if worst, _, _ := worstGrowth(t.Context(), 128, 256, time.Hour, once); worst != 2 {
		t.Errorf("once disturbed: %.2f times as long", worst)
	}
}
