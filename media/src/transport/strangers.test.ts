import { describe, expect, it } from 'vitest'
import { Strangers } from './strangers.ts'

/** Adds connections of a network. Returns how many of them are open. */
function add(strangers: Strangers, network: string, count: number): () => number {
  const open = new Set<object>()
  for (let added = 0; added < count; added += 1) {
    const connection = { destroy: () => void open.delete(connection) }
    open.add(connection)
    strangers.add(connection, network)
  }
  return () => open.size
}

describe('Strangers', () => {
  it('limits the connections of a network', () => {
    expect(add(new Strangers(), '192.0.2.1', 1000)()).toBe(32)
  })

  it('takes them from the networks that have most when there are too many', () => {
    const strangers = new Strangers()
    const single = add(strangers, '198.51.100.1', 1)
    const many = Array.from({ length: 40 }, (_, at) => add(strangers, `192.0.2.${at}`, 32))
    expect(many.reduce((sum, open) => sum + open(), 0)).toBe(511)
    expect(single()).toBe(1)
  })

  it('has room again for those who left', () => {
    const strangers = new Strangers()
    const gone = { destroy: () => expect.unreachable('it has left') }
    strangers.add(gone, '192.0.2.1')
    strangers.delete(gone, '192.0.2.1')
    strangers.delete(gone, '192.0.2.1')
    expect(add(strangers, '192.0.2.1', 40)()).toBe(32)
  })
})
