import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { findCycles } from './find-cycles.ts'
import { findImports } from './find-imports.ts'
import { findWrites } from './find-writes.ts'
import type { Layer, Package } from './packages.ts'
import { parseNodes, type Node } from './syntax-tree.ts'
import { TABLE_OWNERS } from './table-owners.ts'

/** Where an import is, as `folder/file.ts:3`. */
type Place = string

const OWNERS = new Map<string, readonly string[]>(Object.entries(TABLE_OWNERS))

/** What is wrong in the sources of a package, one line each. Tests may import what they like, and generated code is skipped. */
export function checkPackage(root: string, { name, sources = 'src', layers, uses }: Package): string[] {
  const home = join(name, sources)
  const src = join(root, home)
  const paths = globSync('**/*.{ts,svelte}', { cwd: src, exclude: ['**/*.test.ts', 'paraglide/**', 'node_modules/**'] })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
  const layerOf = (folder: string): number => layers.findIndex(({ folders }) => folders.includes(folder))
  const problems: string[] = []
  /** By folder and imported folder, within a layer. */
  const neighbors = new Map<string, Map<string, Place>>()

  const undeclared = new Set(paths.map(folderOf).filter((folder) => layerOf(folder) === -1))
  for (const folder of undeclared)
    problems.push(`${home}/${folder}: this folder has no layer. Give it one in scripts/layers/packages.ts.`)

  for (const path of paths) {
    const text = readFileSync(join(src, path), 'utf8')
    const nodes = parseNodes(path, text)
    const placeOf = (start: number): Place => `${home}/${path}:${text.slice(0, start).split('\n').length}`
    for (const { specifier, start } of findImports(nodes)) {
      const problem = judge(path, specifier, placeOf(start))
      if (problem !== undefined) problems.push(`${placeOf(start)}: ${problem}`)
    }
    if (name === 'server') problems.push(...foreignWrites(path, nodes, placeOf))
  }
  return [...problems, ...cycles()]

  function judge(path: string, specifier: string, place: Place): string | undefined {
    const [, used] = /^@portico\/([^/]+)/.exec(specifier) ?? []
    if (used !== undefined) return judgePackage(used, layers[layerOf(folderOf(path))])
    const target = targetOf(path, specifier)
    if (target === undefined) return undefined
    if (target.startsWith('..')) {
      const { borrows = [] } = layers[layerOf(folderOf(path))] ?? {}
      const outside = join(home, target).replaceAll('\\', '/')
      if (borrows.some((borrowed) => outside.startsWith(`${borrowed}/`))) return undefined
      return `${specifier} lies outside of ${home}. Move it there.`
    }
    const [folder, imported] = [folderOf(path), folderOf(target)]
    const [from, to] = [layerOf(folder), layerOf(imported)]
    if (from === -1 || to === -1) return undefined
    if (to > from) {
      const names = `${layers[from]?.name} must not import from ${layers[to]?.name}`
      return `${names} (${target}). Move what both need down, or pass it in from above.`
    }
    if (to === from && folder !== imported) {
      const known = neighbors.get(folder) ?? new Map<string, Place>()
      if (!known.has(imported)) known.set(imported, place)
      neighbors.set(folder, known)
    }
    return undefined
  }

  function judgePackage(used: string, layer: Layer | undefined): string | undefined {
    if (!uses.includes(used)) return `${name} must not import ${used}.`
    return layer?.isPure ? `${layer.name} must not import ${used}.` : undefined
  }

  function cycles(): string[] {
    const graph = new Map([...neighbors].map(([folder, known]) => [folder, new Set(known.keys())]))
    return findCycles(graph).map((cycle) => {
      const places = cycle.slice(1).map((to, index) => neighbors.get(cycle[index] ?? '')?.get(to))
      return `${home}: folders import each other in a circle: ${cycle.join(' → ')} (${places.join(', ')}).`
    })
  }
}

/** Relative to the sources; undefined for what is not a file of this package. */
function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return specifier.slice(1)
  if (!specifier.startsWith('.')) return undefined
  return relative('src', join('src', dirname(path), specifier)).replaceAll('\\', '/')
}

function foreignWrites(path: string, nodes: readonly Node[], placeOf: (start: number) => Place): string[] {
  return findWrites(nodes).flatMap(({ table, start }) => {
    const owners = OWNERS.get(table)
    if (!owners || owners.includes(folderOf(path))) return []
    return `${placeOf(start)}: ${table} belongs to ${owners.join(', ')}. Call a function of that folder instead.`
  })
}

function folderOf(path: string): string {
  const [folder = '', ...rest] = path.split('/')
  return rest.length > 0 ? folder : ''
}
