package policy

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/chat"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// holds is the slow reference for globSet.matchingRules. It returns the indexes of the globs that match the path or a
// folder above it, as written or folded.
func holds(globs []glob, file string) []int {
	var out []int
	parts := strings.Split(file, "/")
	for i, g := range globs {
		for n := range parts {
			if matchesAny([]glob{g}, strings.Join(parts[:n+1], "/"), true) {
				out = append(out, i)
				break
			}
		}
	}
	return out
}

// H1: the automaton for directory walks matches the same paths as the globs.
func TestFilePatterns(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "b", "A*", "*b", "*", "**", "**", "?", "[a-b]x", "[^a]", "é*", "*É", `\*`, "a*b", "e*", "*a*", "*?b*", `[\]-a]*`, "*[é-ü]*", "[a-z]?*x"})
	name := rapid.SampledFrom([]string{"a", "b", "ab", "Ab", "ax", "x", "É", "e\u0301", "*", "aéb", "a\u034fb", "]x", "xaüb"})
	rapid.Check(t, func(t *rapid.T) {
		var globs []glob
		var rules []int
		for i, parts := range rapid.SliceOfN(rapid.SliceOfN(part, 1, 5), 1, 4).Draw(t, "patterns") {
			globs, rules = append(globs, parts), append(rules, i)
		}
		p := newGlobSet(globs, rules)
		room := rapid.SampledFrom([]int{0, 300, cacheWords})
		p.cacheRoom, p.names.cacheRoom = room.Draw(t, "room"), room.Draw(t, "room for names")
		for range 2 { // the second time with filled caches
			path := strings.Join(rapid.SliceOfN(name, 1, 6).Draw(t, "path"), "/")
			if diff := cmp.Diff(holds(globs, path), p.matchingRules(path)); diff != "" {
				t.Fatalf("%q of %q (-want +got):\n%s", globs, path, diff)
			}
		}
	})
}

// H1: nameDFA agrees with [path.Match]. After a *, path.Match counts the remaining bytes of a split character as
// characters, so no character here has more than two bytes.
func TestNamePatterns(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune(`aab**??[]^-\é`)), 0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		pattern, name := text.Draw(t, "pattern"), text.Draw(t, "name")
		if _, err := newGlob(pattern); err != nil {
			return
		}
		want, err := path.Match(pattern, name)
		if err != nil {
			t.Fatal(err)
		}
		d := nameDFA{states: map[string]*nameState{}, cacheRoom: cacheWords}
		s := d.stateAfterName(d.startState([]int{d.addPattern(pattern, 0)}), name)
		if got := len(s.accepts) > 0; got != want {
			t.Fatalf("%q of %q: %v", pattern, name, got)
		}
	})
}

// H1: the caches stay within their limits, whatever the number of patterns and names.
func TestPatternRoom(t *testing.T) {
	var globs []glob
	var rules []int
	for i := range 300 {
		globs, rules = append(globs, glob{"**", fmt.Sprintf("*%c*[b-y]?*%c*", 'a'+i%26, 'a'+i/26)}), append(rules, i)
	}
	p := newGlobSet(globs, rules)
	at := p.rootCursor()
	for i := range 5000 {
		at.enter(fmt.Sprintf("%x %c", i*i*7919, rune(0x4e00+i)), func(int) {})
	}
	words := 0
	for _, s := range p.names.states {
		words += len(s.at) + len(s.ascii) + len(s.others)
	}
	if p.names.cacheRoom < 0 || p.cacheRoom < 0 || words > cacheWords || len(p.names.states) < 100 {
		t.Errorf("%d states with %d words; room %d and %d", len(p.names.states), words, p.names.cacheRoom, p.cacheRoom)
	}
}

// With hostile patterns and paths, a name costs at most one check per step of the patterns. Below a folder that no
// pattern can match, no steps remain.
func TestFilePatternsLinear(t *testing.T) {
	hostile := newGlobSet([]glob{strings.Split(strings.Repeat("**/a/", 20)+"b", "/")}, []int{0})
	at := hostile.rootCursor()
	for range 1000 {
		if at = at.enter("a", func(int) { t.Fatal("it matches") }); len(at.at) > len(hostile.steps) || !slices.IsSorted(at.at) {
			t.Fatalf("%d of %d steps are looked at: %v", len(at.at), len(hostile.steps), at.at)
		}
	}
	var globs []glob
	var rules []int
	for i := range 50 {
		globs, rules = append(globs, glob{"Keys" + string(rune('a'+i)), "**"}), append(rules, i)
	}
	if at := newGlobSet(globs, rules).rootCursor().enter("other", func(int) { t.Error("it matches") }); at != nil {
		t.Errorf("below a folder that no pattern names there is %v", at.at)
	}
}

func fileLayer(t *testing.T, files string) *Layer {
	t.Helper()
	return layer(t, `{version: 1, enable_exec: true, tools: {file_read: {allow: [{}]}, file_put: {allow: [{}]}, terminal_execute: {allow: [{}]}}, programs: {sandbox: {}}, files: `+files+`}`)
}

