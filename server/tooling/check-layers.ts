import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { TABLE_OWNERS } from './table-owners.ts'

const root = process.argv[2] ?? join(import.meta.dirname, '../src')

/** Lowest first. A file imports only from its own layer and from those before it; every other folder is a feature. */
const LAYERS: readonly { readonly name: string; readonly folders: readonly string[] }[] = [
  {
    name: 'infrastructure',
    folders: ['config', 'telemetry', 'db', 'files', 'backup', 'outbound', 'secrets', 'redis', 'events'],
  },
  { name: 'operations', folders: ['operations'] },
  { name: 'features', folders: [] },
  { name: 'transports', folders: ['http', 'websocket', 'webhooks', 'push', 'sign-in', 'media', 'command-line'] },
  { name: 'assembly', folders: [''] },
]
const FEATURES = 2

const IMPORTS = /(?:\bfrom\s*|\bimport\s*\(?\s*)'(\.{1,2}\/[^']+)'/g
const WRITES =
  /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO)\s+(?:ONLY\s+)?([a-z_]+)|\.(?:insertInto|updateTable|deleteFrom|mergeInto)\('([a-z_]+)/g

const owned = new Map<string, readonly string[]>(Object.entries(TABLE_OWNERS))

const problems = globSync('**/*.ts', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts'))
  .toSorted()
  .flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return [...wrongImports(path, text), ...foreignWrites(path, text)]
  })

for (const problem of problems) console.log(problem)
if (problems.length > 0) process.exitCode = 1

function wrongImports(path: string, text: string): string[] {
  return [...text.matchAll(IMPORTS)].flatMap(({ 1: specifier = '', index }) => {
    const target = relative(root, join(root, dirname(path), specifier)).replaceAll('\\', '/')
    const [from, to] = [layerOf(path), layerOf(target)]
    if (target.startsWith('..') || to <= from) return []
    const names = `${LAYERS[from]?.name} must not import from ${LAYERS[to]?.name}`
    return `${at(path, text, index)}: ${names} (${target}). Move what both need down, or let start.ts pass it in.`
  })
}

function foreignWrites(path: string, text: string): string[] {
  return [...text.matchAll(WRITES)].flatMap(({ 1: inSql, 2: inKysely, index }) => {
    const table = inSql ?? inKysely ?? ''
    const owners = owned.get(table)
    // `DO UPDATE SET` and `FOR UPDATE OF` name no table.
    if (!owners || owners.includes(folderOf(path))) return []
    return `${at(path, text, index)}: ${table} belongs to ${owners.join(', ')}. Call a function of that folder instead.`
  })
}

function layerOf(path: string): number {
  const layer = LAYERS.findIndex(({ folders }) => folders.includes(folderOf(path)))
  return layer === -1 ? FEATURES : layer
}

function folderOf(path: string): string {
  const [folder = '', ...rest] = path.replaceAll('\\', '/').split('/')
  return rest.length > 0 ? folder : ''
}

function at(path: string, text: string, index: number): string {
  return `server/src/${path}:${text.slice(0, index).split('\n').length}`
}
