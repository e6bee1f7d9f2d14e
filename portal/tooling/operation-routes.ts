import { operations } from '@portico/contract'
import type { Plugin } from 'vite'

const IMPORTS_API = /import \{[^}]*\bapi\b[^}]*\} from '(?:#api|\.)\/api\.ts'/
const OPERATION = /(?<![\w#./])api\.(\w+)/g

/**
 * Replaces `api.sendMessage` by `api['POST /rooms/:roomId/messages']`: the routes of all operations would cost every
 * visitor 1.5 kB before the first paint, and the contract itself with its schemas far more.
 */
export function operationRoutes(): Plugin {
  return {
    name: 'portico-operation-routes',
    enforce: 'pre',
    transform(code, id) {
      if (id.includes('node_modules') || !IMPORTS_API.test(code)) return undefined
      return { code: withRoutes(code), map: null }
    },
  }
}

/** An operation that the contract doesn't have fails the build. */
export function withRoutes(code: string): string {
  return code.replaceAll(OPERATION, (_, name: string) => {
    const operation = operations.get(name)
    if (!operation) throw new Error(`The contract has no operation ${name}`)
    return `api['${operation.at}']`
  })
}
