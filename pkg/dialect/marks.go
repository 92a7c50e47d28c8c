package dialect

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// A mark is a text that means something in a response, outside of frames.
type mark struct {
	text    string
	role    role
	line    bool     // only at the start of a line
	lead    lead     // it counts if this follows; nil for anything
	own     lead     // the same where no other dialect is read
	skip    string   // this is passed over behind it, if it is there
	grammar *grammar // of what it begins, if that is not the dialect's
	lacks   string   // calls without a mark of their own should have this one
	around  bool     // it begins a frame, and stands around all others, too
	common  bool     // it stands around what is no call, too
	known   bool     // the call of Python behind it must name a tool, where the tools are known
	edge    edge     // what it does to a message
	first   bool     // it counts only where no text comes before it in its message
}

// An edge is what a mark without a header does to a message.
type edge uint8

const (
	noEdge edge = iota
	endsMessage
	beginsAnswer // text for the user
)

// A role is what a mark does.
type role uint8

const (
	begins  role = iota // a frame begins: the grammar reads on behind it
	takes               // a frame begins with it: the grammar reads it, too
	wraps               // it stands before calls, and means nothing by itself
	unwraps             // it stands behind them
	thinks              // reasoning begins
	thought             // reasoning ends
	silent              // it stands around messages, and means nothing by itself
	drops               // the same, and blanks behind it are text
	remains             // it closes a part of a call: behind a call it says that this one goes on
	fences              // a run of fence characters begins
	braces              // an object begins
	starts              // no mark: a frame that can begin where no text stands yet
)

// jsonStart begins calls with the first bracket of JSON. A list must be one of
// objects where it could be something else.
var jsonStart = []mark{{role: starts, lead: thenJSON}}

// listInText begins a list of calls behind text.
var listInText = mark{text: "[{", role: starts}

// A use is what a mark means in one dialect, or in a wrapper of reasoning.
type use struct {
	*mark
	row     *Dialect
	wrapper *wrapper
}

// A fenceUse is a fence of calls of one dialect.
type fenceUse struct {
	*fenceForm
	row *Dialect
}

// A markSet is the marks of the dialects that a response is read in, ready to be
// searched.
type markSet struct {
	*matcher
	rows     []*Dialect
	texts    []string
	uses     [][]use    // of each text
	early    []*early   // what tells early which of them count
	fences   []fenceUse // fences of calls
	starts   []use      // frames that can begin where no text stands yet
	soon     *early     // what tells early which of them do
	objects  *Dialect   // that of JSON outside of fences, if it counts
	keys     []string   // the first keys that say so behind text
	plain    plainRows  // the dialects of such JSON, where several are read
	ends     []string   // the texts that end reasoning
	thoughts []string   // those of them that can stand in no literal
	longest  int        // bytes of the longest text
	ended    memo[endsKey, *ends]
}

var (
	backticks = mark{text: "```", role: fences}
	tildes    = mark{text: "~~~", role: fences}
	brace     = mark{text: "{", role: braces}
)

// plainRows tells the dialect of a call in JSON without a mark by the members that
// tell the tool and its arguments.
type plainRows [memberCount][memberCount]*Dialect

// row returns the dialect of a shape: that of its members, or else the one whose
// calls have the members that are most common.
func (p *plainRows) row(s shape) *Dialect {
	return cmp.Or(p[s.by][s.with], p[ofName][ofArguments])
}

// newMarkSet returns the marks of some dialects.
func newMarkSet(rows []*Dialect) *markSet {
	s := &markSet{rows: rows}
	var wrappers []*wrapper
	owners := map[*wrapper]*Dialect{} // nil for those of several
	for _, row := range rows {
		s.addRow(row)
		for _, w := range row.wrappers() {
			if _, known := owners[w]; known {
				owners[w] = nil
				continue
			}
			owners[w], wrappers = row, append(wrappers, w)
		}
	}
	for _, w := range wrappers {
		s.addWrapper(w, owners[w])
	}
	s.add(use{mark: &backticks})
	s.add(use{mark: &tildes})
	s.add(use{mark: &brace})
	s.matcher = newMatcher(s.texts)
	s.early = make([]*early, len(s.texts))
	if len(rows) > 1 {
		for i, uses := range s.uses {
			s.early[i] = newEarly(uses)
		}
		s.soon = newEarly(s.starts)
	}
	return s
}

func (s *markSet) addRow(row *Dialect) {
	f := &row.framing
	for i := range f.marks {
		s.add(use{mark: &f.marks[i], row: row})
	}
	for i := range f.fences {
		s.fences = append(s.fences, fenceUse{&f.fences[i], row})
	}
	for i := range f.start {
		s.starts = append(s.starts, use{mark: &f.start[i], row: row})
	}
	if f.keys != nil && s.objects == nil {
		s.objects = row
	}
	if form := row.grammar.form; f.keys != nil && s.objects != row && form != nil && s.plain[form.name][form.args] == nil {
		s.plain[form.name][form.args] = row
	}
	for _, key := range f.keys {
		if !slices.Contains(s.keys, key) {
			s.keys = append(s.keys, key)
		}
	}
}

func (s *markSet) addWrapper(w *wrapper, row *Dialect) {
	for i := range w.marks {
		s.add(use{mark: &w.marks[i], row: row, wrapper: w})
	}
	for _, text := range w.ends() {
		s.ends = append(s.ends, text)
		if text[0] == '<' || strings.HasPrefix(text, "[/") {
			s.thoughts = append(s.thoughts, text)
		}
	}
}

func (s *markSet) add(u use) {
	i := slices.Index(s.texts, u.text)
	if i < 0 {
		i = len(s.texts)
		s.texts, s.uses = append(s.texts, u.text), append(s.uses, nil)
		s.longest = max(s.longest, len(u.text))
	}
	at := len(s.uses[i])
	if u.role <= takes || u.wrapper != nil && u.wrapper.mixed { // before those that mean nothing by themselves
		at = cmp.Or(1+slices.IndexFunc(s.uses[i], func(u use) bool { return u.role == wraps || u.role == silent }), at+1) - 1
	}
	s.uses[i] = slices.Insert(s.uses[i], at, u)
}

// texts returns all that begins or ends something in a dialect.
func (d *Dialect) texts() []string {
	all := slices.Clone(d.framing.closes)
	for _, m := range d.framing.marks {
		all = append(all, m.text)
	}
	for _, w := range d.wrappers() {
		for _, m := range w.marks {
			all = append(all, m.text)
		}
	}
	return all
}

// marksOf returns the marks of one dialect.
func marksOf(d *Dialect) *markSet {
	if cached := markSets()[d.Name]; cached != nil && !d.marked {
		return cached()
	}
	row := *d
	return newMarkSet([]*Dialect{&row})
}

// markSets are the marks of each dialect of the table, made when they are needed.
var markSets = sync.OnceValue(func() map[string]func() *markSet {
	sets := map[string]func() *markSet{}
	for i := range Dialects() {
		sets[Dialects()[i].Name] = sync.OnceValue(func() *markSet { return newMarkSet([]*Dialect{&Dialects()[i]}) })
	}
	return sets
})

// everyMark is the marks of all dialects.
var everyMark = sync.OnceValue(func() *markSet {
	var rows []*Dialect
	for i := range Dialects() {
		rows = append(rows, &Dialects()[i])
	}
	return newMarkSet(rows)
})
