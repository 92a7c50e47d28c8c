package policy

import (
	"path"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/tool"
)

// FlagRules are what the person who started a run decided on the command line. The zero value
// allows reads of the named tools and nothing else.
type FlagRules struct {
	Allow      []string        // globs of tools that may write or run programs; where there are files, they say so
	Ask        []string        // globs of tools of which each call has to be approved; that allows it, too, where there are no files
	Deny       []string        // globs of tools that may not be called at all
	ReadOnly   bool            // nothing may write, whatever else allows it
	EnableExec bool            // tools may run programs, where a rule allows it, too
	Scopes     []string        // what the run has been granted
	Connected  []string        // the connections that the run has been given
	AllowHosts map[string]bool // host:port addresses that early reads may reach
}

// decide judges one call. Where there are files of rules it only narrows what they allow.
func (r FlagRules) decide(f Facts, files bool) Decision {
	d := r.allows(f, files)
	if d.Verdict == Allow && matchesAnyGlob(r.Ask, f.Def.Name) {
		d.Verdict, d.Rule, d.Why, d.Early = Ask, "flag:ask", "--ask names this tool", false
	}
	return d
}

// allows judges whether a call may happen, be it asked about or not. Deny wins over
// everything; a glob that is not valid could have meant any tool.
func (r FlagRules) allows(f Facts, files bool) Decision {
	d := Decision{Verdict: Allow, Arguments: f.Arguments, Early: f.Def.Effect == tool.Read && r.canReachAll(f.hosts)}
	switch {
	case FirstInvalidGlob(r.Deny) != "":
		return d.deny("flag:deny", "invalid pattern in --deny")
	case FirstInvalidGlob(r.Ask) != "":
		return d.deny("flag:ask", "invalid pattern in --ask")
	case matchesAnyGlob(r.Deny, f.Def.Name):
		return d.deny("flag:deny", "--deny names this tool")
	case !r.hasScopes(f.Def):
		return r.scopesDenial(f.Def, d)
	case f.Def.Connection != "" && !slices.Contains(r.Connected, f.Def.Connection):
		d = d.deny("floor:connection", "this run lacks the connection %s", f.Def.Connection)
		d.Code, d.Hint = chat.ConnectionInactive, "give it with --connection "+f.Def.Connection
		return d
	case f.Def.Effect == tool.Read:
		d.Rule = "default:read"
		return d
	case r.ReadOnly:
		return d.deny("flag:read-only", "this run is read-only")
	case f.Def.Effect != tool.Write && !r.EnableExec:
		d = d.deny("floor:exec", "running commands is not allowed in this run")
		d.Hint = "allow it with --enable-exec"
		if !files && !matchesAnyGlob(r.Allow, f.Def.Name) && !matchesAnyGlob(r.Ask, f.Def.Name) {
			d.Hint += " and --allow " + f.Def.Name
		}
		return d
	case files:
		return d
	case matchesAnyGlob(r.Allow, f.Def.Name), matchesAnyGlob(r.Ask, f.Def.Name):
		d.Rule = "flag:allow"
		return d
	}
	d = d.deny("default:write", "this tool makes changes and is not allowed")
	d.Hint = "allow it with --allow " + f.Def.Name
	return d
}

// hasScopes reports whether a run has the scopes that a tool needs: all of one list, and any of
// the other.
func (r FlagRules) hasScopes(def *tool.Definition) bool {
	has := func(scope string) bool { return slices.Contains(r.Scopes, scope) }
	return len(r.missingScopes(def)) == 0 && (len(def.AnyScopes) == 0 || slices.ContainsFunc(def.AnyScopes, has))
}

// missingScopes returns the scopes that a tool needs all of, and that a run has not been granted.
func (r FlagRules) missingScopes(def *tool.Definition) []string {
	return slices.DeleteFunc(slices.Clone(def.Scopes), func(scope string) bool { return slices.Contains(r.Scopes, scope) })
}

// scopesDenial words the denial of a call for which scopes are missing.
func (r FlagRules) scopesDenial(def *tool.Definition, d Decision) Decision {
	missing := r.missingScopes(def)
	switch {
	case len(missing) == 1:
		d = d.deny("floor:scopes", "this run has not been granted the scope %s", missing[0])
	case len(missing) > 1:
		d = d.deny("floor:scopes", "this run has not been granted the scopes %s", strings.Join(missing, ", "))
	default:
		d = d.deny("floor:scopes", "this run has been granted none of the scopes %s", strings.Join(def.AnyScopes, ", "))
		d.Code, d.Hint = chat.ScopesMissing, "grant one of them, for example with --scope "+def.AnyScopes[0]
		return d
	}
	d.Code, d.Hint = chat.ScopesMissing, "grant it with --scope "+strings.Join(missing, " --scope ")
	return d
}

// canReachAll reports whether all hosts are ones that a read may reach before its response is
// complete: a call that is never confirmed must not leak anything.
func (r FlagRules) canReachAll(hosts []string) bool {
	for _, h := range hosts {
		if !r.AllowHosts[h] {
			return false
		}
	}
	return true
}

// FirstInvalidGlob returns the first pattern that is not a valid glob, or "".
func FirstInvalidGlob(patterns []string) string {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return p
		}
	}
	return ""
}

// matchesAnyGlob reports whether any of the globs matches name. A glob that is not valid matches
// nothing: see [FirstInvalidGlob].
func matchesAnyGlob(globs []string, name string) bool {
	for _, g := range globs {
		if ok, err := path.Match(g, name); err == nil && ok {
			return true
		}
	}
	return false
}
