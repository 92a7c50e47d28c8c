package cmd

import (
	"io"
	"net"

	"github.com/spf13/pflag"

	"oneshot/pkg/netguard"
	"oneshot/pkg/runner"
	"oneshot/pkg/vault"
)

// confineOptions say what tools may reach.
type confineOptions struct {
	root       string
	allowHosts []string
}

func (o *confineOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.root, "root", "", "`DIR` that file tools may touch; none by default, e.g. --root notes")
	f.StringArrayVar(&o.allowHosts, "allow-host", nil, "private `HOST[:PORT]` that tools may reach, e.g. --allow-host localhost:8080")
}

// open gives tools what they may touch. The returned function lets go of it.
func (o *confineOptions) open(t *talk) (runner.Env, func(), error) {
	hosts, err := o.parsed()
	if err != nil {
		return runner.Env{}, nil, err
	}
	env := runner.Env{Client: netguard.NewClient(netguard.Options{AllowHosts: hosts}), Chat: chatWriter{t}}
	if o.root == "" {
		return env, env.Client.CloseIdleConnections, nil
	}
	root, err := vault.Open(o.root)
	if err != nil {
		return runner.Env{}, nil, usagef("--root names a directory", "--root: %v", err)
	}
	env.Root = root
	return env, func() { env.Client.CloseIdleConnections(); root.Close() }, nil
}

func (o *confineOptions) parsed() ([]netguard.HostPort, error) {
	var hosts []netguard.HostPort
	for _, h := range o.allowHosts {
		hp, err := netguard.ParseHostPort(h)
		if err != nil {
			return nil, usagef("for example --allow-host localhost:8080", "--allow-host: %v", err)
		}
		hosts = append(hosts, hp)
	}
	return hosts, nil
}

// hosts returns the addresses that a read may reach before its response is
// complete, as host:port.
func (o *confineOptions) hosts() map[string]bool {
	hosts := map[string]bool{}
	for _, h := range o.allowHosts {
		if _, _, err := net.SplitHostPort(h); err == nil {
			hosts[h] = true
		}
	}
	return hosts
}

// chatWriter shows what send_chat says.
type chatWriter struct{ t *talk }

var _ io.Writer = chatWriter{}

func (w chatWriter) Write(p []byte) (int, error) {
	if w.t.quiet {
		return len(p), nil
	}
	return w.t.err.Write(p)
}
