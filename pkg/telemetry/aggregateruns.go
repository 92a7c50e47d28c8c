package telemetry

import (
	"maps"
	"slices"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// Stats are the sums of several runs. Replays send, call and cost nothing, so only Replays counts them.
type Stats struct {
	Key         string              `json:"key,omitempty"` // of a group
	Runs        int                 `json:"runs"`
	OK          int                 `json:"ok"`
	Unfinished  int                 `json:"unfinished"` // they still run, or were cut off
	Replays     int                 `json:"replays"`
	SuccessRate *float64            `json:"success_rate"` // of the finished runs; nil without one
	Exits       map[string]int      `json:"exits"`        // by name
	Turns       int                 `json:"turns"`
	Calls       int                 `json:"calls"`
	Failed      int                 `json:"failed_calls"`
	Needs       int                 `json:"needs"` // calls that asked for information
	Seconds     float64             `json:"seconds"`
	Usage       chat.Usage          `json:"usage"`
	Cost        chat.Cost           `json:"cost_usd"`
	KnownCost   chat.USD            `json:"known_cost_usd"` // the part of the cost that is known
	Models      []chat.ModelUsage   `json:"models"`
	Tools       []runfile.ToolCount `json:"tools"`

	models map[string]*chat.ModelUsage
	tools  map[string]*runfile.ToolCount
}

func newStats(key string) *Stats {
	return &Stats{
		Key: key, Exits: map[string]int{}, Cost: chat.Cost{Known: true},
		models: map[string]*chat.ModelUsage{}, tools: map[string]*runfile.ToolCount{},
	}
}

// A Grouping is the property by which a [Collector] groups runs.
type Grouping string

// Groupings. A run with several models or tools is in the group of each, with its usage of that model or its calls of that
// tool. A replay is in no group of a model or tool.
const (
	Ungrouped Grouping = ""
	ByDay     Grouping = "day"
	ByModel   Grouping = "model"
	ByAgent   Grouping = "agent"
	ByTool    Grouping = "tool"
)

// A Collector makes statistics of runs.
type Collector struct {
	by     Grouping
	zone   *time.Location // of days
	total  *Stats
	groups map[string]*Stats
}

// NewCollector returns a collector.
func NewCollector(by Grouping, zone *time.Location) *Collector {
	return &Collector{by: by, zone: zone, total: newStats(""), groups: map[string]*Stats{}}
}

// CountRun counts a run.
func (c *Collector) CountRun(r Run) {
	if isReplay(r.Model) {
		c.countReplay(r)
		return
	}
	c.total.add(r)
	switch c.by {
	case ByDay:
		c.group(c.day(r)).add(r)
	case ByAgent:
		c.group(r.Agent).add(r)
	case ByModel:
		for _, m := range r.Models {
			part := r
			part.Models = []chat.ModelUsage{m}
			c.group(m.Model).add(part)
		}
		if len(r.Models) == 0 {
			c.group(r.Model).add(r)
		}
	case ByTool:
		for _, t := range r.Tools {
			part := r
			part.Tools, part.Calls, part.Models = []runfile.ToolCount{t}, t.Calls, nil
			c.group(t.Tool).add(part)
		}
	}
}

func (c *Collector) countReplay(r Run) {
	c.total.Replays++
	switch c.by {
	case ByDay:
		c.group(c.day(r)).Replays++
	case ByAgent:
		c.group(r.Agent).Replays++
	}
}

// day returns the key of the day on which a run started.
func (c *Collector) day(r Run) string { return r.Start.In(c.zone).Format(time.DateOnly) }

func (c *Collector) group(key string) *Stats {
	if c.groups[key] == nil {
		c.groups[key] = newStats(key)
	}
	return c.groups[key]
}

// Stats returns the sums of all runs, and of each group in the order of keys.
func (c *Collector) Stats() (total Stats, groups []Stats) {
	for _, key := range slices.Sorted(maps.Keys(c.groups)) {
		groups = append(groups, c.groups[key].finish())
	}
	return c.total.finish(), groups
}

func (s *Stats) add(r Run) {
	s.Runs++
	s.Exits[r.Exit]++
	switch r.Exit {
	case "ok":
		s.OK++
	case Unfinished:
		s.Unfinished++
	}
	s.Turns, s.Calls, s.Seconds = s.Turns+r.Turns, s.Calls+r.Calls, s.Seconds+r.Seconds
	for _, m := range r.Models {
		s.Usage, s.Cost = s.Usage.Add(m.Usage), s.Cost.Add(m.Cost)
		to := s.models[m.Model]
		if to == nil {
			to = &chat.ModelUsage{Model: m.Model, Cost: chat.Cost{Known: true}}
			s.models[m.Model] = to
		}
		to.Requests, to.Usage, to.Cost = to.Requests+m.Requests, to.Usage.Add(m.Usage), to.Cost.Add(m.Cost)
	}
	for _, t := range r.Tools {
		s.addTool(t)
	}
}

func (s *Stats) addTool(t runfile.ToolCount) {
	s.Needs += t.Needs
	s.Failed += t.Calls - t.OK - t.Needs
	to := s.tools[t.Tool]
	if to == nil {
		to = &runfile.ToolCount{Tool: t.Tool}
		s.tools[t.Tool] = to
	}
	to.Calls, to.OK, to.Needs = to.Calls+t.Calls, to.OK+t.OK, to.Needs+t.Needs
	for reason, n := range t.Failures {
		if to.Failures == nil {
			to.Failures = map[string]int{}
		}
		to.Failures[reason] += n
	}
}

// finish returns the statistics with sorted parts.
func (s *Stats) finish() Stats {
	out := *s
	if done := s.Runs - s.Unfinished; done > 0 {
		rate := float64(s.OK) / float64(done)
		out.SuccessRate = &rate
	}
	out.KnownCost = s.Cost.Amount
	out.Models, out.Tools = []chat.ModelUsage{}, []runfile.ToolCount{}
	for _, name := range slices.Sorted(maps.Keys(s.models)) {
		out.Models = append(out.Models, *s.models[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.tools)) {
		out.Tools = append(out.Tools, *s.tools[name])
	}
	return out
}
