package policy

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/tool"
)

// filesDocument is the JSON form of the rules about files, which apply to every tool.
type filesDocument struct {
	Deny []struct {
		ID      string   `json:"id"`
		Path    []string `json:"path"`
		Because string   `json:"because"`
	} `json:"deny"`
	Labels []struct {
		Path []string     `json:"path"`
		Add  []tool.Label `json:"add"`
	} `json:"labels"`
	Programs string `json:"programs"`
}

type fileRules struct {
	denials    []fileDenial
	labels     []fileLabels
	unenforced bool // programs may run even if the sandbox cannot enforce each denial

	deny, label *globSet // compiled of both
}

type fileDenial struct {
	rule, because string
	globs         []glob
}

type fileLabels struct {
	globs []glob
	add   []tool.Label
}

// fileRulePrefix is the prefix of the ids of file rules.
const fileRulePrefix = "policy.files."

func (c *compiler) compileFiles(in filesDocument, execs, boxed bool) fileRules {
	out := fileRules{unenforced: in.Programs == "unheld"}
	for i, d := range in.Deny {
		at := "/files/deny/" + strconv.Itoa(i)
		one := fileDenial{c.ruleID(at, d.ID, fileRulePrefix, "deny["+strconv.Itoa(i)+"]"), d.Because, c.compileFileGlobs(at+"/path", d.Path)}
		out.denials = append(out.denials, one)
		if execs && !out.unenforced {
			c.checkEnforceable(at, one, boxed)
		}
	}
	for i, l := range in.Labels {
		out.labels = append(out.labels, fileLabels{c.compileFileGlobs("/files/labels/"+strconv.Itoa(i)+"/path", l.Path), l.Add})
	}
	if len(c.findings) == 0 {
		out.buildAutomata()
	}
	return out
}

// compileFileGlobs compiles patterns of paths below the root.
func (c *compiler) compileFileGlobs(at string, patterns []string) []glob {
	globs := compileEach(c, at, patterns, newGlob)
	for i, g := range globs {
		if !g.canMatchCleanPath() {
			c.addFinding(diag.PolicyValue, at+"/"+strconv.Itoa(i), "%q matches no file below the root: a path cannot begin or end with a slash or contain the segments . and ..", patterns[i])
		}
	}
	return globs
}

// checkEnforceable reports denials that a sandbox cannot enforce for programs: the kernel knows files and folders, not
// patterns.
func (c *compiler) checkEnforceable(at string, d fileDenial, boxed bool) {
	const waive = ", or set files: {programs: unheld} to let programs reach these files"
	for i, g := range d.globs {
		if _, ok := g.literalPath(); !ok {
			c.addFinding(diag.PolicyPrograms, at+"/path/"+strconv.Itoa(i), "%q is a pattern, which no sandbox can enforce, and enable_exec lets programs run", strings.Join(g, "/")).
				Hint = "name the folder or the file, such as Keys/**" + waive
		}
	}
	if !boxed {
		c.addFinding(diag.PolicyPrograms, at, "without programs.sandbox programs can reach these files, and enable_exec lets programs run").
			Hint = "add programs: {sandbox: {}}" + waive
	}
}

// buildAutomata builds the automata of the rules.
func (r *fileRules) buildAutomata() {
	var globs []glob
	var rules []int
	for i, d := range r.denials {
		for _, g := range d.globs {
			globs, rules = append(globs, g), append(rules, i)
		}
	}
	r.deny = newGlobSet(globs, rules)
	globs, rules = nil, nil
	for i, l := range r.labels {
		for _, g := range l.globs {
			globs, rules = append(globs, g), append(rules, i)
		}
	}
	r.label = newGlobSet(globs, rules)
}

// withLinkTargets returns the rules extended to the targets of links that they name.
func (r fileRules) withLinkTargets(resolve func(string) (string, error)) fileRules {
	more := func(globs []glob) []glob {
		for _, g := range globs {
			name, rest := g.literalPrefix()
			if leads, err := resolve(name); name != "." && err == nil && leads != name {
				globs = append(slices.Clip(globs), literalGlob(leads, rest...))
			}
		}
		return globs
	}
	r.denials, r.labels = slices.Clone(r.denials), slices.Clone(r.labels)
	for i := range r.denials {
		r.denials[i].globs = more(r.denials[i].globs)
	}
	for i := range r.labels {
		r.labels[i].globs = more(r.labels[i].globs)
	}
	r.buildAutomata()
	return r
}

