package lint

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
)

// DetectKind detects the kind of a file from its content, even a broken one: the kind whose schema has
// the most of the top-level keys, given enough evidence. A file that could belong to another
// program is [Unknown]; likely then lists kinds it may be meant as. An answer can have any shape.
func DetectKind(src []byte) (kind Kind, likely []Kind) {
	src = bytes.TrimPrefix(src, []byte(byteOrderMark))
	if isLikelyJSON(src) && IsRunFile(src) {
		return RunFile, nil
	}
	t := extractFeatures(src)
	switch {
	case t.foreign:
		return Unknown, nil
	case t.event:
		return Events, nil
	case t.schema:
		return Schema, nil
	}
	return t.bestKind()
}

// unknownKindFindings returns the finding about a file of unknown kind. YAML faults in a YAML file
// come first.
func unknownKindFindings(name string, src []byte) []diag.Finding {
	if faults := yamlFaults(name, src); len(faults) > 0 {
		return faults
	}
	_, likely := DetectKind(src)
	f := diag.New(diag.UnknownKind, diag.Span{}, "cannot detect the kind of the file")
	switch {
	case isBlank(src):
		f.Message += ": it is empty"
	case schema.EncodingHint(src) != "":
		f.Hint = schema.EncodingHint(src)
	case jsonFault(src) != nil:
		fault := jsonFault(src)
		f.Message += "; it is not valid JSON: " + fault.Message
		f.Span, f.Hint = fault.Span, "fix it, then name the kind with --as"
	case len(likely) > 0:
		f.Hint = "--as " + schema.JoinOr(likely) + ", if it is meant as that"
	default:
		f.Hint = "name the kind with --as " + schema.JoinOr(Kinds)
	}
	return []diag.Finding{f}
}

// yamlFaults returns the YAML faults of a file with a YAML extension.
func yamlFaults(name string, src []byte) []diag.Finding {
	if !isYAMLName(name) || isBlank(src) {
		return nil
	}
	doc, _ := yamldoc.Read(name, src, yamlCodes)
	return doc.Findings()
}

// IsBrokenYAML reports whether a file has a YAML extension and invalid content.
func IsBrokenYAML(name string, src []byte) bool { return len(yamlFaults(name, src)) > 0 }

// jsonFault returns the fault in a text that can only be meant as one JSON value; nil if it has
// none.
func jsonFault(src []byte) *diag.Finding {
	compact := bytes.Map(func(r rune) rune {
		if strings.ContainsRune(blanks, r) {
			return -1
		}
		return r
	}, src[:min(len(src), 200)])
	if !bytes.HasPrefix(compact, []byte(`{"`)) && !bytes.HasPrefix(compact, []byte(`[{"`)) || hasObjectLines(src) {
		return nil
	}
	return schema.CheckStrict(bytes.TrimRight(src, blanks))
}

// A score measures the evidence for a kind.
type score struct {
	form          kindInfo
	known         int // keys that match its schema, misspellings included
	distinctive   int // known keys that are not common to several kinds
	hasSufficient bool
}

// bestKind returns the kind with the highest sufficient score.
func (t *features) bestKind() (kind Kind, likely []Kind) {
	var ranked []score
	for _, f := range kindTable {
		if s := t.scoreOf(f); s.known > 0 {
			ranked = append(ranked, s)
		}
	}
	slices.SortStableFunc(ranked, func(a, b score) int { return cmp.Compare(b.known, a.known) })
	total := len(t.keys) + t.keyless
	for _, s := range ranked {
		if s.isSufficient(total) {
			return s.form.kind, nil
		}
		if 2*s.known > total {
			likely = append(likely, s.form.kind)
		}
	}
	return Unknown, likely
}

// isSufficient reports whether a score among total keys determines the kind.
func (s score) isSufficient(total int) bool {
	switch {
	case s.distinctive >= 3:
		return 3*s.known >= total
	case s.distinctive > 0:
		return s.known >= 2 && 2*s.known >= total
	}
	return s.hasSufficient && 3*s.known >= 2*total
}

// scoreOf returns the score of a kind.
func (t *features) scoreOf(f kindInfo) score {
	known := f.topKeys()
	s := score{form: f, hasSufficient: len(f.sufficientKeys) > 0}
	for key := range t.keys {
		if !slices.Contains(known, key) {
			if key = nearestKey(key, known); key == "" {
				continue
			}
		}
		s.known++
		if !slices.Contains(commonKeys, key) {
			s.distinctive++
		}
	}
	for _, key := range f.sufficientKeys {
		s.hasSufficient = s.hasSufficient && t.keys[key]
	}
	return s
}

// nearestKey returns the known key that a key probably misspells, or "". Short keys resemble too
// many.
func nearestKey(key string, known []string) string {
	const shortest = 6
	if len(key) < shortest {
		return ""
	}
	return schema.ClosestMatch(key, known)
}

// topKeys returns the top-level keys of the kind's schema.
func (f kindInfo) topKeys() []string {
	text, _ := schema.PublishedText(f.schema)
	keys := slices.Clone(f.extraKeys)
	eachMember(gjson.GetBytes(text, "properties"), func(key string, _ gjson.Result) { keys = append(keys, key) })
	return keys
}
