package cmd

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/events"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// runEvents delivers the events of a run: to stdout with --output events, which the run waits for, and to the file of
// --events, which it does not. It is safe for concurrent use, because an abandoned command may still use it.
type runEvents struct {
	mu         sync.Mutex
	secrets    *redact.Set
	usesStdout bool
	projector  *events.Projector       // nil until the run starts, and for a run that needs none
	stdout     func(line []byte) error // nil without --output events, and at its end
	failure    error                   // of the last write to stdout
	file       *events.Queue
	lock       func() (io.Closer, error) // takes the lock whose holder may write the file; nil if the run has it, or needs none
	// waitsForFile is set for recorded events: they come faster than any reader, and no model waits meanwhile.
	waitsForFile bool
	warn         func(err error) // of an incomplete file
	warnings     []string
}

// eventsPatience is the time for which a run waits for a reader of --events that reads nothing.
const eventsPatience = 200 * time.Millisecond

// toStdout makes stdout a destination. A failed write ends the run.
func (v *runEvents) toStdout(ctx context.Context, t *console) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.usesStdout = true
	v.stdout = func(line []byte) error {
		err := t.writeLive(ctx, line)
		if err != nil {
			v.stdout = nil
		}
		return err
	}
}

// setEventsFile makes the file of --events a destination. The holder of the lock, if there is one, may write it, too.
func (v *runEvents) setEventsFile(q *events.Queue, lock func() (io.Closer, error), warn func(err error)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.file, v.lock, v.warn = q, lock, warn
}

// setLocked notes that the run has the lock, which also covers the file of --events.
func (v *runEvents) setLocked() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lock = nil
}

// lockFile takes the lock for the last event of a run that ends without it. If another run has the lock, or had it when this
// run asked for it, the file of --events remains unchanged.
func (v *runEvents) lockFile(wasHeld bool) (release func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.file == nil || v.lock == nil {
		return func() {}
	}
	if !wasHeld {
		lock, err := v.lock()
		if err == nil {
			return func() { _ = lock.Close() } // the exit releases it anyway
		}
		wasHeld = as[*lockHeldError](err)
	}
	if wasHeld {
		_ = v.file.Close(eventsPatience) // nothing is lost
		v.file = nil
	}
	return func() {}
}

// begin starts the events of a run with its first records: the first one, or those that a resumed run repeats. An envelope
// needs the calls, even if nobody reads events.
func (v *runEvents) begin(output string, isReplay bool, bodies ...runfile.Body) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.stdout == nil && v.file == nil && output != "envelope" {
		return nil
	}
	v.projector, v.waitsForFile = events.NewProjector(v.secrets, v.emit), true
	for _, body := range bodies {
		hidden, err := maskBody(v.secrets, body)
		if err != nil {
			return err
		}
		v.projector.Add(hidden)
	}
	v.projector.GoLive()
	v.waitsForFile = isReplay
	return nil
}

// emit delivers a line. The caller holds the mutex.
func (v *runEvents) emit(line []byte) {
	if v.stdout != nil {
		_ = v.stdout(line) // it aborts the run
	}
	if v.file != nil {
		v.file.Add(line)
		if v.waitsForFile {
			v.file.Wait(eventsPatience)
		}
		v.checkFile(v.file.Err())
	}
}

// checkFile warns once that the file is incomplete. The caller holds the mutex.
func (v *runEvents) checkFile(err error) {
	if err != nil {
		v.file = nil
		v.warnings = append(v.warnings, "the events are incomplete: "+err.Error())
		v.warn(err)
	}
}

// isActive reports whether the run has events, or needs its calls.
func (v *runEvents) isActive() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.projector != nil
}

// add adds a record.
func (v *runEvents) add(body runfile.Body) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.projector.Add(body)
}

// observe adds the events that are not on record: the text of a response as it arrives, and the starts of calls.
func (v *runEvents) observe(e agent.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.projector == nil:
	case e.Kind == agent.EventText:
		v.projector.Text(e.Text)
	case e.Kind == agent.EventStart:
		v.projector.CallStarted(e.Call.ID)
	}
}

// toolCalls returns the executed calls so far.
func (v *runEvents) toolCalls() []events.ToolCall {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.projector == nil {
		return nil
	}
	return v.projector.ToolCalls()
}

// writeLastEvent writes the last event of a run that ends well to stdout.
func (v *runEvents) writeLastEvent() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.stdout == nil { // it is already broken, and the run is being aborted
		return nil
	}
	write := v.stdout
	line := v.projector.Finish(runfile.End{})
	err := write(line)
	v.stdout = nil
	return err
}

// finish ends the events that have not ended, and returns why some are incomplete. It can be called again.
func (v *runEvents) finish(end runfile.End) (warnings []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.stdout == nil && v.file == nil {
		return v.warnings
	}
	last := events.FailedStart(end)
	if v.projector != nil {
		last = v.projector.Finish(end)
	}
	if v.stdout != nil {
		v.failure = v.stdout(last)
		v.stdout = nil
	}
	if v.file != nil {
		v.file.Add(last)
		v.checkFile(v.file.Close(eventsPatience))
		v.file = nil
	}
	return v.warnings
}