// WithLinkTargets returns the policy of a run below a root: file rules about a link also apply to its current target.
func (p Policy) WithLinkTargets(resolve func(path string) (string, error)) Policy {
	layers := slices.Clone(p.Layers)
	for i, l := range layers {
		if len(l.files.denials) > 0 || len(l.files.labels) > 0 {
			own := *l
			own.files = l.files.withLinkTargets(resolve)
			layers[i] = &own
		}
	}
	p.Layers = layers
	return p
}

// Guards returns the guards that keep tools from denied files: see [fileroot.Root.Deny].
func (p *Policy) Guards() []fileroot.Guard {
	var out []fileroot.Guard
	for i, l := range p.Layers {
		if top := l.files.deny.rootCursor(); top != nil {
			out = append(out, &guard{top, l, p.layerPrefix(i)})
		}
	}
	return out
}

// A guard is the state of a layer's denials below a folder.
type guard struct {
	*cursor
	layer *Layer
	key   string
}

// Enter returns the state below a name, or the denial.
func (g *guard) Enter(name string) (fileroot.Guard, *fileroot.Denial) {
	var why *fileroot.Denial
	next := g.enter(name, func(rule int) {
		if d := g.layer.files.denials[rule]; why == nil {
			why = &fileroot.Denial{Rule: g.key + d.rule, Because: d.because}
		}
	})
	switch {
	case why != nil:
		return nil, why
	case next == nil:
		return nil, nil
	case next == g.cursor:
		return g, nil
	}
	return &guard{next, g.layer, g.key}, nil
}

// maxDenied bounds the denied files that a decision names.
const maxDenied = 10

// findFileDenials returns the rule that denies the first denied file, "" for none, and each denied file with its reason, so
// that a model can avoid all of them in its next call.
func (p *Policy) findFileDenials(names []string) (rule, why string) {
	var all []string
	for _, name := range names {
		denial := p.findDenial(name)
		if denial == nil {
			continue
		}
		rule = cmp.Or(rule, denial.Rule)
		if one := strconv.Quote(name) + ": " + denial.Reason(); len(all) < maxDenied && !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return rule, strings.Join(all, "; ")
}

func (p *Policy) findDenial(clean string) *fileroot.Denial {
	for i, l := range p.Layers {
		if hits := l.files.deny.matchingRules(clean); len(hits) > 0 {
			d := l.files.denials[hits[0]]
			return &fileroot.Denial{Rule: p.layerPrefix(i) + d.rule, Because: d.because}
		}
	}
	return nil
}

// FileLabels returns the labels that policies give to the data of a file.
func (p *Policy) FileLabels(clean string) []tool.Label {
	var out []tool.Label
	for _, l := range p.Layers {
		for _, i := range l.files.label.matchingRules(clean) {
			out = append(out, l.files.labels[i].add...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// fileLabels returns the labels of the files that a call names. A program may read any file, so its call gets the
// labels of all files.
func (p *Policy) fileLabels(f *Facts) []tool.Label {
	var out []tool.Label
	if f.Def.Effect == tool.Exec {
		for _, l := range p.Layers {
			for _, one := range l.files.labels {
				out = append(out, one.add...)
			}
		}
	}
	for _, name := range f.files {
		out = append(out, p.FileLabels(name)...)
	}
	return out
}

// DeniedFiles returns the slash paths below the root that policies deny, if they name a folder or file. held reports
// whether a policy relies on the sandbox to keep programs from them.
func (p *Policy) DeniedFiles() (paths []string, held bool) {
	execs := true // in all layers; otherwise no program runs
	for _, l := range p.Layers {
		execs = execs && l.EnableExec
		for _, d := range l.files.denials {
			held = held || !l.files.unenforced
			for _, g := range d.globs {
				if name, ok := g.literalPath(); ok {
					paths = append(paths, name)
				}
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), held && execs
}
