import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { programVersion } from '../server/src/config/program-version.ts'
import { readSettings, SETTINGS } from '../server/src/config/config.ts'
import { unknownSettings } from '../server/src/config/unknown-settings.ts'

/** As in YAML: numbers need no quotes, and an empty value is null. */
type Environment = Record<string, string | number | null>

interface Compose {
  readonly services: Record<string, { readonly environment?: Environment; readonly image: string }>
}

interface Values {
  readonly settings: Environment
  readonly secrets: Record<string, unknown>
}

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const settings = Object.keys(SETTINGS)

describe('deploy/compose.yaml', () => {
  test('has only valid settings', () => {
    const { portico } = servicesOf('deploy/compose.yaml', {})
    expectValid(portico?.environment)
  })

  test('takes settings from the environment', () => {
    const { portico } = servicesOf('deploy/compose.yaml', { PUBLIC_URL: 'https://chat.example' })
    expect(portico?.environment?.['PUBLIC_URL']).toBe('https://chat.example')
  })
})

describe('deploy/compose.cluster.yaml', () => {
  const secret = 'a'.repeat(64)
  const example = read('deploy/cluster.env.example').matchAll(/^([A-Z0-9_]+)=(.*)$/gm)
  const environment = Object.fromEntries([...example].map(([, name = '', value]) => [name, value || secret]))
  const services = servicesOf('deploy/compose.cluster.yaml', environment)
  const nodes = Object.entries(services).filter(([, { image }]) => image === 'portico')

  test('has three nodes with the same valid settings', () => {
    expect(nodes).toHaveLength(3)
    for (const [, node] of nodes) {
      expectValid(node.environment)
      expect(node.environment).toEqual(nodes[0]?.[1].environment)
    }
  })

  test('has a proxy that knows every node', () => {
    const [, upstreams = ''] = /reverse_proxy (portico.*) \{/.exec(read('deploy/Caddyfile')) ?? []
    expect(upstreams.split(' ')).toEqual(nodes.map(([name]) => `${name}:3000`))
  })

  test('runs the version of the S3 server that the tests use', () => {
    const [, tested] = /^versitygw_version=(.*)$/m.exec(read('.ci/install-tools')) ?? []
    expect(services['s3']?.image).toBe(`versity/versitygw:${tested}`)
  })

  test('runs the version of LiveKit that the tests use', () => {
    const [, tested] = /^livekit_version=(.*)$/m.exec(read('.ci/install-tools')) ?? []
    expect(services['livekit']?.image).toBe(`livekit/livekit-server:${tested}`)
  })
})

describe('deploy/Dockerfile', () => {
  const dockerfile = read('deploy/Dockerfile')

  test('has the Node that npm start downloads', () => {
    const [, major] = /^const FETCHED = (\d+)$/m.exec(read('scripts/bootstrap/node-runtime.mjs')) ?? []
    expect(dockerfile).toMatch(new RegExp(`^FROM node:${major}-`, 'm'))
  })

  test('copies files that exist', () => {
    const lines = dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)
    const sources = [...lines].flatMap(([, paths = '']) => paths.split(' '))
    expect(sources).toContain('server')
    expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('copies the manifest of every workspace, without which npm installs nothing', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
    for (const folder of workspaces) expect(dockerfile).toContain(`COPY ${folder}/package.json ${folder}/\n`)
  })

  test('sets only valid settings', () => {
    const [, line = ''] = /^ENV (.*)$/m.exec(dockerfile) ?? []
    const { NODE_ENV, ...environment } = Object.fromEntries(line.split(' ').map((pair) => pair.split('=')))
    expect(NODE_ENV).toBe('production')
    expectValid(environment)
  })
})

describe('the Helm chart', () => {
  const values: Values = parse(read('deploy/helm/portico/values.yaml'))
  const folder = 'deploy/helm/portico/templates'
  const templates = readdirSync(join(root, folder)).map((name) => read(`${folder}/${name}`))

  test('has only valid settings', () => {
    const addresses = { DATABASE_URL: 'postgres://db.example/portico', REDIS_URL: 'redis://redis.example' }
    const secrets = Object.fromEntries(Object.keys(values.secrets).map((name) => [name, 'a'.repeat(64)]))
    expectValid({ ...values.settings, ...secrets, ...addresses })
  })

  test('uses only values that have a default', () => {
    const used = templates.flatMap((template) => [...template.matchAll(/\.Values\.([\w.]+)/g)])
    const paths = new Set(used.map(([, path = '']) => path))
    expect(paths.size).toBeGreaterThan(10)
    for (const path of paths) expect(values).toHaveProperty(path)
  })

  test('has the version of this program, and its image’s user', () => {
    expect(parse(read('deploy/helm/portico/Chart.yaml'))).toMatchObject({ appVersion: programVersion() })
    const [, user] = /^USER (\d+):/m.exec(read('deploy/Dockerfile')) ?? []
    expect(templates.join('\n')).toContain(`runAsUser: ${user}\n`)
  })
})

/** The services of a Compose file, with this environment. */
function servicesOf(path: string, environment: Record<string, string>): Compose['services'] {
  const text = read(path).replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_all, name: string, mode?: string, rest = '') => {
      const value = environment[name] ?? (mode === '-' ? String(rest) : undefined)
      if (value === undefined) throw new Error(`${path} needs ${name}`)
      return value
    },
  )
  return (parse(text, { merge: true }) as Compose).services
}

function expectValid(environment: Environment = {}): void {
  const given = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value ?? '')]))
  expect(Object.keys(given).filter((name) => !settings.includes(name))).toEqual([])
  expect(readSettings(given).errors).toEqual([])
  expect(unknownSettings(given)).toEqual([])
}
