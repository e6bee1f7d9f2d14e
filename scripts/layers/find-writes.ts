import { isNode, textOf, type Node } from './syntax-tree.ts'

export interface Write {
  readonly table: string
  readonly start: number
}

const STATEMENTS =
  /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+(?:only\s+)?"?([a-z_]+)/gi
const METHODS = new Set(['insertInto', 'updateTable', 'deleteFrom', 'mergeInto', 'replaceInto'])

/**
 * The tables that a file's statements change, in SQL of any case and in the query builder. `DO UPDATE SET` and `FOR UPDATE OF`
 * are found as well, but name no table.
 */
export function findWrites(nodes: readonly Node[]): Write[] {
  return nodes.flatMap((node) => {
    const { start } = node
    if (node.type === 'CallExpression' && callsWriter(node)) {
      const [table = ''] = (textOf((node['arguments'] as unknown[])[0]) ?? '').trim().split(/\s+/)
      return [{ table, start }]
    }
    const text = textOf(node) ?? ''
    return [...text.matchAll(STATEMENTS)].map(({ 1: table = '', index }) => ({ table, start: start + index }))
  })
}

function callsWriter({ callee }: Node): boolean {
  if (!isNode(callee) || callee.type !== 'MemberExpression') return false
  const { property } = callee
  return isNode(property) && METHODS.has(String(property['name']))
}
