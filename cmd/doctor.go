package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"oneshot/pkg/diag/report"
)

// doctorOptions are the flags of "oneshot doctor".
type doctorOptions struct {
	env     Env
	console *console
	options
	names   []string
	format  string
	limit   time.Duration
	inForce []settingDoc // flags that the environment and config.yaml can set
}

func newDoctor(env Env, t *console) *cobra.Command {
	o := &doctorOptions{env: env, console: t}
	c := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Check model servers, keys, the state directory and the system",
		Long: `Doctor checks everything a run may need, concurrently and within a time limit. It
lists the models of local servers. It contacts a vendor only for a model that --model,
the environment or config.yaml names, and then only for its model list, with the key
that a run would use.

Exit 0 means that a run can work, 2 that a named model does not exist, 4 that its
key is missing or rejected, 5 that there is no usable model, 74 that the state
directory is not writable. The report is on stdout in every case.`,
		Example: "  oneshot doctor || echo 'not everything works here'\n  oneshot doctor --model ollama/qwen3:8b --format json",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.fillDefaults(c.Flags()); err != nil {
				return err
			}
			return o.run(c.Context())
		},
	}
	f := c.Flags()
	f.StringArrayVarP(&o.names, "model", "m", nil, "check `MODEL`, as for oneshot run (repeatable)")
	f.StringVar(&o.format, "format", "text", "print `FORMAT`: text or json")
	f.DurationVar(&o.limit, "timeout", 5*time.Second, "limit the time of all checks together to `DURATION`")
	o.define(c, env, forDoctor)
	return c
}

// A status is the result of a check.
type status string

const (
	fine    status = "ok"
	warning status = "warn" // a run can work with restrictions
	failed  status = "fail"
	skipped status = "skip" // absent, or not checked
)

// A check is one line of the report. The published schema doctor.v1 describes its JSON form.
type check struct {
	Name     string       `json:"name"`
	Status   status       `json:"status"`
	Detail   string       `json:"detail"`
	Hint     string       `json:"hint,omitempty"`
	Models   []modelDoc   `json:"models,omitempty"`   // of a server
	Settings []settingDoc `json:"settings,omitempty"` // that the environment and config.yaml can set

	usable bool  // it provides a model
	err    error // ends the command
}

// A modelDoc describes a model.
type modelDoc struct {
	Name      string `json:"name"` // PROVIDER/NAME
	SizeBytes int64  `json:"size_bytes,omitempty"`
	Context   int    `json:"context,omitempty"` // tokens
	Tools     *bool  `json:"tools,omitempty"`   // native calls; absent if the server does not say
	Thinking  *bool  `json:"thinking,omitempty"`
}

// A doctorReport is the JSON form of the report.
type doctorReport struct {
	OK     bool       `json:"ok"`
	Exit   doctorExit `json:"exit"`
	Checks []check    `json:"checks"`
}

type doctorExit struct {
	Code int    `json:"code"`
	Name string `json:"name"`
}

// A probe performs one check.
type probe struct {
	name     string
	check    func(ctx context.Context) check
	runError func(error) error // maps a failure to the error of a run; nil if a run does not need it
}

func (o *doctorOptions) run(ctx context.Context) error {
	if err := checkFormat(o.format, "text", "json"); err != nil {
		return err
	}
	if o.limit <= 0 {
		return usagef("for example --timeout 5s", "--timeout must be greater than 0, got %v", o.limit)
	}
	o.model.servers.firstByte, o.model.servers.idle = o.limit, o.limit
	secrets, err := o.model.servers.secrets.load(ctx, o.env, o.console, false)
	if err != nil {
		return causeOr(ctx, err)
	}
	probes, err := o.probes(secrets)
	if err != nil {
		return err
	}
	checks := runProbes(ctx, o.limit, probes)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	verdict := verdictOf(checks, len(o.names) > 0)
	return errors.Join(verdict, o.print(checks, exitOf(verdict)))
}

// probes returns all probes in the order of the report.
func (o *doctorOptions) probes(secrets secretStore) ([]probe, error) {
	s, err := o.model.servers.read(o.env, o.console, secrets, new(resolution))
	if err != nil {
		return nil, err
	}
	named, err := o.namedModelProbes(s)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]probe{{name: "version", check: o.version}, {name: "defaults", check: o.defaultFlags}}, named, o.localServerProbes(s), o.keys(), o.system()), nil
}

