import { isNode, textOf, type Node } from './syntax-tree.ts'

export interface Import {
  readonly specifier: string
  /** Where it is in the text. */
  readonly start: number
}

/** Everything that a file loads or takes types from, however it says so. */
export function findImports(nodes: readonly Node[]): Import[] {
  return nodes.flatMap((node) => {
    const specifier = textOf(importedBy(node))
    return specifier === undefined ? [] : [{ specifier, start: node.start }]
  })
}

function importedBy(node: Node): unknown {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node['source'] ?? node['argument']
    // A worker: `new URL('./worker.ts', import.meta.url)`. Other files that are found this way are no code.
    case 'NewExpression': {
      const [path] = node['arguments'] as unknown[]
      return isNamed(node['callee'], 'URL') && /^\..*\.ts$/.test(textOf(path) ?? '') ? path : undefined
    }
    default:
      return undefined
  }
}

function isNamed(node: unknown, name: string): boolean {
  return isNode(node) && node.type === 'Identifier' && node['name'] === name
}
