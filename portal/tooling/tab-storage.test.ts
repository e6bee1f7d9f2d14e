import { beforeEach, describe, expect, test, vi } from 'vitest'
import { get, set } from './tab-storage.ts'

describe('what is kept for a tab', () => {
  const kept = new Map<string, string>()

  beforeEach(() => {
    kept.clear()
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
    })
  })

  test('is there again when the page is loaded again', () => {
    const entries = get('history')
    entries['1700000000000'] = { scroll: { x: 0, y: 80 } }
    set('history', entries)

    expect(get('history')).toEqual({ '1700000000000': { scroll: { x: 0, y: 80 } } })
  })

  test('does not grow with every page that is visited', () => {
    const entries = get('history')
    for (let index = 1_700_000_000_000; index < 1_700_000_001_000; index += 1) entries[index] = { resetIndex: index }

    expect(Object.keys(entries)).toHaveLength(256)
    expect(entries).toHaveProperty('1700000000999')
    expect(entries).not.toHaveProperty('1700000000743')
  })

  test('is empty where storage is damaged or forbidden', () => {
    kept.set('damaged', '{"1')
    expect(get('damaged')).toEqual({})

    vi.stubGlobal('sessionStorage', undefined)
    expect(get('history')).toEqual({})
    expect(() => set('history', {})).not.toThrow()
  })
})
