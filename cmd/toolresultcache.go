package cmd

import (
	"cmp"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"oneshot/pkg/agent"
	"oneshot/pkg/atomicfile"
	"oneshot/pkg/chat"
	"oneshot/pkg/executor"
	"oneshot/pkg/quote"
	"oneshot/pkg/tool"
)

// Limits of a result cache.
const (
	maxCachedResult  = 2 << 20  // bytes of one file
	maxCachedResults = 1000     // files
	maxCacheBytes    = 64 << 20 // of all files
)

// expiryGrace is the time for which expired files are kept: a new file gets its time of expiry only
// a moment after its name.
const expiryGrace = time.Minute

// resultCache returns the cache of the results of reads, nil for none. A replay has none, even if it runs its tools.
func (p *sharedPlan) resultCache() *executor.ResultCache {
	tools := p.tools.All()
	if p.flags.confine.noCache || p.flags.model.isReplay() || !slices.ContainsFunc(tools, func(d *tool.Definition) bool { return d.Cache > 0 }) {
		return nil
	}
	dir, err := makeStateDir(p.env, "cache")
	if err != nil {
		p.console.note("results are not cached: %v", err)
		return nil
	}
	cfg := agent.Config{GateConfig: agent.GateConfig{Tools: p.tools, Policy: p.policy}}
	scope := []string{policyDigest(cfg), strings.Join(p.flags.confine.allowHosts, " ")}
	if root := p.flags.confine.root; root != "" {
		scope = append(scope, realPath(root))
	}
	for _, d := range tools {
		if d.HTTP == nil {
			continue
		}
		for _, name := range d.HTTP.Secrets { // the value too, so that another account has its own results
			scope = append(scope, d.Name, name, p.secret(name))
		}
	}
	return &executor.ResultCache{Store: cachedResults{dir, p.env.Now}, Scope: digest(scope...), Definitions: toolDigests(cfg)}
}

// cachedResults are the results of tools in files of a folder, which only the user can read. Processes share it.
type cachedResults struct {
	dir string
	now func() time.Time
}

// A cachedResult is the content of a file.
type cachedResult struct {
	Key    string          `json:"key"`
	Run    string          `json:"run,omitempty"`
	At     time.Time       `json:"at"`
	Data   json.RawMessage `json:"data"`
	Labels []string        `json:"labels,omitempty"`
}

func (c cachedResults) path(key string) string { return filepath.Join(c.dir, key+".json") }

// Get implements [executor.ResultStore]. A file that is unusable for any reason is no result.
func (c cachedResults) Get(key string, maxAge time.Duration) (r chat.Result, ok bool) {
	f, err := os.OpenFile(c.path(key), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return r, false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !isPrivate(info) {
		return r, false
	}
	text, err := io.ReadAll(io.LimitReader(f, maxCachedResult+1))
	var kept cachedResult
	if err != nil || json.Unmarshal(text, &kept) != nil || kept.Key != key {
		return r, false
	}
	if age := c.now().Sub(kept.At); age < 0 || age >= maxAge {
		return r, false
	}
	return chat.Result{Data: kept.Data, Labels: kept.Labels, Cached: &chat.CacheOrigin{Run: kept.Run, At: kept.At}}, true
}

// isPrivate reports whether a file is a regular one that only the user can access.
func isPrivate(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}

// Put implements [executor.ResultStore]. It keeps no failures. The modification time of a file is the time at which its result
// expires.
func (c cachedResults) Put(key, run string, r chat.Result, maxAge time.Duration) {
	if !r.OK() {
		return
	}
	text, err := quote.Encode(cachedResult{key, run, c.now().UTC(), r.Data, r.Labels})
	if err != nil || len(text) > maxCachedResult {
		return
	}
	if err := atomicfile.Replace(c.path(key), text, 0o600, "a cached result"); err == nil {
		expires := c.now().Add(maxAge)
		_ = os.Chtimes(c.path(key), expires, expires) // without it the file is removed a minute from now
		c.prune()
	}
}

// prune removes expired results, and over the limits those that expire first. Another process may do so at the same time.
func (c cachedResults) prune() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	var bytes int64
	for i, info := range files {
		if bytes += info.Size(); i >= maxCachedResults || bytes > maxCacheBytes || info.ModTime().Before(c.now().Add(-expiryGrace)) {
			_ = os.Remove(filepath.Join(c.dir, info.Name())) // the next prune tries again
		}
	}
}
