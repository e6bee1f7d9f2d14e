import { describe, expect, test } from 'vitest'
import { withRoutes } from './operation-routes.ts'

describe('operation routes', () => {
  test('replace the name of an operation by its method and path', () => {
    expect(withRoutes('await api.sendMessage({ roomId, text })')).toBe(
      `await api['POST /rooms/:roomId/messages']({ roomId, text })`,
    )
  })

  test('leave other names alone', () => {
    const code = `import api from '#api/api.ts'; example.api.sendMessage; fetch('/api.json')`
    expect(withRoutes(code)).toBe(code)
  })

  test('fail the build where the contract has no such operation', () => {
    expect(() => withRoutes('api.sendPigeon({})')).toThrow('no operation sendPigeon')
  })
})
