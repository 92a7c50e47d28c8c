package dialect

import (
	"cmp"
	"slices"
	"strings"

	"oneshot/pkg/ahocorasick"
	"oneshot/pkg/literal"
)

type fenceCandidate struct {
	*fenceSpec
	dialect *Dialect
}

// A markerSet is the searchable set of markers of the dialects being read.
type markerSet struct {
	*ahocorasick.Automaton
	dialects                []*Dialect
	texts                   []string
	uses                    [][]markerUse      // of each text
	useFilters              []*markerUseFilter // one per text
	fences                  []fenceCandidate   // fences of calls
	implicit                []markerUse        // frames that can begin where there is no text yet
	implicitUseFilter       *markerUseFilter   // for implicit
	objectDialect           *Dialect           // of JSON outside fences, if that counts
	firstKeys               []string           // first keys of such JSON after text
	plainDialects           plainDialects      // dialects of such JSON, if several are read
	reasoningClosers        []string           // texts that end reasoning
	literalReasoningClosers []string           // those that cannot occur in a literal
	longest                 int                // length of the longest text
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
func (p *plainDialects) dialectOf(s matchedMembers) *Dialect {
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
	for _, w := range commonDelimiters() {
		isText := rows[0].framing.keepsPromptedTags && slices.Contains(promptedTags, w)
		if !isText && !slices.ContainsFunc(wrappers, func(own *delimiters) bool { return own.name == w.name }) {
			wrappers = append(wrappers, w)
		}
	}
	for _, w := range wrappers {
		s.addReasoningMarkers(w, owners[w])
	}
	s.addUse(markerUse{marker: &resultLine})
	s.addFenceRun(&backticks)
	s.addFenceRun(&tildes)
	s.addUse(markerUse{marker: &brace})
	s.Automaton = ahocorasick.New(s.texts, nil)
	s.useFilters = make([]*markerUseFilter, len(s.texts))
	if len(rows) > 1 {
		for i, uses := range s.uses {
			s.useFilters[i] = newMarkerUseFilter(uses)
		}
		s.implicitUseFilter = newMarkerUseFilter(s.implicit)
	}
	return s
}

func (s *markerSet) addDialect(row *Dialect) {
	f := &row.framing
	for i := range f.markers {
		s.addUse(markerUse{marker: &f.markers[i], dialect: row})
	}
	for i := range f.fences {
		s.fences = append(s.fences, fenceCandidate{&f.fences[i], row})
	}
	s.addResultTags(row)
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

// addResultTags adds the markers of results. Sentences may contain a word or mention a tag, but not control tokens. After a
// mention the closing tag still shows that there was a result.
func (s *markerSet) addResultTags(row *Dialect) {
	opener, closer := row.ResultTags[0], row.ResultTags[1]
	if opener == "" || opener[0] == '`' {
		return
	}
	isToken := opener[0] == '[' || strings.HasPrefix(opener, "<|")
	s.addUse(markerUse{marker: &marker{text: opener, role: resultOpen, lineStart: !isToken}, dialect: row})
	if !isToken && !isNameByte(opener[0]) {
		s.addUse(markerUse{marker: &marker{text: opener, role: resultOpen, lookahead: not(thenMention)}, dialect: row})
	}
	if closer != "" {
		s.addUse(markerUse{marker: &marker{text: closer, role: resultOpen}, dialect: row})
	}
}

// addFenceRun adds a run of fence characters. One after text opens no fence of calls.
func (s *markerSet) addFenceRun(m *marker) {
	s.addUse(markerUse{marker: m})
	late := never
	for _, f := range s.fences {
		if f.certain {
			late = either(late, exactWordThen(f.info, lineThen(always)))
		}
	}
	s.addUse(markerUse{marker: &marker{text: m.text, role: lateFence, lookahead: runThen(m.text[0], late)}})
}

func (s *markerSet) addReasoningMarkers(w *delimiters, row *Dialect) {
	for i := range w.markers {
		s.addUse(markerUse{marker: &w.markers[i], dialect: row, delimiters: w})
	}
	for _, text := range w.closers() {
		s.reasoningClosers = append(s.reasoningClosers, text)
		if text[0] == '<' || text[0] == '[' {
			s.literalReasoningClosers = append(s.literalReasoningClosers, text)
		}
	}
}

func (s *markerSet) addUse(u markerUse) {
	i := slices.Index(s.texts, u.text)
	if i < 0 {
		i = len(s.texts)
		s.texts, s.uses = append(s.texts, u.text), append(s.uses, nil)
		s.longest = max(s.longest, len(u.text))
	}
	at := len(s.uses[i])
	if u.role <= openKeep || u.role == resultOpen || u.delimiters != nil && u.delimiters.sharedCloser { // before uses without a meaning of their own
		at = cmp.Or(1+slices.IndexFunc(s.uses[i], func(u markerUse) bool { return u.role == listOpen || u.role == ignore }), at+1) - 1
	}
	s.uses[i] = slices.Insert(s.uses[i], at, u)
}

// A terminatorKey determines the terminators of a frame or of literals.
type terminatorKey struct {
	dialect    *Dialect    // of the frame; nil if there is no frame or its markers do not count
	isJSON     bool        // the frame contains JSON
	fence      string      // the closing run of the fence around it
	markers    *markerList // terminators to use instead of those of the dialect
	mode       Reasoning
	inside     bool        // in reasoning
	delimiters *delimiters // of the reasoning
}

// terminators are the markers that end a frame and the literals in it.
type terminators struct {
	texts      []string       // that end the frame
	firstBytes [256]bool      // of texts
	stops      *literal.Stops // that end literals
}

// lastTerminators caches the latest lookup: consecutive frames are usually of one kind.
type lastTerminators struct {
	markers *markerSet
	key     terminatorKey
	*terminators
}
