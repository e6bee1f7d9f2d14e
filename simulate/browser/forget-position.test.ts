import { expect, test } from 'vitest'
import { changeEpoch } from './forget-position.ts'

const MASK = Buffer.from([7, 99, 250, 13])

function unmask(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (MASK[index % 4] ?? 0)))
}

function frame(text: string): Buffer {
  const size = Buffer.byteLength(text)
  const head = size < 126 ? Buffer.from([0x81, 0x80 | size]) : Buffer.from([0x81, 0xfe, size >> 8, size & 0xff])
  return Buffer.concat([head, MASK, unmask(Buffer.from(text))])
}

function textsIn(chunk: Buffer, ...sizes: number[]): string[] {
  let at = 0
  return sizes.map((size) => {
    at += (size < 126 ? 2 : 4) + 4
    const text = unmask(chunk.subarray(at, at + size)).toString()
    at += size
    return text
  })
}

test('changes the epoch of the frame that subscribes, and nothing else', () => {
  const connect = '{"id":1,"connect":{}}'
  const subscribe = `{"id":2,"subscribe":{"channel":"events","recover":true,"epoch":"ab12","offset":7,"more":"${'x'.repeat(200)}"}}`
  const chunk = Buffer.concat([frame(connect), frame(subscribe)])
  expect(changeEpoch(chunk)).toBe(true)
  const changed = subscribe.replace('ab12', 'zzzz')
  expect(textsIn(chunk, connect.length, subscribe.length)).toEqual([connect, changed])
})

test('leaves frames without an epoch and parts of frames as they are', () => {
  const whole = frame('{"id":1,"connect":{}}')
  const part = frame('{"epoch":"ab12"}').subarray(0, 12)
  for (const chunk of [whole, part]) {
    const before = Buffer.from(chunk)
    expect(changeEpoch(chunk)).toBe(false)
    expect(chunk).toEqual(before)
  }
})
