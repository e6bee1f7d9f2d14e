import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { redisProgram } from '../server/test/redis.ts'
import { startCluster } from '../server/test/start-cluster.ts'
import { MEDIA_ON, startServer } from '../server/test/start-server.ts'

interface Alerts {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly targets?: readonly { readonly expr: string }[]
  }[]
}

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8')
const METRICS_TOKEN = 'a token of sixteen letters'
/** What Prometheus itself records about a scrape. */
const OF_PROMETHEUS = ['up']
/** Can be checked only where there is a Redis server. */
const UNCHECKED = redisProgram ? [] : ['portico_redis_up']

describe('a running portal', () => {
  let exported: ReadonlySet<string>

  beforeAll(async () => {
    // Nobody listens there.
    const replica = { DATABASE_REPLICA_URL: 'postgres://127.0.0.1:1/portico' }
    const { url } = await startServer({ METRICS_TOKEN, ...replica, ...MEDIA_ON })
    const ofOne = await metricsOf(url)
    const ofCluster = redisProgram ? await metricsOf((await startCluster(2, { METRICS_TOKEN })).nodes[0].url) : []
    exported = new Set([...ofOne, ...ofCluster, ...UNCHECKED])
  })

  test('exports every metric of the alert rules', () => {
    const { groups }: Alerts = parse(read('prometheus/alerts.yaml'))
    const rules = groups.flatMap(({ rules }) => rules)
    expect(rules.length).toBeGreaterThan(5)
    for (const { alert, expr } of rules) expectKnown(alert, expr)
  })

  test('exports every metric of the Grafana dashboard', () => {
    const { panels }: Dashboard = JSON.parse(read('grafana/dashboard.json'))
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const targets = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
    expect(targets.length).toBeGreaterThan(20)
    for (const { title, expr } of targets) expectKnown(title, expr)
  })

  test('exports the metric by which the Helm chart scales', () => {
    const [, name] = /metric:\s+name: (\S+)/.exec(read('helm/portico/templates/horizontal-pod-autoscaler.yaml')) ?? []
    expect([...exported]).toContain(name)
  })

  test('exports every metric that the documentation names', () => {
    for (const path of ['operations', 'scaling', 'self-hosting']) {
      const named = read(`../docs/${path}.md`).match(/\bportico_[a-z_]+[a-z]\b(?!\*)/g) ?? []
      for (const name of named) expect(families(), `in docs/${path}.md`).toContain(name)
    }
  })

  /** Every metric of an expression, and at least one, is exported. */
  function expectKnown(title: string, expr: string): void {
    const names = expr.match(/\b(portico|nodejs|process)_\w+|\bup\b/g) ?? []
    expect(names, title).not.toEqual([])
    for (const name of names) expect([...exported, ...OF_PROMETHEUS], title).toContain(name)
  }

  function families(): string[] {
    return [...exported].map((name) => name.replace(/_(bucket|sum|count)$/, ''))
  }
})

/** The names of all time series that a server exports, also of those without samples yet. */
async function metricsOf(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  const types = [...(await answer.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  return types.flatMap(([, name = '', type]) => {
    if (type === 'histogram') return ['bucket', 'sum', 'count'].map((suffix) => `${name}_${suffix}`)
    return [name]
  })
}
