package policy

import (
	"errors"
	"net/url"
	"slices"
)

// newRedirectCheck returns the check of redirects of a call that the layers allow. Each layer must allow the call with
// the new URL, or ask about it by the rule that was approved. A call that could carry private data away is redirected
// only to hosts that rules name. The function may be used while the state changes.
func (p *Policy) newRedirectCheck(f Facts, each []layerDecision, carries bool) func(*url.URL) error {
	return func(u *url.URL) error {
		v, err := newURLValue(u.String())
		if err != nil {
			return err
		}
		there := f.withRedirectURL(v)
		for i, l := range p.Layers {
			if d := l.checkDenials(there, p.layerPrefix(i)); d.Verdict == Deny {
				return errors.New(d.Why)
			}
			verdict, by := l.tools[f.Def.Name].findGrant(there)
			asked := verdict == Ask && by.id != each[i].by.id
			if verdict == Deny || asked {
				return errors.New("no rule of the policy allows the call with this URL")
			}
			if carries && !f.hasHost(v.url.host) && l.trifecta != Allow && !by.namesAllHostsExactly(there) && !l.allowsExfiltration(there) {
				return errors.New("the call could carry private data there")
			}
		}
		return nil
	}
}

// hasHost reports whether a URL of the call has the host.
func (f Facts) hasHost(host string) bool {
	for _, values := range f.args {
		if slices.ContainsFunc(values, func(v value) bool { return v.url != nil && v.url.host == host }) {
			return true
		}
	}
	return false
}

// withRedirectURL returns the facts of the same call with another URL.
func (f Facts) withRedirectURL(redirect value) Facts {
	args := map[string][]value{}
	for name, values := range f.args {
		args[name] = slices.Clone(values)
		for i, v := range values {
			if v.url != nil {
				args[name][i] = redirect
			}
		}
	}
	f.args = args
	return f
}
