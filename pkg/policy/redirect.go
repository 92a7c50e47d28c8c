package policy

import (
	"errors"
	"net/url"
	"slices"
)

// follow returns what says whether a call that layers let happen may go on to an address that a
// server redirects to: each has to allow the call with that address, or to ask about it by the
// rule that was answered. A call that could carry private data away goes on only to hosts that
// rules name. The function may be used while the state changes.
func (p *Policy) follow(f Facts, each []granted, carries bool) func(*url.URL) error {
	return func(u *url.URL) error {
		a, err := addressOf(u.String())
		if err != nil {
			return err
		}
		there := f.at(u.String(), a)
		for i, l := range p.Layers {
			if d := l.denied(there, p.key(i)); d.Verdict == Deny {
				return errors.New(d.Why)
			}
			verdict, by := l.tools[f.Def.Name].grant(there)
			asked := verdict == Ask && by.id != each[i].by.id
			if verdict == Deny || asked {
				return errors.New("no rule of the policy allows the call with this URL")
			}
			if carries && !f.isFor(a.host) && l.trifecta != Allow && !by.names(there) && !l.mayCarry(there) {
				return errors.New("the call could carry private data there")
			}
		}
		return nil
	}
}

// isFor reports whether an address of a call has a host.
func (f Facts) isFor(host string) bool {
	for _, values := range f.args {
		if slices.ContainsFunc(values, func(v value) bool { return v.url != nil && v.url.host == host }) {
			return true
		}
	}
	return false
}

// at returns the facts of a call whose address is another one.
func (f Facts) at(text string, a *address) Facts {
	args := map[string][]value{}
	for name, values := range f.args {
		args[name] = slices.Clone(values)
		for i, v := range values {
			if v.url != nil {
				args[name][i] = value{exact: exactText(text), text: text, names: []string{text}, url: a}
			}
		}
	}
	f.args = args
	return f
}
