package dialect

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// A marker is a text that means something in a response, outside of frames.
type marker struct {
	text           string
	role           role
	lineStart      bool          // only at the start of a line
	lookahead      lookahead     // it counts if this follows; nil for anything
	ownLookahead   lookahead     // the same where no other dialect is read
	skip           string        // this is passed over after it, if it is there
	grammar        *grammar      // of what it begins, if that is not the dialect's
	missingOpener  string        // calls without a marker of their own should have this one
	opensList      bool          // it begins a frame, and is around all others as well
	sharedWithText bool          // it is around what is no call as well
	needsTool      bool          // the call of Python after it must name a tool, where the tools are known
	effect         messageEffect // what it does to a message
	messageStart   bool          // it counts only where no text comes before it in its message
}

// A messageEffect is what a marker without a header does to a message.
type messageEffect uint8

const (
	noEffect messageEffect = iota
	endsMessage
	beginsAnswer // text for the user
)

// A role is what a marker does.
type role uint8

const (
	open            role = iota // a frame begins: the grammar reads on after it
	openKeep                    // a frame begins with it: the grammar reads it as well
	listOpen                    // it precedes calls, and means nothing by itself
	listClose                   // it follows them
	reasoningOpen               // reasoning begins
	reasoningClose              // reasoning ends
	ignore                      // it is around messages, and means nothing by itself
	ignoreKeepSpace             // the same, and blanks after it are text
	continuation                // it closes a part of a call: after a call it says that this one continues
	fenceRun                    // a run of fence characters begins
	openBrace                   // an object begins
	implicitOpen                // no marker: a frame that can begin where there is no text yet
)

// jsonStart begins calls with the first bracket of JSON. A list must be one of
// objects where it could be something else.
var jsonStart = []marker{{role: implicitOpen, lookahead: thenJSON}}

// listInText begins a list of calls after text.
var listInText = marker{text: "[{", role: implicitOpen}

// A markerUse is what a marker means in one dialect, or in a wrapper of reasoning.
type markerUse struct {
	*marker
	dialect    *Dialect
	delimiters *delimiters
}

// A fenceUse is a fence of calls of one dialect.
type fenceUse struct {
	*fenceSpec
	dialect *Dialect
}

// A markerSet is the markers of the dialects that a response is read in, ready to be
// searched.
type markerSet struct {
	*matcher
	dialects                []*Dialect
	texts                   []string
	uses                    [][]markerUse // of each text
	prefilters              []*prefilter  // what tells early which of them count
	fences                  []fenceUse    // fences of calls
	implicit                []markerUse   // frames that can begin where there is no text yet
	implicitPrefilter       *prefilter    // what tells early which of them do
	objectDialect           *Dialect      // that of JSON outside of fences, if it counts
	firstKeys               []string      // the first keys that say so after text
	plainDialects           plainDialects // the dialects of such JSON, where several are read
	reasoningClosers        []string      // the texts that end reasoning
	literalReasoningClosers []string      // those of them that can be in no literal
	longest                 int           // bytes of the longest text
	terminators             memo[terminatorKey, *terminators]
}

var (
	backticks = marker{text: "```", role: fenceRun}
	tildes    = marker{text: "~~~", role: fenceRun}
	brace     = marker{text: "{", role: openBrace}
)

// plainDialects tells the dialect of a call in JSON without a marker by the members that
// tell the tool and its arguments.
type plainDialects [memberCount][memberCount]*Dialect

// dialectOf returns the dialect of a shape: that of its members, or else the one whose
// calls have the members that are most common.
func (p *plainDialects) dialectOf(s shape) *Dialect {
	return cmp.Or(p[s.nameMember][s.argsMember], p[ofName][ofArguments])
}