// runProbes runs probes concurrently. It abandons a probe that exceeds limit and grace: it may hang in a file system.
func runProbes(ctx context.Context, limit time.Duration, probes []probe) []check {
	over, cancel := context.WithTimeout(ctx, limit+grace)
	defer cancel()
	results := make([]chan check, len(probes))
	for i, p := range probes {
		results[i] = make(chan check, 1)
		go func() { results[i] <- p.run(ctx, limit) }()
	}
	checks := make([]check, len(probes))
	for i, p := range probes {
		select {
		case checks[i] = <-results[i]:
		case <-over.Done():
			checks[i] = p.timedOut(results[i], limit)
		}
		checks[i].Name = p.name
		checks[i].Detail = strings.TrimPrefix(checks[i].Detail, p.name+": ")
	}
	return checks
}

// run runs the probe. A panic becomes the error of the command.
func (p probe) run(ctx context.Context, limit time.Duration) (c check) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &probeTimeoutError{p.name, limit})
	defer cancel()
	var bug error
	defer func() {
		if bug != nil {
			c = failedCheck(bug)
		}
	}()
	defer recoverPanic(&bug)
	return p.check(ctx)
}

// timedOut returns the check of an abandoned probe.
func (p probe) timedOut(result chan check, limit time.Duration) check {
	select {
	case c := <-result:
		return c // it finished just now
	default:
	}
	err := &probeTimeoutError{p.name, limit}
	c := check{Status: failed, Detail: err.Error()}
	if p.runError != nil {
		c.err = p.runError(err)
	}
	return c
}

// verdictOf returns nil if a run can work: no required check fails, and a model is usable.
func verdictOf(checks []check, named bool) error {
	usable := named
	for _, c := range checks {
		if c.err != nil {
			return c.err
		}
		usable = usable || c.usable
	}
	if !usable {
		return noModelError{}
	}
	return nil
}

// print writes the report to stdout.
func (o *doctorOptions) print(checks []check, x exit) error {
	if o.format != "json" {
		return o.console.printTable(o.table(checks))
	}
	raw, err := json.Marshal(doctorReport{x.Code == 0, doctorExit{x.Code, x.Name}, checks})
	if err != nil {
		return err
	}
	return report.JSON(o.console.out, json.RawMessage(o.console.secrets.HideJSON(raw)))
}

// table returns the report as text. Secrets are masked before lines are wrapped.
func (o *doctorOptions) table(checks []check) *table {
	l := &table{wraps: true, color: statusColor}
	add := func(status, name, detail string) {
		hide := func(text string) string { return report.EscapeLine(o.console.secrets.Redact(text)) }
		l.rows = append(l.rows, []string{status, hide(name), hide(detail)})
	}
	for _, c := range checks {
		add(string(c.Status), c.Name, c.Detail)
		for _, m := range c.Models {
			add("", "", m.String())
		}
		for _, s := range c.Settings {
			add("", "", s.Name+" = "+strings.Join(s.Values, ", ")+" ("+s.Source+")")
		}
		if c.Hint != "" {
			add("", "", "hint: "+c.Hint)
		}
	}
	return l
}

// statusColor returns the colour of a cell of the report: a status has one.
func statusColor(column int, cell string) color.Attribute {
	if column > 0 {
		return 0
	}
	switch status(cell) {
	case fine:
		return color.FgGreen
	case warning:
		return color.FgYellow
	case failed:
		return color.FgRed
	}
	return 0
}

// String shows a model: "ollama/qwen3:8b (native calls, thinking, context 40960)".
func (m modelDoc) String() string {
	var known []string
	if m.Tools != nil {
		known = append(known, map[bool]string{true: "native calls", false: "no native calls"}[*m.Tools])
	}
	if m.Thinking != nil && *m.Thinking {
		known = append(known, "thinking")
	}
	if m.Context > 0 {
		known = append(known, fmt.Sprintf("context %d", m.Context))
	}
	if len(known) == 0 {
		return m.Name
	}
	return m.Name + " (" + strings.Join(known, ", ") + ")"
}
