package endtoend

import (
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"oneshot/scripts/modelserver"
)

// server is the script command
//
//	server [-api ollama|chat|responses|messages] [-models A,B] [-tools] [-vision] [-as NAME] DIR
//
// It starts a server that speaks the protocols of package modelserver and plays the model's side from the files of
// DIR, which are described at [modelserver.ReadScript]. $SERVER becomes its base URL for clients of the protocol,
// OLLAMA_HOST its address. Requests are recorded in the folder requests, which is emptied first: see
// [modelserver.Server]. With -tools, models call natively, and with -vision they read images.
//
// With -as NAME it is a second server: $NAME becomes the base URL, NAME the folder of requests, and SERVER and
// OLLAMA_HOST do not change.
//
// "ollama [-models A,B] [-tools] [-vision] DIR" is a server for Ollama's protocol.
func server(ts *testscript.TestScript, neg bool, args []string) {
	api := ts.Getenv("API")
	if api == "" {
		api = string(modelserver.Ollama)
	}
	startServer(ts, neg, api, args)
}

func ollama(ts *testscript.TestScript, neg bool, args []string) {
	startServer(ts, neg, string(modelserver.Ollama), args)
}

// serverFlags are the flags of the command server.
type serverFlags struct {
	api, models, as string
	tools, vision   bool
}

func (f *serverFlags) parse(args []string) (dir string, ok bool) {
	set := flag.NewFlagSet("server", flag.ContinueOnError)
	set.SetOutput(&strings.Builder{})
	set.StringVar(&f.api, "api", f.api, "")
	set.StringVar(&f.models, "models", "scripted", "")
	set.StringVar(&f.as, "as", "", "")
	set.BoolVar(&f.tools, "tools", false, "")
	set.BoolVar(&f.vision, "vision", false, "")
	err := set.Parse(args)
	return set.Arg(0), err == nil && set.NArg() == 1
}

func startServer(ts *testscript.TestScript, neg bool, api string, args []string) {
	f := serverFlags{api: api}
	dir, ok := f.parse(args)
	if neg || !ok {
		ts.Fatalf("usage: server [-api API] [-models A,B] [-tools] [-vision] [-as NAME] DIR")
	}
	folder, variable := "requests", "SERVER"
	if f.as != "" {
		folder, variable = f.as, f.as
	}
	s := &modelserver.Server{Models: strings.Split(f.models, ","), Tools: f.tools, Vision: f.vision, Record: ts.MkAbs(folder)}
	ts.Check(errors.Join(os.RemoveAll(s.Record), os.MkdirAll(s.Record, 0o777)))
	address, serve := listen(ts, variable)
	var err error
	s.Script, err = modelserver.ReadScript(ts.MkAbs(dir), address)
	ts.Check(err)
	serve(s.Handler())
	ts.Setenv(variable, modelserver.API(f.api).Base(address))
	if f.as == "" {
		ts.Setenv("OLLAMA_HOST", address)
	} else {
		ts.Setenv(f.as+"_HOST", address)
	}
}

// listen returns the address of the server with a name, which is the same for the whole script, and a function
// that sets its handler.
func listen(ts *testscript.TestScript, name string) (address string, serve func(http.Handler)) {
	servers := ts.Value(serversKey{}).(map[string]*swapped)
	if s := servers[name]; s != nil {
		return s.address, func(h http.Handler) { s.handler.Store(&h) }
	}
	s := &swapped{}
	running := httptest.NewUnstartedServer(s)
	s.address = running.Listener.Addr().String()
	ts.Defer(func() {
		running.CloseClientConnections()
		running.Close()
	})
	servers[name] = s
	return s.address, func(h http.Handler) { s.handler.Store(&h); running.Start() }
}

// serversKey is the key of a script's servers among its values.
type serversKey struct{}

// A swapped server keeps its address when its handler is replaced.
type swapped struct {
	address string
	handler atomic.Pointer[http.Handler]
}

func (s *swapped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*s.handler.Load()).ServeHTTP(w, r)
}
