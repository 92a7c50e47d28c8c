package cmd

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	crand "crypto/rand"

	"github.com/spf13/pflag"

	"oneshot/pkg/agent"
	"oneshot/pkg/model"
	"oneshot/pkg/runfile"
	"oneshot/pkg/runner"
)

// defaultContext is the context that a model gets when neither the flags nor
// the model itself say how much, in tokens. A model that knows less gets less.
const defaultContext = 8192

// waysOn names the three ways to go on without a default model.
const waysOn = "start Ollama (ollama serve) and name a model with --model ollama/NAME, or replay a run with --model replay:FILE, or try the built-in one with --model demo"

// modelOptions say which model answers and how it is asked.
type modelOptions struct {
	name        string
	baseURL     string
	params      []string
	temperature float64
	seed        int64
	firstByte   time.Duration
	idle        time.Duration

	set    *pflag.FlagSet
	chosen string       // PROVIDER/NAME
	log    *runfile.Log // of the recording that is played, or nil
}

func (o *modelOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.name, "model", "", "`MODEL` that answers: ollama/NAME, replay:FILE or demo; without it the only one that Ollama has")
	f.StringVar(&o.baseURL, "base-url", "", "address of the model server; OLLAMA_HOST otherwise")
	f.StringArrayVar(&o.params, "param", nil, "`K=V` option of the server, e.g. --param num_ctx=16384")
	f.Float64Var(&o.temperature, "temperature", 0, "sampling temperature; the server's own without it")
	f.Int64Var(&o.seed, "seed", 0, "sampling seed of the model; the server's own without it")
	f.DurationVar(&o.firstByte, "first-byte-timeout", 5*time.Minute, "wait for the first byte of a response, model loading included")
	f.DurationVar(&o.idle, "idle-timeout", time.Minute, "wait for the next byte of a response")
	o.set = f
}

// choose puts the model, its options and the run's seed into a configuration.
func (o *modelOptions) choose(ctx context.Context, env Env, t *talk, cfg *agent.Config) error {
	if o.firstByte <= 0 || o.idle <= 0 {
		return usagef("", "--first-byte-timeout and --idle-timeout must be more than 0")
	}
	if _, err := crand.Read(cfg.Seed[:]); err != nil {
		return err
	}
	params, err := o.flagParams()
	if err != nil {
		return err
	}
	cfg.Params = params
	o.chosen = o.name
	provider, name, _ := strings.Cut(o.name, "/")
	switch {
	case o.name == "demo":
		return o.replay(env, "demo", cfg)
	case strings.HasPrefix(o.name, "replay:"):
		return o.replay(env, strings.TrimPrefix(o.name, "replay:"), cfg)
	case o.name == "" || provider == "ollama" && name != "":
		return o.ollama(ctx, env, t, name, cfg)
	}
	return usagef("--model ollama/NAME, --model replay:FILE or --model demo", "--model: unknown model %q", o.name)
}

// flagParams collects the options of the server that flags set.
func (o *modelOptions) flagParams() (map[string]json.RawMessage, error) {
	params := map[string]json.RawMessage{}
	for _, p := range o.params {
		key, value, ok := strings.Cut(p, "=")
		if !ok || key == "" {
			return nil, usagef("for example --param num_ctx=16384", "--param: %q is not K=V", p)
		}
		raw := json.RawMessage(value)
		if !json.Valid(raw) {
			raw, _ = json.Marshal(value) // a string always has a JSON form
		}
		params[key] = raw
	}
	if math.IsNaN(o.temperature) || math.IsInf(o.temperature, 0) {
		return nil, usagef("for example --temperature 0.2", "--temperature: %v is no temperature", o.temperature)
	}
	if o.set.Changed("temperature") {
		params["temperature"] = json.RawMessage(strconv.FormatFloat(o.temperature, 'g', -1, 64))
	}
	if o.set.Changed("seed") {
		params["seed"] = json.RawMessage(strconv.FormatInt(o.seed, 10))
	}
	return params, nil
}

// ollama asks the server for the model, or for the only one it has.
func (o *modelOptions) ollama(ctx context.Context, env Env, t *talk, name string, cfg *agent.Config) error {
	base, err := ollamaURL(o.baseURL, env.Getenv("OLLAMA_HOST"))
	if err != nil {
		return err
	}
	jitter := rand.New(rand.NewChaCha8(cfg.Seed))
	config := model.OllamaConfig{BaseURL: base, Model: name, FirstByte: o.firstByte, Idle: o.idle, Rand: jitter.Float64}
	if name == "" {
		if config.Model, err = onlyModel(ctx, model.NewOllama(config)); err != nil {
			return err
		}
		t.note("using the model ollama/%s", config.Model)
	}
	o.chosen = "ollama/" + config.Model
	client := model.NewOllama(config)
	if err := fixContext(ctx, client, cfg.Params); err != nil {
		return err
	}
	cfg.Model = client
	return nil
}

