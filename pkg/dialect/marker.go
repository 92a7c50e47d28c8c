package dialect

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"oneshot/pkg/ahocorasick"
)

// A marker is a text that means something in a response, outside of frames.
type marker struct {
	text           string
	role           role
	lineStart      bool          // only at the start of a line
	lookahead      lookahead     // must match the text after it; nil for anything
	ownLookahead   lookahead     // replaces lookahead if no other dialect is read
	skip           string        // optional text skipped after it
	grammar        *grammar      // of the frame it begins, if it differs from the dialect's
	missingOpener  string        // the marker that is missing from calls found by this one
	opensList      bool          // it begins a frame and encloses all others as well
	sharedWithText bool          // it also encloses text that is not a call
	needsTool      bool          // the Python call after it must name a known tool, if tools are known
	effect         messageEffect // what it does to a message
	messageStart   bool          // only where no text precedes it in its message
}

// A messageEffect is the effect of a marker, other than a header, on a message.
type messageEffect uint8

const (
	noEffect messageEffect = iota
	endsMessage
	beginsAnswer // text for the user
)

// A role is the effect of a marker.
type role uint8

const (
	open            role = iota // opens a frame; the grammar reads after the marker
	openKeep                    // opens a frame; the grammar reads the marker as well
	listOpen                    // precedes calls, without a meaning of its own
	listClose                   // follows calls
	reasoningOpen               // opens reasoning
	reasoningClose              // closes reasoning
	ignore                      // surrounds messages, without a meaning of its own
	ignoreKeepSpace             // the same, but blanks after it are text
	continuation                // closes a part of a call: after a call it means that the call continues
	fenceRun                    // a run of fence characters
	openBrace                   // the opening brace of an object
	implicitOpen                // no marker: opens a frame where there is no text yet
)

// ignored returns markers without a meaning of their own.
func ignored(texts ...string) []marker {
	all := make([]marker, len(texts))
	for i, text := range texts {
		all[i] = marker{text: text, role: ignore}
	}
	return all
}

// jsonStart begins calls with the first bracket of JSON. A list must be one of objects, if it could be something
// else.
var jsonStart = []marker{{role: implicitOpen, lookahead: thenJSON}}

// listInText begins a list of calls after text.
var listInText = marker{text: "[{", role: implicitOpen}

// A markerUse is the meaning of a marker in one dialect, or in reasoning delimiters.
type markerUse struct {
	*marker
	dialect    *Dialect
	delimiters *delimiters
}

type fenceCandidate struct {
	*fenceSpec
	dialect *Dialect
}

// A markerSet is the searchable set of markers of the dialects being read.
type markerSet struct {
	*ahocorasick.Automaton
	dialects                []*Dialect
	texts                   []string
	uses                    [][]markerUse    // of each text
	prefilters              []*prefilter     // one per text
	fences                  []fenceCandidate // fences of calls
	implicit                []markerUse      // frames that can begin where there is no text yet
	implicitPrefilter       *prefilter       // for implicit
	objectDialect           *Dialect         // of JSON outside fences, if that counts
	firstKeys               []string         // first keys of such JSON after text
	plainDialects           plainDialects    // dialects of such JSON, if several are read
	reasoningClosers        []string         // texts that end reasoning
	literalReasoningClosers []string         // those that cannot occur in a literal
	longest                 int              // length of the longest text
	terminators             memo[terminatorKey, *terminators]
}

var (
	backticks = marker{text: "```", role: fenceRun}
	tildes    = marker{text: "~~~", role: fenceRun}
	brace     = marker{text: "{", role: openBrace}
)

// plainDialects maps the members for the tool and the arguments to the dialect of a JSON call without a marker.
type plainDialects [memberCount][memberCount]*Dialect

// dialectOf returns the dialect with the members of a shape, or the one with the most common members.
func (p *plainDialects) dialectOf(s shape) *Dialect {
	return cmp.Or(p[s.nameMember][s.argsMember], p[ofName][ofArguments])
}

func newMarkerSet(rows []*Dialect) *markerSet {
	s := &markerSet{dialects: rows}
	var wrappers []*delimiters
	owners := map[*delimiters]*Dialect{} // nil for several
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
	s.Automaton = ahocorasick.New(s.texts, nil)
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
		s.fences = append(s.fences, fenceCandidate{&f.fences[i], row})
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
	if u.role <= openKeep || u.delimiters != nil && u.delimiters.sharedCloser { // before uses without a meaning of their own
		at = cmp.Or(1+slices.IndexFunc(s.uses[i], func(u markerUse) bool { return u.role == listOpen || u.role == ignore }), at+1) - 1
	}
	s.uses[i] = slices.Insert(s.uses[i], at, u)
}

// markerTexts returns all markers of a dialect.
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

// markerSets are built on first use, for each dialect of the table.
var markerSets = sync.OnceValue(func() map[string]func() *markerSet {
	sets := map[string]func() *markerSet{}
	for i := range Dialects() {
		sets[Dialects()[i].Name] = sync.OnceValue(func() *markerSet { return newMarkerSet([]*Dialect{&Dialects()[i]}) })
	}
	return sets
})

// allMarkers is the set of all dialects.
var allMarkers = sync.OnceValue(func() *markerSet {
	var rows []*Dialect
	for i := range Dialects() {
		rows = append(rows, &Dialects()[i])
	}
	return newMarkerSet(rows)
})
