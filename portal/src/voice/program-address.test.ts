import { afterEach, describe, expect, test, vi } from 'vitest'
import { programAddress } from './program-address.ts'

function openedAt(address: string): void {
  vi.stubGlobal('location', new URL(address))
}

describe('programAddress', () => {
  afterEach(() => void vi.unstubAllGlobals())

  test('is the address of the page, if the public one leads only the portal’s own machine to it', () => {
    openedAt('https://192.168.1.5:3443/c/1/2')
    expect(programAddress('http://localhost:3000/whip/v1')).toBe('https://192.168.1.5:3443/whip/v1')
    expect(programAddress('http://127.0.0.1:3000/whip/v1')).toBe('https://192.168.1.5:3443/whip/v1')
  })

  test('is the public one otherwise', () => {
    openedAt('http://localhost:3000/c/1/2')
    expect(programAddress('http://127.0.0.1:3000/whip/v1')).toBe('http://127.0.0.1:3000/whip/v1')
    openedAt('https://192.168.1.5:3443/c/1/2')
    expect(programAddress('https://chat.example/whip/v1')).toBe('https://chat.example/whip/v1')
  })
})