// File rules apply to each tool, spelling, link and layer. Their labels add up, and the state of a resumed run
// includes labels that only a result has.
func TestFileRules(t *testing.T) {
	p := Policy{Flags: FlagRules{EnableExec: true}, Layers: []*Layer{
		fileLayer(t, `{deny: [{id: keys, path: ["Keys/**"], because: keys stay here}], labels: [{path: ["inbox/**"], add: [untrusted]}]}`),
		fileLayer(t, `{deny: [{path: [nothing, "**/*.pem"]}], programs: unheld, labels: [{path: ["**/*.md"], add: [private]}]}`),
	}}
	leads := map[string]string{"top": ".", "door/a": "Keys/a", "Box": "store/box"}
	resolve := func(path string) (string, error) {
		if to, ok := leads[path]; ok {
			return to, nil
		}
		return path, nil
	}
	decide := func(p Policy, name, args string) Decision {
		def, ok := known(t).Get(name)
		if !ok {
			t.Fatal(name)
		}
		return p.Decide(&State{}, Facts{Def: def, Arguments: json.RawMessage(args), Resolve: resolve, Trusted: true})
	}
	for args, want := range map[string]string{
		`file_read {"filePaths":["a","./kEYS/x"]}`:   "1:policy.files.keys",
		`file_read {"filePaths":["door/a"]}`:         "1:policy.files.keys",
		`file_read {"filePaths":["Keys"]}`:           "1:policy.files.keys",
		`file_read {"filePaths":["Keys2/a"]}`:        "1:file_read.allow[0]+2:file_read.allow[0]",
		`file_put {"path":"a/b.PEM/c","content":""}`: "2:policy.files.deny[0]",
		`file_put {"path":"a/b.md","content":""}`:    "1:file_put.allow[0]+2:file_put.allow[0]",
	} {
		name, args, _ := strings.Cut(args, " ")
		if d := decide(p, name, args); d.Rule != want {
			t.Errorf("%s: %s: %s", args, d.Rule, d.Why)
		}
	}
	if d := decide(p, "file_read", `{"filePaths":["Keys/x"]}`); d.Why != `"Keys/x": keys stay here (1:policy.files.keys)` || d.Code != chat.Denied {
		t.Errorf("%+v", d)
	}
	if got := p.FileLabels("inbox/a.md"); !slices.Equal(got, []tool.Label{tool.Private, tool.Untrusted}) {
		t.Errorf("labels %q", got)
	}
	if d := decide(p, "terminal_execute", `{"command":"true"}`); !slices.Contains(d.Labels, tool.Private) || !slices.Contains(d.Labels, tool.Untrusted) {
		t.Errorf("labels of a program: %q", d.Labels)
	}
	if paths, held := p.DeniedFiles(); !held || !slices.Equal(paths, []string{"Keys", "nothing"}) {
		t.Errorf("for programs: %q, %v", paths, held)
	}
	linked := Policy{Layers: []*Layer{fileLayer(t, `{deny: [{id: box, path: ["Box/**"]}]}`)}}.WithLinkTargets(resolve)
	if d := decide(linked, "file_read", `{"filePaths":["store/box/x"]}`); d.Rule != "policy.files.box" {
		t.Errorf("what a denied link leads to: %s", d.Rule)
	}
	linked = Policy{Layers: []*Layer{fileLayer(t, `{deny: [{id: box, path: ["Box/*/?.md"]}, {id: all, path: ["top/*.key"]}], programs: unheld, labels: [{path: ["Box/[ab]/**"], add: [private]}]}`)}}.WithLinkTargets(resolve)
	for path, want := range map[string]string{"Box/a/x.md": "policy.files.box", "store/box/a/x.md": "policy.files.box", "store/box/x.md": "file_read.allow[0]", "a.key": "policy.files.all"} {
		if d := decide(linked, "file_read", `{"filePaths":["`+path+`"]}`); d.Rule != want {
			t.Errorf("a pattern below a link: %s: %s", path, d.Rule)
		}
	}
	if got := linked.FileLabels("store/box/b/x"); !slices.Equal(got, []tool.Label{tool.Private}) {
		t.Errorf("labels below a link: %q", got)
	}
	guards := p.Guards()
	for path, denied := range map[string]string{"keys/a": "1:policy.files.keys", "x/y.pem": "2:policy.files.deny[0]", "x/y": ""} {
		got := ""
		for _, g := range guards {
			for name := range strings.SplitSeq(path, "/") {
				var why *fileroot.Denial
				if g != nil {
					g, why = g.Enter(name)
				}
				if why != nil {
					got = why.Rule
				}
			}
		}
		if got != denied {
			t.Errorf("guards of %s: %q", path, got)
		}
	}
	var s State
	s.Apply(time.Time{}, runfile.Call{ID: "1", Name: "vault_search", Verdict: "allow", Labels: []string{"private"}})
	s.Apply(time.Time{}, runfile.Result{Call: "1", Labels: []string{"untrusted"}})
	if got := s.Labels(); !slices.Equal(got, []tool.Label{tool.Private, tool.Untrusted}) {
		t.Errorf("labels that the state folds: %q", got)
	}
}
