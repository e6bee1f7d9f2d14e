import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFeedback } from '../../test/read-feedback.ts'
import { ArrivalLog } from './arrival-log.ts'

describe('ArrivalLog', () => {
  it('tells of every packet that arrived, whatever was lost, late or reported in between', () => {
    const packets = fc.array(fc.record({ jump: fc.integer({ min: -5, max: 10 }), isTaken: fc.boolean() }), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(fc.nat(0xffff), packets, (start, list) => {
        const log = new ArrivalLog()
        const arrived = new Set<number>()
        const reported = new Set<number>()
        const take = (): void => {
          for (const content of log.take()) {
            const { baseSequence, arrivals } = readFeedback(content)!
            for (const [index, arrival] of arrivals.entries()) {
              if (arrival !== null) reported.add((baseSequence + index) & 0xffff)
            }
          }
        }
        let number = start
        let time = 1000
        for (const { jump, isTaken } of list) {
          number += jump
          time += 5
          log.add(number & 0xffff, time)
          arrived.add(number & 0xffff)
          expect(log.isDue).toBe(true)
          if (isTaken) take()
        }
        take()
        expect(log.isDue).toBe(false)
        expect([...reported].sort()).toEqual([...arrived].sort())
      }),
    )
  })

  it('stays small when numbers jump, and splits what is too long for a message', () => {
    const log = new ArrivalLog()
    log.add(0, 1)
    log.add(30_000, 2)
    const messages = log.take()
    expect(messages.length).toBeLessThan(5)
    for (const message of messages) expect(message.length).toBeLessThan(1000)
    for (let number = 0; number < 900; number++) log.add(number + 30_001, 10 + number * 20)
    expect(log.take().map((content) => content.readUInt16BE(2))).toEqual([400, 400, 100])
  })
})
