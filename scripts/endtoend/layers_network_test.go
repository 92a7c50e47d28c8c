package endtoend

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The packages that open connections: one for tools, one for models.
var connecting = []string{"pkg/netguard", "pkg/provider"}

// networks are import paths of packages that can reach another machine, with all below them.
var networks = []string{"net", "crypto/tls", "golang.org/x/net", "golang.org/x/crypto/ssh", "github.com/ollama/ollama", "log/syslog"}

// harmless lists the names in these packages that open no connection, resolve no name and do not
// listen; a star is all of a package.
var harmless = map[string]string{
	"net":       "Conn DNSError ErrClosed Error IP IPNet JoinHostPort OpError ParseCIDR ParseIP SplitHostPort",
	"net/http":  "CanonicalHeaderKey DetectContentType Header MethodGet NewRequestWithContext Request Response",
	"net/netip": "*",
	"net/url":   "*",

	"github.com/ollama/ollama/api":         "ChatRequest ListResponse Message NewToolCallFunctionArguments ShowResponse ThinkValue ToolCall ToolCallFunction",
	"github.com/ollama/ollama/types/model": "*",
}

// TestLayersNetwork checks that only two packages open connections, listen or resolve names. Other
// packages cannot do so with another name for an import, or with a shared client of the standard
// library.
func TestLayersNetwork(t *testing.T) {
	seen := 0
	for _, file := range sources(t) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		uses := networkUses(f)
		if slices.Contains(connecting, filepath.ToSlash(filepath.Dir(file))) {
			seen += len(uses)
			continue
		}
		for _, use := range uses {
			t.Errorf("%s: %s is for %v only", file, use, connecting)
		}
	}
	if seen < 5 {
		t.Errorf("only %d uses were found where they may be", seen)
	}
}

// TestFindsNetworkUses checks that forbidden uses are found in every notation.
func TestFindsNetworkUses(t *testing.T) {
	for source, want := range map[string]string{
		`import "net"; var _ = net.Dial`:                                              "net.Dial",
		`import n "net"; func f() { n.LookupHost("x") }`:                              "net.LookupHost",
		`import . "net"`:                                                              ". net",
		`import "net/http"; var c = http.DefaultClient`:                               "net/http.DefaultClient",
		`import "net/http"; var c http.Client`:                                        "net/http.Client",
		`import "net/http"; var c = new(http.Client)`:                                 "net/http.Client",
		`import "net/http"; var c = &http.Client{}`:                                   "net/http.Client",
		`import "net/http"; type T struct { http.Client }`:                            "net/http.Client",
		`import "net/http"; func f() (*http.Response, error) { return http.Get("") }`: "net/http.Get",
		`import "net/rpc"; var _ = rpc.Dial`:                                          "net/rpc.Dial",
		`import "golang.org/x/net/websocket"; var _ = websocket.Dial`:                 "golang.org/x/net/websocket.Dial",
		`import "syscall"; var _ = syscall.Socket`:                                    "syscall.Socket",
		`import "golang.org/x/sys/unix"; var _ = unix.Connect`:                        "golang.org/x/sys/unix.Connect",
		`import _ "net/http/pprof"`:                                                   "_ net/http/pprof",
		`import "net/http"; type T struct { c *http.Client }`:                         "",
		`import "net/http"; func f(h http.Header) { h.Get("") }`:                      "",
		`import "net/url"; var u url.URL`:                                             "",
		`import "golang.org/x/sys/unix"; var _ = unix.Open`:                           "",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x; "+source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(networkUses(f), " "); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

// networkUses lists the names in a file that could reach another machine.
func networkUses(f *ast.File) []string {
	var uses []string
	names := map[string]string{}
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !watched(path) {
			continue
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." || name == "_" {
			uses = append(uses, name+" "+path)
		}
		names[name] = path
	}
	lent := map[ast.Expr]bool{} // *http.Client, a client from elsewhere
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StarExpr:
			lent[n.X] = true
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && names[x.Name] != "" && !isHarmless(names[x.Name], n.Sel.Name, lent[n]) {
				uses = append(uses, names[x.Name]+"."+n.Sel.Name)
			}
		}
		return true
	})
	return uses
}

// watched reports whether a package could reach another machine.
func watched(path string) bool {
	return isSystem(path) || slices.ContainsFunc(networks, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
}

// isSystem reports whether a package makes system calls.
func isSystem(path string) bool { return path == "syscall" || path == "golang.org/x/sys/unix" }

// isHarmless reports whether a name of a package opens no connection.
func isHarmless(path, name string, lent bool) bool {
	switch {
	case isSystem(path):
		return !slices.ContainsFunc([]string{"Socket", "Connect", "Bind", "Listen", "Accept", "Sendto", "Sendmsg"}, func(p string) bool { return strings.HasPrefix(name, p) })
	case path == "net/http" && name == "Client":
		return lent
	case path == "net/http" && strings.HasPrefix(name, "Status"):
		return true
	}
	list := strings.Fields(harmless[path])
	return slices.Contains(list, name) || slices.Contains(list, "*")
}