// newMarkerSet returns the markers of some dialects.
func newMarkerSet(rows []*Dialect) *markerSet {
	s := &markerSet{dialects: rows}
	var wrappers []*delimiters
	owners := map[*delimiters]*Dialect{} // nil for those of several
	for _, row := range rows {
		s.addDialect(row)
		for _, w := range row.reasoningDelimiters() {
			if _, known := owners[w]; known {
				owners[w] = nil
				continue
			}
			owners[w], wrappers = row, append(wrappers, w)
		}
	}
	for _, w := range wrappers {
		s.addDelimiters(w, owners[w])
	}
	s.add(markerUse{marker: &backticks})
	s.add(markerUse{marker: &tildes})
	s.add(markerUse{marker: &brace})
	s.matcher = newMatcher(s.texts)
	s.prefilters = make([]*prefilter, len(s.texts))
	if len(rows) > 1 {
		for i, uses := range s.uses {
			s.prefilters[i] = newPrefilter(uses)
		}
		s.implicitPrefilter = newPrefilter(s.implicit)
	}
	return s
}

func (s *markerSet) addDialect(row *Dialect) {
	f := &row.framing
	for i := range f.markers {
		s.add(markerUse{marker: &f.markers[i], dialect: row})
	}
	for i := range f.fences {
		s.fences = append(s.fences, fenceUse{&f.fences[i], row})
	}
	for i := range f.implicit {
		s.implicit = append(s.implicit, markerUse{marker: &f.implicit[i], dialect: row})
	}
	if f.firstKeys != nil && s.objectDialect == nil {
		s.objectDialect = row
	}
	if names := row.grammar.memberNames; f.firstKeys != nil && s.objectDialect != row && names != nil && s.plainDialects[names.name][names.args] == nil {
		s.plainDialects[names.name][names.args] = row
	}
	for _, key := range f.firstKeys {
		if !slices.Contains(s.firstKeys, key) {
			s.firstKeys = append(s.firstKeys, key)
		}
	}
}

func (s *markerSet) addDelimiters(w *delimiters, row *Dialect) {
	for i := range w.markers {
		s.add(markerUse{marker: &w.markers[i], dialect: row, delimiters: w})
	}
	for _, text := range w.closers() {
		s.reasoningClosers = append(s.reasoningClosers, text)
		if text[0] == '<' || strings.HasPrefix(text, "[/") {
			s.literalReasoningClosers = append(s.literalReasoningClosers, text)
		}
	}
}

func (s *markerSet) add(u markerUse) {
	i := slices.Index(s.texts, u.text)
	if i < 0 {
		i = len(s.texts)
		s.texts, s.uses = append(s.texts, u.text), append(s.uses, nil)
		s.longest = max(s.longest, len(u.text))
	}
	at := len(s.uses[i])
	if u.role <= openKeep || u.delimiters != nil && u.delimiters.sharedCloser { // before those that mean nothing by themselves
		at = cmp.Or(1+slices.IndexFunc(s.uses[i], func(u markerUse) bool { return u.role == listOpen || u.role == ignore }), at+1) - 1
	}
	s.uses[i] = slices.Insert(s.uses[i], at, u)
}

// markerTexts returns all that begins or ends something in a dialect.
func (d *Dialect) markerTexts() []string {
	all := slices.Clone(d.framing.closers)
	for _, m := range d.framing.markers {
		all = append(all, m.text)
	}
	for _, w := range d.reasoningDelimiters() {
		for _, m := range w.markers {
			all = append(all, m.text)
		}
	}
	return all
}

// markerSetOf returns the markers of one dialect.
func markerSetOf(d *Dialect) *markerSet {
	if cached := markerSets()[d.Name]; cached != nil && !d.hasNonce {
		return cached()
	}
	row := *d
	return newMarkerSet([]*Dialect{&row})
}

// markerSets are the markers of each dialect of the table, made when they are needed.
var markerSets = sync.OnceValue(func() map[string]func() *markerSet {
	sets := map[string]func() *markerSet{}
	for i := range Dialects() {
		sets[Dialects()[i].Name] = sync.OnceValue(func() *markerSet { return newMarkerSet([]*Dialect{&Dialects()[i]}) })
	}
	return sets
})

// allMarkers is the markers of all dialects.
var allMarkers = sync.OnceValue(func() *markerSet {
	var rows []*Dialect
	for i := range Dialects() {
		rows = append(rows, &Dialects()[i])
	}
	return newMarkerSet(rows)
})