// endRecord returns the last record of a run that ends with an error or, with nil, well.
func (t *console) endRecord(err error) runfile.End {
	e := exitOf(err)
	end := runfile.End{Exit: e.Code, Name: e.Name}
	if err != nil {
		end.Why, end.Hint = t.secrets.Redact(err.Error()), t.secrets.Redact(hintOf(err))
	}
	return end
}

// An eventRecorder adds each record to the events.
type eventRecorder struct {
	agent.Recorder // nil for a run without a record
	events         *runEvents
}

// Append records a body before it becomes an event.
func (r eventRecorder) Append(body runfile.Body) error {
	if r.Recorder != nil {
		if err := r.Recorder.Append(body); err != nil {
			return err
		}
	}
	r.events.add(runfile.TruncateResult(body))
	return nil
}

// Sync makes the record durable.
func (r eventRecorder) Sync() error {
	if r.Recorder == nil {
		return nil
	}
	return r.Recorder.Sync()
}

// openEvents checks the flags about events and opens the file of --events.
func openEvents(ctx context.Context, t *console, flags *resolvedFlags, rec *recordedRun) error {
	name := flags.events
	switch {
	case flags.dryRun && name != "":
		return usagef("omit --events", "--events cannot be combined with --dry-run: a dry run has no events")
	case flags.dryRun: // whatever the output of an agent file is
		return nil
	case flags.output == "events" && flags.file != "":
		return usagef("use --events FILE, or redirect stdout", "--output events cannot be combined with -o: the file is written as a whole")
	}
	if flags.output == "events" {
		t.events.toStdout(ctx, t)
	}
	if name == "" {
		return nil
	}
	path, err := eventsPath(name)
	if err != nil {
		return err
	}
	other := flagNamingRunFile(path, flags, rec)
	if flags.file != "" && isSameFile(path, flags.file) {
		other = "-o"
	}
	other = cmp.Or(other, flags.flagOfInputFile(ctx, path))
	if other != "" {
		return usagef("choose another file", "--events and %s are the same file: %s", other, name)
	}
	var lock func() (io.Closer, error)
	if flags.lock != "" && checkLockName(flags.lock) == nil && !isDescriptor(path) {
		lock = func() (io.Closer, error) { return takeLock(rec.env, flags.lock) }
	}
	open, err := eventsOpener(path, lock != nil)
	if err != nil {
		return err
	}
	hint := "for all events, see oneshot runs show RUN --format events"
	if flags.record.noRecord {
		hint = "let a process read them at once, or name a file"
	}
	t.events.setEventsFile(events.NewQueue(open), lock, func(err error) { t.warn(hint, "--events %s: the events are incomplete: %v", name, err) })
	return nil
}

// openEventsOfFailure opens the file of --events for a run that fails before all its flags are known: a reader must not wait
// forever, or see the good end of an earlier run. The file stays as it is if the run might read it, or if the run is under way
// in another process, whose events it may have.
func openEventsOfFailure(ctx context.Context, env Env, t *console, line flagSource, failure error) {
	flags, _ := resolveFlags(forRun, line)
	if flags == nil || flags.events == "" || as[*runfile.LockedError](failure) {
		return
	}
	flags.lock = cmp.Or(flags.lock, textInAgentFile(env, flags.agent, "lock"))
	if path, err := eventsPath(flags.events); err == nil && isEmptyOrEvents(path) {
		_ = openEvents(ctx, t, flags, &recordedRun{env: env}) // the failure comes first
	}
}

// flagOfInputFile returns the flag of a file that a run reads and that name is a name of, or "".
func (r *resolvedFlags) flagOfInputFile(ctx context.Context, name string) string {
	sources := map[string][]string{"--agent": {r.agent}, "--ca-file": {r.model.servers.caFile}, "--secret": r.model.servers.secrets.files()}
	for row := range flagRows(&r.options, r.on) {
		if row.agent&isPath != 0 && !slices.Contains([]string{"root", "output-file", "tools"}, row.name) {
			sources["--"+row.name] = flagValues(r.set.Lookup(row.name))
		}
	}
	for _, path := range r.tools.files() {
		files, _ := tool.DefinitionFiles(disk{}, path) // loading them reports errors
		sources["--tools"] = append(append(sources["--tools"], path), files...)
	}
	if template := r.prompt.template; template != nil {
		sources[template.fileFlag()] = []string{template.file}
	}
	for _, pair := range r.prompt.variables.files {
		_, file, _ := strings.Cut(pair, "=")
		sources["--var-file"] = append(sources["--var-file"], file)
	}
	for _, flag := range slices.Sorted(maps.Keys(sources)) {
		for _, source := range sources[flag] {
			if source != "" && isSameFile(name, source) || flag == "--input" && isFoundInput(ctx, source, name) {
				return flag
			}
		}
	}
	return ""
}

// finishEvents ends the events of a command that ends with err, and returns the error of stdout.
func (t *console) finishEvents(wantsStdout bool, err error) error {
	v := t.events
	v.mu.Lock()
	if wantsStdout && err != nil && !v.usesStdout { // the flags are invalid
		v.usesStdout, v.stdout = true, func(line []byte) error { _, err := t.out.Write(line); return err }
	}
	v.mu.Unlock()
	defer v.lockFile(as[*lockHeldError](err))()
	v.finish(t.endRecord(err))
	return v.failure
}
