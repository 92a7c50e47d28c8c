package cmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"oneshot/pkg/netguard"
	"oneshot/pkg/redact"
	"oneshot/pkg/tool"
)

// secretOptions are the --secret flags.
type secretOptions struct{ values []string }

// load reads all secrets and masks them, used or not. A replay sends nothing and can do without.
func (o secretOptions) load(ctx context.Context, env Env, t *console, isReplay bool) (secretStore, error) {
	store := secretStore{}
	for _, value := range o.values {
		c, source, err := store.parseSecretFlag(value)
		if err != nil {
			return nil, err
		}
		if c.value, err = source.read(ctx, env, t); err != nil && isReplay {
			t.note("%v; the replay does without it", withSecretName(err, c.name))
			continue
		}
		if err != nil {
			return nil, withSecretName(err, c.name)
		}
		t.hideValue("the secret "+c.name, c.value)
		store[c.name] = c
	}
	return store, nil
}

// parseSecretFlag parses a value of --secret.
func (s secretStore) parseSecretFlag(value string) (c credential, from secretSource, err error) {
	left, right, ok := strings.Cut(value, "=")
	name, hosts, bound := strings.Cut(left, "@")
	switch {
	case !ok || !isEnvName(name):
		return c, from, usagef(hintSecret, "--secret: the value is not NAME=SOURCE") // the value may be the secret
	case s[name].name != "":
		return c, from, usagef("", "--secret %s is given twice", name)
	}
	c.name = name
	if bound {
		if c.hosts, ok = parseHosts(hosts); !ok {
			return c, from, usagef(hintSecret, "--secret %s: %q is not a list of hosts", name, hosts)
		}
	}
	from, err = parseSource(name, right)
	return c, from, err
}

// parseHosts parses a list of hosts. Each may have a port, and begin with "*.".
func parseHosts(list string) (hosts []string, ok bool) {
	for host := range strings.SplitSeq(strings.ToLower(list), ",") {
		u, err := url.Parse("https://" + strings.TrimPrefix(host, "*."))
		if err != nil || u.Host == "" || "https://"+u.Host != u.String() || strings.Contains(u.Host, "*") {
			return nil, false
		}
		hosts = append(hosts, host)
	}
	return hosts, true
}

// isFor reports whether a secret may be sent to a URL.
func (c credential) isFor(u *url.URL) bool {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return len(c.hosts) == 0 || slices.ContainsFunc(c.hosts, func(to string) bool {
		if h, p, err := net.SplitHostPort(to); err == nil {
			if p != port {
				return false
			}
			to = h
		}
		below, wild := strings.CutPrefix(to, "*")
		return wild && strings.HasSuffix(host, below) || strings.Trim(to, "[]") == host
	})
}

// isUnencrypted reports whether a secret would be sent unencrypted over a network. A host that it is bound to with a port, and
// localhost, may get it unencrypted.
func (c credential) isUnencrypted(to *url.URL) bool {
	host := netguard.HostOf(to)
	addr, err := netip.ParseAddr(host.Host)
	if to.Scheme != "http" || host.Host == "localhost" || err == nil && addr.IsLoopback() {
		return false
	}
	return !slices.ContainsFunc(c.hosts, func(h string) bool {
		_, _, err := net.SplitHostPort(h)
		return err == nil && credential{hosts: []string{h}}.isFor(to)
	})
}

// checkDestination refuses to send secrets to a server that they are not bound to. The flag contains them.
func checkDestination(flag string, used []credential, to *url.URL) error {
	for _, c := range used {
		if !c.isFor(to) {
			return usagef("add the host with --secret "+c.name+"@HOST if it may have the secret",
				"%s: secret %s is for %s, not for %s", flag, c.name, strings.Join(c.hosts, ", "), to.Host)
		}
	}
	return nil
}

// hideValue masks a value in all later output. It notes values that are too short to mask or look ordinary.
func (t *console) hideValue(what, value string) {
	switch {
	case t.secrets.Add(value):
		if redact.IsOrdinary(value) {
			t.note("the value of %s looks like an ordinary word: it is masked as %s wherever it occurs, even in data; use a longer random value", what, redact.Mask)
		}
	default:
		t.note("the value of %s is shorter than %d bytes and cannot be masked", what, redact.MinLength)
	}
}

// hideURL masks the user information of an address, and notes a credential as [console.hideValue] does.
func (t *console) hideURL(from string, u *url.URL) {
	if word := t.secrets.AddURLCredential(u); word != "" {
		t.hideValue("the credential in "+from, word)
	}
}

// forTools returns a lookup for the secrets in requests of tools. Definitions only name secrets; --secret defines their
// values and hosts. Definitions cannot read the environment.
func (s secretStore) forTools(tools []*tool.Definition) (func(name string) string, error) {
	for _, d := range tools {
		if d.HTTP == nil {
			continue
		}
		to, err := url.Parse(d.HTTP.Origin)
		if err != nil {
			return nil, usagef("", "tool %s: %w", d.Name, err)
		}
		for _, name := range d.HTTP.Secrets {
			c, ok := s[name]
			if !ok {
				return nil, &secretError{name, fmt.Errorf("tool %s needs it", d.Name), "define it with --secret " + name + "@" + to.Host + "=env:" + name + ", file:PATH or command:PROGRAM"}
			}
			if err := errors.Join(checkDestination("tool "+d.Name, []credential{c}, to), checkHeaderValue("the secret "+name, c.value)); err != nil {
				return nil, err
			}
			if c.isUnencrypted(to) {
				return nil, usagef("allow it with --secret "+name+"@"+netguard.HostOf(to).String(),
					"tool %s: http would send secret %s to %s unencrypted", d.Name, name, to.Host)
			}
		}
	}
	return func(name string) string { return s[name].value }, nil
}
