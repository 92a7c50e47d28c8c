// Turns the catalogue of @pydantic/genai-prices into the table of pkg/pricing; see scripts/prices.
import { pathToFileURL } from 'node:url'

const [, , file, name, version, date, command] = process.argv
const catalogue = await import(pathToFileURL(file).href)

// The provider in the catalogue and in oneshot. Google's server also lists Claude, which its Gemini API does not have.
const providers = { openai: 'openai', anthropic: 'anthropic', google: 'gemini', openrouter: 'openrouter' }
const isServed = { google: (id) => !id.startsWith('claude') }

const members = { input_mtok: 'input', cache_read_mtok: 'cached_input', cache_write_mtok: 'cache_write', output_mtok: 'output', output_reasoning_mtok: 'reasoning' }

// number returns a price in USD with at most nine digits after the point.
const number = (price) => String(Number(price.toFixed(9)))

const notSpeech = String.raw`^(?!.*-[tT][tT][sS](?:$|-))`

// patterns returns the names that a rule matches, in which * stands for any text and # for a digit. A name with ! is excluded.
function patterns(rule, skipped) {
  const [kind, value] = Object.entries(rule)[0]
  switch (kind) {
    case 'or':
    case 'and':
      return value.flatMap((r) => patterns(r, skipped))
    case 'equals':
      return [value.toLowerCase()]
    case 'starts_with':
      return [value.toLowerCase() + '*']
    case 'ends_with':
      return ['*' + value.toLowerCase()]
    case 'contains':
      return ['*' + value.toLowerCase() + '*']
    case 'regex': {
      if (value === notSpeech) return ['!*-tts*']
      const text = value.replace(/^\^/, '').replace(/\\d\{(\d+)\}/g, (_, n) => '#'.repeat(n)).replace(/\\d$/, '#*').replaceAll('\\.', '.').replace(/\$$/, '')
      if (/[\\(){}[\]|+?^$]/.test(text)) skipped.push(value)
      else return [text.toLowerCase()]
    }
  }
  return []
}

// rates returns the prices of a model for text as JSON, or '' if it has none. A tier applies above a number of input tokens.
function rates(prices) {
  const own = [], tiers = new Map()
  for (const [key, member] of Object.entries(members)) {
    const price = prices[key]
    if (price === undefined) continue
    own.push(`"${member}":${number(price.base ?? price)}`)
    for (const t of price.tiers ?? []) tiers.set(t.start, [...(tiers.get(t.start) ?? []), `"${member}":${number(t.price)}`])
  }
  if (!('input_mtok' in prices && 'output_mtok' in prices)) return ''
  const list = [...tiers].sort(([a], [b]) => a - b).map(([start, t]) => `{"above":${start},${t}}`)
  if (list.length > 0) own.push(`"tiers":[${list}]`)
  return `{${own}}`
}

// versions returns the prices of a model with the day from which they hold, latest first.
function versions(model) {
  const all = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }]
  return all.map((p) => [p.constraint?.start_date ?? '', p.prices]).reverse()
}

function models(provider) {
  return catalogue.findProvider({ providerId: provider }).models.filter((m) => (isServed[provider] ?? (() => true))(m.id))
}

function table() {
  const skipped = []
  console.log(`# Prices in USD per million tokens, from ${name} ${version} of ${date} (MIT, see table.LICENSE)`)
  console.log('# scripts/prices writes this file. The first line that matches is the price.')
  for (const provider of Object.keys(providers)) {
    for (const model of models(provider)) {
      const names = [...new Set([model.id.toLowerCase(), ...patterns(model.match, skipped)])].join(',')
      for (const [since, prices] of versions(model)) {
        let text = rates(prices)
        if (text === '' && model.id.endsWith(':free')) text = '{"input":0,"output":0}'
        if (text !== '') console.log([providers[provider], names, since && `since=${since}`, text].filter(Boolean).join(' '))
      }
    }
  }
  for (const rule of skipped) console.error(`prices: no pattern for ${rule}`)
}

// samples prints what the catalogue computes, as PROVIDER MODEL INPUT CACHED WRITTEN OUTPUT USD, for usages with every kind of rate.
function samples() {
  const missing = new Set()
  const usages = [[1000, 0, 0, 1000], [100_000, 40_000, 20_000, 3_000], [271_999, 0, 0, 1], [272_001, 200_000, 0, 500], [1_000_000, 0, 7, 10_000]]
  for (const provider of Object.keys(providers)) {
    for (const model of models(provider)) {
      if (rates(versions(model)[0][1]) === '') continue
      for (const [input, cached, written, output] of usages) {
        const usage = { input_tokens: input, output_tokens: output }
        if (cached) usage.cache_read_tokens = cached
        if (written) usage.cache_write_tokens = written
        const found = catalogue.calcPrice(usage, model.id, { providerId: provider, timestamp: new Date(`${date}T12:00:00Z`) })
        if (found) console.log([providers[provider], model.id, input, cached, written, output, found.total_price.toFixed(12)].join(' '))
        else missing.add(`${provider} ${model.id}`)
      }
    }
  }
  for (const model of missing) console.error(`prices: the catalogue finds no price for ${model}`)
}

if (command === 'table') table()
else samples()
