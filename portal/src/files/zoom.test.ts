import { describe, expect, test } from 'vitest'
import { Zoom } from './zoom.svelte.ts'

const zoom = () => new Zoom(() => ({ width: 400, height: 300 }))

describe('Zoom', () => {
  test('enlarges in steps and comes back to the exact fit', () => {
    const one = zoom()
    for (let step = 0; step < 3; step += 1) one.in()
    expect(one.scale).toBeCloseTo(3.375)
    for (let step = 0; step < 3; step += 1) one.out()
    expect(one.scale).toBe(1)
    expect(one.transform).toBe('translate(0px, 0px) scale(1)')
  })

  test('has a limit in both directions', () => {
    const one = zoom()
    one.by(1000)
    expect(one.scale).toBe(8)
    one.by(0.0001)
    expect(one.scale).toBe(1)
  })

  test('keeps the point under the pointer, and the picture in the stage', () => {
    const one = zoom()
    one.by(2, { x: 100, y: 0 })
    expect(one.transform).toBe('translate(-100px, 0px) scale(2)')
    one.moveBy(-5000, 5000)
    expect(one.transform).toBe('translate(-200px, 150px) scale(2)')
    one.reset()
    expect(one.transform).toBe('translate(0px, 0px) scale(1)')
  })
})
