package cmd

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/executor"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/netguard"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/tool"
)

// confineOptions restrict the access of tools.
type confineOptions struct {
	root       string
	allowHosts []string
	speaker    string
	opener     string
	noCache    bool
}

// speechGrace is how long speech may continue after the command has finished.
const speechGrace = 20 * time.Second

// openEnvironment returns the environment of tools. When ctx ends, it kills the programs that they have started. Tools cannot
// write the folders in which programs are looked up. The caller has to call release.
func (o toolAccess) openEnvironment(ctx context.Context, env Env, t *console, c *confined) (executor.Env, func(), error) {
	hosts, err := o.allowedHosts()
	if err != nil {
		return executor.Env{}, nil, err
	}
	var root *fileroot.Root
	if o.root != "" {
		if root, err = openRoot(o.root, slices.Concat(o.made, c.searchPath()), o.definitions); err != nil {
			return executor.Env{}, nil, usagef("name another folder, e.g. --root notes", "--root: %w", err)
		}
		root.AddGuards(fileroot.DenyPaths(recordDenial, o.recordsBelow()...))
	}
	speech := newChatWriter(t, executor.Say)
	if o.speaker != "" { // a text that the program fails to speak is shown, even with --quiet: the call has already succeeded
		speech = chatWriter{t, executor.Say}
	}
	tools := executor.Env{
		Root:          root,
		Secrets:       t.secrets,
		Client:        netguard.NewClient(netguard.Options{AllowHosts: hosts}),
		Chat:          newChatWriter(t, executor.SendChat),
		TextToSpeech:  executor.NewTextToSpeech(ctx, findProgram(env, t, o.speaker), speech),
		BrowserOpener: executor.NewBrowserOpener(ctx, findProgram(env, t, o.opener), newChatWriter(t, executor.OpenURL), hosts...),
		Getenv:        env.Getenv,
	}
	if c != nil {
		tools.Programs, tools.Variables = &c.Confinement, c.env
		t.hideSecretVariables(env, c.named)
	}
	return tools, func() { releaseEnvironment(ctx, tools) }, nil
}

// runner returns a runner of tools. Its errors show no path of the root or the home.
func (o *confineOptions) runner(env Env, tools *tool.Registry, touch executor.Env) *executor.Runner {
	r := executor.New(tools, touch)
	if o.root != "" {
		r.RedactDirPaths(executor.RedactedDir{Dir: realPath(o.root)})
		if abs, err := filepath.Abs(o.root); err == nil && isSameFile(abs, o.root) { // not so with .. after a link
			r.RedactDirPaths(executor.RedactedDir{Dir: abs})
		}
	}
	r.RedactDirPaths(executor.RedactedDir{Dir: env.Getenv("HOME"), Alias: "~"})
	return r
}

// releaseEnvironment closes the environment of tools.
func releaseEnvironment(ctx context.Context, tools executor.Env) {
	ctx, cancel := context.WithTimeout(ctx, speechGrace)
	defer cancel()
	tools.TextToSpeech.Close(ctx)
	tools.BrowserOpener.Close()
	tools.Client.CloseIdleConnections()
	if tools.Root != nil {
		tools.Root.Close()
	}
}

// findProgram looks up the program of a flag. A missing program is an error only when a tool needs it.
func findProgram(env Env, t *console, name string) subprocess.Program {
	if name == "" {
		return subprocess.Program{}
	}
	path, err := exec.LookPath(name)
	return subprocess.Program{Path: path, Env: desktopEnv(env), Err: err, All: t.programs}
}

// desktopEnv returns the environment for programs that need the user's sound and screen. It contains no secrets.
func desktopEnv(env Env) []string {
	var found []string
	for _, name := range []string{
		"PATH", "HOME", "USER", "TMPDIR", "LANG", "LC_ALL", "TZ",
		"XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "PULSE_SERVER", "PIPEWIRE_REMOTE",
		"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "BROWSER",
	} {
		if value := env.Getenv(name); value != "" {
			found = append(found, name+"="+value)
		}
	}
	return found
}

func (o *confineOptions) allowedHosts() ([]netguard.HostPort, error) {
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

// hostsForEarlyReads returns the addresses that a read may contact before the model's response is complete, as host:port.
func (o *confineOptions) hostsForEarlyReads() map[string]bool {
	hosts := map[string]bool{}
	for _, h := range o.allowHosts {
		if _, _, err := net.SplitHostPort(h); err == nil {
			hosts[h] = true
		}
	}
	return hosts
}

// chatWriter shows the output of a chat tool on stderr.
type chatWriter struct {
	t    *console
	tool string
}

// newChatWriter returns nil if the user asked for errors only: a tool must not report that it has shown something.
func newChatWriter(t *console, tool string) io.Writer {
	if t.quiet {
		return nil
	}
	return chatWriter{t, tool}
}

func (w chatWriter) Write(p []byte) (int, error) {
	if w.t.format == "json" {
		w.t.write(slog.LevelInfo, strings.TrimSuffix(string(p), "\n"), slog.String("tool", w.tool))
		return len(p), nil
	}
	return w.t.err.Write(p)
}

// openRoot opens a root in which the given files and tool definitions are write-protected.
func openRoot(dir string, files, definitions []string) (*fileroot.Root, error) {
	var protect []string
	for _, name := range files {
		if rel, below := relativeTo(dir, name); below && rel != "." {
			protect = append(protect, rel)
		}
	}
	for _, name := range definitions {
		rel, below := relativeTo(dir, name)
		_, above := relativeTo(name, dir)
		switch {
		case rel == "." || above:
			protect = append(protect, "*.yaml", "*.yml")
		case below:
			protect = append(protect, rel)
		}
	}
	return fileroot.Open(dir, protect...)
}