// onlyModel returns the name of the only model on the server.
func onlyModel(ctx context.Context, client *model.Ollama) (string, error) {
	models, err := client.List(ctx)
	if err != nil {
		return "", fmt.Errorf("no --model, and no Ollama to choose one from: %w", err)
	}
	switch len(models) {
	case 0:
		return "", usagef("install one (ollama pull NAME), or "+waysOn, "no --model, and Ollama has none installed")
	case 1:
		return models[0].Name, nil
	}
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = "ollama/" + m.Name
	}
	return "", usagef("name one of them: --model "+names[0], "no --model, and Ollama has several: %s", strings.Join(names, ", "))
}

// fixContext makes the length of the context part of every request, so that the
// server cannot change it during the run.
func fixContext(ctx context.Context, client *model.Ollama, params map[string]json.RawMessage) error {
	if params["num_ctx"] != nil {
		return nil
	}
	caps, err := client.Show(ctx)
	if err != nil {
		return err
	}
	n := defaultContext
	switch {
	case caps.NumCtx > 0:
		n = caps.NumCtx
	case caps.ContextLength > 0:
		n = min(n, caps.ContextLength)
	}
	params["num_ctx"] = json.RawMessage(strconv.Itoa(n))
	return nil
}

// ollamaURL reads an address as Ollama's own tools do: a host, a host and port,
// or a URL. The flag wins over the environment.
func ollamaURL(flag, host string) (*url.URL, error) {
	from, raw := "--base-url", flag
	if raw == "" {
		from, raw = "OLLAMA_HOST", strings.TrimSpace(host)
	}
	if raw == "" {
		raw = "127.0.0.1"
	}
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usagef("for example http://127.0.0.1:11434", "%s: %q is not the address of a server", from, raw)
	}
	hostname, port := u.Hostname(), u.Port()
	if hostname == "" || hostname == "0.0.0.0" {
		hostname = "127.0.0.1" // where a server listens is not where a client connects
	}
	if port == "" {
		port = map[string]string{"http": "11434", "https": "443"}[u.Scheme]
	}
	u.Host = net.JoinHostPort(hostname, port)
	return u, nil
}

// replay plays a recorded run. The recording's seed, clock and options are those
// of this run, so that the same prompt and tools give the same requests.
func (o *modelOptions) replay(env Env, file string, cfg *agent.Config) (err error) {
	if file == "demo" {
		o.log, err = demoLog(env.Prompts)
	} else {
		o.log, err = runfile.ReadFile(file)
	}
	if err != nil {
		return unreadable(err)
	}
	recorded, ok := o.log.Run()
	if !ok {
		return &inputError{fmt.Errorf("%s: not a run file", file)}
	}
	player, err := model.NewReplay(file, o.log)
	if err != nil {
		return &inputError{err}
	}
	seed, err := hex.DecodeString(recorded.Seed)
	if err != nil || len(seed) != len(cfg.Seed) {
		return &inputError{fmt.Errorf("%s: the seed of the run is damaged", file)}
	}
	copy(cfg.Seed[:], seed)
	cfg.Model, cfg.Now = player, inZone(recorded.Now, recorded.Zone)
	for key, value := range recorded.Params {
		if cfg.Params[key] == nil {
			cfg.Params[key] = value
		}
	}
	return nil
}

// unreadable makes an input error of a run file that cannot be opened.
func unreadable(err error) error {
	if errors.As(err, new(*runfile.DamageError)) {
		return err
	}
	return &inputError{err}
}

// inZone returns a time in the zone of that name. A name that this machine does
// not know, or knows with another offset, still names the zone.
func inZone(t time.Time, zone string) time.Time {
	_, offset := t.Zone()
	if loc, err := time.LoadLocation(zone); err == nil {
		if _, here := t.In(loc).Zone(); here == offset {
			return t.In(loc)
		}
	}
	return t.In(time.FixedZone(zone, offset))
}

// demoLog reads the run that the built-in model plays.
func demoLog(prompts fs.FS) (*runfile.Log, error) {
	text, err := fs.ReadFile(prompts, "demo.jsonl")
	if err != nil {
		return nil, err
	}
	return runfile.Read(bytes.NewReader(text))
}

// recordedTools returns a runner that plays the results of the recording.
func (o *modelOptions) recordedTools() (agent.Runner, error) {
	if o.log == nil {
		return nil, usagef("--model replay:FILE --replay-tools", "--replay-tools needs a recording to play")
	}
	return runner.NewReplay(o.log), nil
}

// hintOfModel returns what to do about an error of a model, or "".
func hintOfModel(err error) string {
	var unknown *model.UnknownModelError
	var replay *model.ReplayError
	switch {
	case errors.As(err, &unknown):
		return "ollama list shows what is there; ollama pull " + unknown.Name + " installs it"
	case errors.As(err, &replay):
		return "a replay needs the prompt, tools, schema and flags of the recorded run; make demo runs the built-in one"
	case as[*model.OverflowError](err):
		return "raise the context with --param num_ctx=N, or send less"
	case as[*model.UnavailableError](err) && !as[*model.StatusError](err) && !as[*model.CutError](err):
		return waysOn
	}
	return ""
}
