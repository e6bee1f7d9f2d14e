import { readImporters } from './import-graph.mjs'

/** The folders of e2e/ whose tests show a feature. The folders of a feature have one name in server and portal. */
const AREAS = {
  accounts: ['settings', 'sign-in'],
  administration: ['administration'],
  applications: ['applications'],
  audit: ['administration', 'settings'],
  'channel-settings': ['settings'],
  channels: ['chat', 'settings'],
  commands: ['applications'],
  completion: ['chat'],
  defects: ['administration', 'chat'],
  drafts: ['chat', 'offline'],
  emoji: ['chat'],
  explanations: ['applications'],
  files: ['chat'],
  'first-steps': ['sign-in'],
  history: ['chat'],
  installations: ['applications'],
  invitations: ['settings', 'sign-in'],
  markdown: ['chat'],
  media: ['voice'],
  members: ['chat', 'settings'],
  mentions: ['chat'],
  messages: ['chat', 'offline'],
  moderation: ['chat', 'settings'],
  notifications: ['chat', 'settings'],
  offline: ['offline'],
  'personal-data': ['settings'],
  pictures: ['settings'],
  presence: ['chat'],
  push: ['settings', 'offline'],
  roles: ['chat', 'settings'],
  'room-page': ['chat'],
  rooms: ['chat', 'settings'],
  search: ['chat'],
  settings: ['settings'],
  shortcuts: ['shell'],
  'sign-in': ['sign-in'],
  switcher: ['shell'],
  unread: ['chat', 'shell'],
  uploads: ['chat'],
  voice: ['voice'],
  webhooks: ['applications'],
}

/** The areas of the portal's addresses. */
const ROUTES = {
  administration: 'administration',
  apps: 'applications',
  c: 'chat',
  oauth: 'sign-in',
  settings: 'settings',
}

/** What every test depends on. */
const EVERYTHING = /^(package(-lock)?\.json|tsconfig\.base\.json|vitest\.config\.ts|scripts\/(bootstrap|testing)\/.*)$/
const TEST = /\.test\.ts$/
/** The fixtures start the whole server, so that by their imports every test would depend on every file of it. */
const FIXTURE = /^(server\/test|e2e)\/(?!.*\.test\.ts$)/

/**
 * The tests that changes can affect: those that import a changed file, directly or through others, those in the folder of a changed
 * feature, and the browser tests that show it.
 * @param {readonly string[]} changed paths relative to the root
 * @returns {string[]} paths of files and folders
 */
export function affectedTests(changed) {
  if (changed.some((path) => EVERYTHING.test(path)))
    return ['contract', 'deploy', 'e2e', 'examples', 'portal', 'scripts', 'sdk', 'server']
  const importers = readImporters()
  const found = new Set(changed.flatMap((path) => [...importingTests(path, importers), ...testsOfFeature(path)]))
  return [...found].filter((path) => ![...found].some((other) => path !== other && path.startsWith(other))).sort()
}

/**
 * @param {string} changed
 * @param {Map<string, Set<string>>} importers
 */
function importingTests(changed, importers) {
  const seen = new Set([changed])
  for (const path of seen)
    for (const importer of importers.get(path) ?? [])
      if (!FIXTURE.test(importer) || FIXTURE.test(path)) seen.add(importer)
  return [...seen].filter((path) => TEST.test(path))
}

/** @param {string} path */
function testsOfFeature(path) {
  const [workspace, folder, first = '', ...rest] = path.split('/')
  if (TEST.test(path)) return []
  if (workspace === 'contract' && folder === 'src') {
    const feature = first.replace(/\.ts$/, '')
    return isFeature(feature)
      ? [`server/src/${feature}/`, 'server/test/conformance/', ...browserTests(feature)]
      : ['server/', 'e2e/']
  }
  if (workspace === 'server' && folder === 'migrations') return ['server/']
  if (workspace === 'server' && folder === 'src') {
    if (first === 'command-line') return ['server/src/command-line/']
    return isFeature(first)
      ? [`server/src/${first}/`, 'server/test/conformance/', ...browserTests(first)]
      : ['server/', 'e2e/']
  }
  if (workspace === 'portal' && folder === 'src' && first === 'routes') {
    const area = rest.map((name) => ROUTES[/** @type {keyof typeof ROUTES} */ (name)]).find(Boolean)
    return area ? [`e2e/${area}/`, 'e2e/accessibility/'] : ['e2e/']
  }
  if (workspace === 'portal' && ['src', 'messages', 'static'].includes(folder ?? ''))
    return isFeature(first) ? [...browserTests(first), 'e2e/accessibility/'] : ['e2e/']
  return []
}

/**
 * @param {string} name
 * @returns {name is keyof typeof AREAS}
 */
function isFeature(name) {
  return name in AREAS
}

/** @param {keyof typeof AREAS} feature */
function browserTests(feature) {
  return AREAS[feature].map((area) => `e2e/${area}/`)
}
