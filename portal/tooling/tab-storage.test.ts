import { beforeEach, describe, expect, test, vi } from 'vitest'
import { get, set } from './tab-storage.ts'

describe('tab storage', () => {
  const stored = new Map<string, string>()

  beforeEach(() => {
    stored.clear()
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    })
  })

  test('survives a reload', () => {
    const entries = get('history')
    entries['1700000000000'] = { scroll: { x: 0, y: 80 } }
    set('history', entries)

    expect(get('history')).toEqual({ '1700000000000': { scroll: { x: 0, y: 80 } } })
  })

  test('does not grow with every visited page', () => {
    const entries = get('history')
    for (let index = 1_700_000_000_000; index < 1_700_000_001_000; index += 1) entries[index] = { resetIndex: index }

    expect(Object.keys(entries)).toHaveLength(256)
    expect(entries).toHaveProperty('1700000000999')
    expect(entries).not.toHaveProperty('1700000000743')
  })

  test('is empty if storage is damaged or forbidden', () => {
    stored.set('damaged', '{"1')
    expect(get('damaged')).toEqual({})

    vi.stubGlobal('sessionStorage', undefined)
    expect(get('history')).toEqual({})
    expect(() => set('history', {})).not.toThrow()
  })
})
