import { parse as parseComponent } from 'svelte/compiler'
import { parseSync } from 'vite'

/** A node of ESTree, or of the markup of a component around it. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly [property: string]: unknown
}

/** All nodes of a TypeScript file or a component, each before those inside it. */
export function parseNodes(path: string, text: string): Node[] {
  const nodes: Node[] = []
  collect(path.endsWith('.svelte') ? parseComponent(text, { modern: true }) : parseModule(path, text), nodes)
  return nodes
}

function parseModule(path: string, text: string): unknown {
  const { program, errors } = parseSync(path, text)
  const [error] = errors
  if (error) throw new Error(`${path}: ${error.message}`)
  return program
}

function collect(value: unknown, into: Node[]): void {
  if (value === null || typeof value !== 'object') return
  if (isNode(value)) into.push(value)
  for (const inside of Object.values(value)) collect(inside, into)
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** What a string or a template says, with a space in place of each expression; undefined for anything else. */
export function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'TSLiteralType') return textOf(node['literal'])
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined
  if (node.type !== 'TemplateLiteral') return undefined
  return (node['quasis'] as { value: { cooked: string | null } }[]).map(({ value }) => value.cooked ?? '').join(' ')
}
