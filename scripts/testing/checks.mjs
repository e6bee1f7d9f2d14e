import { inRoot } from '../bootstrap/paths.mjs'

/** @typedef {{ file: string, args: string[], env?: NodeJS.ProcessEnv, shell?: boolean }} Command */
/** @typedef {{ name: string, command: (node: string) => Command }} Check */

const documents = ['docs/openapi.json', 'docs/portal-openapi.json'].map((path) => inRoot(path))

/**
 * The static checks; each counts as one test. Those of the portal need what its build generates.
 * @type {{ portal: Check[], others: Check[] }}
 */
export const checks = {
  portal: [
    {
      name: 'types of the portal',
      command: tool('svelte-check/bin/svelte-check', '--workspace', inRoot('portal'), '--fail-on-warnings'),
    },
    { name: 'lint', command: tool('oxlint/bin/oxlint', '--deny-warnings') },
  ],
  others: [
    { name: 'types', command: types('tsconfig.json') },
    { name: 'types of the browser tests', command: types('e2e') },
    { name: 'types of the scripts', command: types('scripts') },
    { name: 'types of what the simulation runs in pages', command: types('simulate/browser/page') },
    { name: 'format', command: tool('oxfmt/bin/oxfmt', '--check', '.') },
    { name: 'layers and owners of tables', command: script('scripts/layers/check-layers.ts') },
    { name: 'migrations keep what the version before uses', command: script('server/tooling/check-migrations.ts') },
    { name: 'tables.ts matches the migrations', command: script('server/tooling/generate-tables.ts', '--check') },
    { name: 'the SDK matches the contract', command: script('sdk/tooling/write-api.ts', '--check') },
    { name: 'imports of the SDK', command: script('sdk/tooling/check-imports.ts') },
    { name: 'docs/events.md matches the contract', command: script('server/tooling/write-events.ts', '--check') },
    { name: 'docs/settings.md matches the settings', command: script('server/tooling/write-settings.ts', '--check') },
    {
      name: 'the OpenAPI documents match the contract',
      command: script('server/tooling/write-openapi.ts', '--check'),
    },
    {
      name: 'lint of the OpenAPI documents',
      command: (node) => ({
        ...tool(
          '@redocly/cli/bin/cli.js',
          'lint',
          '--config',
          inRoot('server/tooling/redocly.yaml'),
          ...documents,
        )(node),
        // By default it checks for a newer version and reports usage.
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      }),
    },
  ],
}

/**
 * With the native compiler, which takes a third of the time. svelte-check can't use it yet: with `--tsgo` it doesn't resolve
 * components that are imported by `#…`.
 * @param {string} project
 */
function types(project) {
  return tool('@typescript/native/bin/tsc', '-p', project)
}

/**
 * @param {string} path below node_modules
 * @param {string[]} args
 */
function tool(path, ...args) {
  return script(`node_modules/${path}`, ...args)
}

/**
 * @param {string} path
 * @param {string[]} args
 * @returns {Check['command']}
 */
function script(path, ...args) {
  return (node) => ({ file: node, args: [inRoot(path), ...args] })
}
