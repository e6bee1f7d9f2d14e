import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

interface Resource {
  readonly kind: string
  readonly spec: {
    readonly replicas?: number
    readonly tls?: unknown
    readonly template?: { readonly spec: Pod }
  }
}

interface Pod {
  readonly containers: readonly [
    {
      readonly env: readonly { readonly name: string; readonly value?: string }[]
      readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
    },
  ]
  readonly terminationGracePeriodSeconds: number
  readonly volumes: readonly {
    readonly name: string
    readonly persistentVolumeClaim?: { readonly claimName: string }
  }[]
}

interface Summary {
  readonly valid: number
  readonly invalid: number
  readonly errors: number
  readonly skipped: number
}

const folder = import.meta.dirname
const programs = ['helm', 'kubeconform', 'promtool', 'hadolint', 'caddy', 'docker-compose']
const [helm, kubeconform, promtool, hadolint, caddy, compose] = programs.map(programOf)
const schemas = join(dirname(kubeconform ?? ''), 'schemas')
/** The oldest version of Kubernetes that the chart allows, and the newest one with a schema. */
const KUBERNETES = ['1.27.0', '1.37.0']

describe.skipIf(helm === undefined)('helm', () => {
  const run = (...args: string[]): string => execFileSync(helm ?? '', args, { cwd: folder, encoding: 'utf8' })
  const rendered = (...settings: string[]): Resource[] =>
    parseAllDocuments(run('template', 'portico', 'helm/portico', ...settings.flatMap((each) => ['--set', each]))).map(
      (document) => document.toJS() as Resource,
    )
  const kindsOf = (resources: readonly Resource[]): string[] => resources.map(({ kind }) => kind).toSorted()
  const deploymentOf = (resources: readonly Resource[]): Resource['spec'] | undefined =>
    resources.find(({ kind }) => kind === 'Deployment')?.spec

  test('finds nothing wrong with the chart', () => {
    expect(run('lint', '--strict', 'helm/portico')).toContain('0 chart(s) failed')
  })

  test('renders the default values', () => {
    const resources = rendered()
    expect(kindsOf(resources)).toEqual(['Deployment', 'Ingress', 'PodDisruptionBudget', 'Service'])
    expect(deploymentOf(resources)?.replicas).toBe(3)
    const names = deploymentOf(resources)?.template?.spec.containers[0].env.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['PUBLIC_URL', 'S3_BUCKET', 'DATABASE_URL', 'METRICS_TOKEN']))
    expect(names).not.toContain('FILES_FOLDER')
  })

  test('mounts a claim for files instead of the bucket', () => {
    const bucket = [
      'settings.S3_ENDPOINT',
      'settings.S3_BUCKET',
      'secrets.S3_ACCESS_KEY_ID',
      'secrets.S3_SECRET_ACCESS_KEY',
    ]
    const none = bucket.map((name) => `${name}=null`)
    const pod = deploymentOf(rendered('filesVolume.claimName=shared-files', ...none))?.template?.spec
    const [container] = pod?.containers ?? []
    expect(container?.env).toContainEqual({ name: 'FILES_FOLDER', value: '/files' })
    expect(container?.env.filter(({ name }) => name.startsWith('S3_'))).toEqual([])
    expect(container?.volumeMounts).toContainEqual({ name: 'files', mountPath: '/files' })
    expect(pod?.volumes).toContainEqual({ name: 'files', persistentVolumeClaim: { claimName: 'shared-files' } })
  })

  test('mounts further volumes, and lets secrets be files of them', () => {
    const files = ['secrets.PORTICO_SECRET=null', 'settings.PORTICO_SECRET_FILE=/secrets/portico']
    const volume = ['extraVolumes[0].name=secrets', 'extraVolumes[0].secret.secretName=portico']
    const mount = ['extraVolumeMounts[0].name=secrets', 'extraVolumeMounts[0].mountPath=/secrets']
    const pod = deploymentOf(rendered(...files, ...volume, ...mount))?.template?.spec
    const [container] = pod?.containers ?? []
    expect(container?.env).toContainEqual({ name: 'PORTICO_SECRET_FILE', value: '/secrets/portico' })
    expect(container?.env.map(({ name }) => name)).not.toContain('PORTICO_SECRET')
    expect(container?.volumeMounts).toContainEqual({ name: 'secrets', mountPath: '/secrets' })
    expect(pod?.volumes).toContainEqual({ name: 'secrets', secret: { secretName: 'portico' } })
  })

  test('lets only those connect who may, and drains', () => {
    const resources = rendered('networkPolicy.enabled=true', 'drainSeconds=25')
    expect(resources.find(({ kind }) => kind === 'NetworkPolicy')?.spec).toMatchObject({
      ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: 'http' }] }],
    })
    const pod = deploymentOf(resources)?.template?.spec
    expect(pod?.containers[0].env).toContainEqual({ name: 'DRAIN_SECONDS', value: '25' })
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(25 + 15)
  })

  test('scales, monitors and does without an ingress on demand', () => {
    const resources = rendered('autoscaling.enabled=true', 'serviceMonitor.enabled=true', 'ingress.enabled=false')
    expect(kindsOf(resources)).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'PodDisruptionBudget',
      'Service',
      'ServiceMonitor',
    ])
    expect(deploymentOf(resources)?.replicas).toBeUndefined()
    const plain = rendered('ingress.tlsSecret=').find(({ kind }) => kind === 'Ingress')
    expect(plain?.spec.tls).toBeUndefined()
  })

  test('writes numbers as they are', () => {
    const pod = deploymentOf(rendered('settings.LARGE=30000000', 'settings.FRACTION=0.5'))?.template?.spec
    expect(pod?.containers[0].env).toContainEqual({ name: 'LARGE', value: '30000000' })
    expect(pod?.containers[0].env).toContainEqual({ name: 'FRACTION', value: '0.5' })
  })

  test('refuses values that can’t work', () => {
    expect(() => rendered('settings.PUBLIC_URL=chat.example')).toThrow(/PUBLIC_URL/)
    expect(() => rendered('replicas=0')).toThrow(/replicas/)
  })
})

describe.skipIf([helm, kubeconform].includes(undefined) || !existsSync(schemas))('kubeconform', () => {
  const check = (version: string, values: readonly string[], change = (resources: string) => resources): Summary => {
    const args = ['template', 'portico', 'helm/portico', ...values, '--kube-version', version]
    const input = change(execFileSync(helm ?? '', args, { cwd: folder, encoding: 'utf8' }))
    const location = join(schemas, '{{.NormalizedKubernetesVersion}}/{{.ResourceKind}}{{.KindSuffix}}.json')
    const schema = ['-kubernetes-version', version, '-schema-location', location]
    const rules = ['-strict', '-summary', '-output', 'json', ...schema]
    const { stdout } = spawnSync(kubeconform ?? '', rules, { input, encoding: 'utf8' })
    return (JSON.parse(stdout) as { summary: Summary }).summary
  }

  describe.each(KUBERNETES)('with the schemas of Kubernetes %s', (version) => {
    test('accepts the chart with its default values', () => {
      expect(check(version, [])).toEqual({ valid: 4, invalid: 0, errors: 0, skipped: 0 })
    })

    test('accepts the chart with all options', () => {
      const values = ['--values', 'helm/all-options.yaml']
      expect(check(version, values)).toEqual({ valid: 7, invalid: 0, errors: 0, skipped: 0 })
    })

    test('finds misspelled fields', () => {
      const misspell = (resources: string) =>
        resources.replace('maxSurge:', 'maxSurg:').replace('endpoints:', 'endpoint:')
      const values = ['--values', 'helm/all-options.yaml']
      expect(check(version, values, misspell)).toEqual({ valid: 5, invalid: 2, errors: 0, skipped: 0 })
    })
  })
})

describe.skipIf(promtool === undefined)('promtool', () => {
  test('finds nothing wrong with the alert rules', () => {
    const args = ['check', 'rules', '--lint-fatal', 'prometheus/alerts.yaml']
    expect(execFileSync(promtool ?? '', args, { cwd: folder, encoding: 'utf8' })).toMatch(/SUCCESS: \d+ rules found/)
  })
})

describe.skipIf(hadolint === undefined)('hadolint', () => {
  test.each(['Dockerfile', '../server/bot-template/Dockerfile'])('finds nothing wrong with %s', (file) => {
    expect(execFileSync(hadolint ?? '', [file], { cwd: folder, encoding: 'utf8' })).toBe('')
  })
})

describe.skipIf(caddy === undefined)('caddy', () => {
  test('accepts the Caddyfile', () => {
    const env = { ...process.env, DOMAIN: 'chat.example', MEDIA_DOMAIN: 'media.example' }
    const args = ['validate', '--adapter', 'caddyfile', '--config', 'Caddyfile']
    expect(execFileSync(caddy ?? '', args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })).toContain('Valid')
  })
})

describe.skipIf(compose === undefined)('docker-compose', () => {
  const check = (...args: string[]): Buffer =>
    execFileSync(compose ?? '', [...args, 'config', '--quiet'], { cwd: folder, stdio: 'pipe' })

  test('accepts the files', async () => {
    check('--file', 'compose.yaml')
    const values = readFileSync(join(folder, 'cluster.env.example'), 'utf8').replaceAll(/=$/gm, `=${'a'.repeat(64)}`)
    const place = await mkdtemp(join(tmpdir(), 'portico-compose-'))
    onTestFinished(() => rm(place, { recursive: true, force: true }))
    const path = join(place, 'env')
    await writeFile(path, values)
    check('--env-file', path, '--file', 'compose.cluster.yaml')
  })

  test('says which value is missing', () => {
    expect(() => check('--env-file', '/dev/null', '--file', 'compose.cluster.yaml')).toThrow(/in deploy\/\.env/)
  })
})

/** The path of a program in PORTICO_TEST_TOOLS or in the PATH. */
function programOf(name: string): string | undefined {
  return [process.env['PORTICO_TEST_TOOLS'] ?? '', process.env['PATH'] ?? '']
    .flatMap((folders) => folders.split(delimiter))
    .filter(Boolean)
    .map((each) => join(each, name))
    .find((path) => existsSync(path))
}
