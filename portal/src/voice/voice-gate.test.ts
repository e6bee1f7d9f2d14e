import { describe, expect, test } from 'vitest'
import { VoiceGate } from './voice-gate.ts'

describe('VoiceGate', () => {
  test('opens immediately at its threshold and stays closed below it', () => {
    const gate = new VoiceGate(-50)
    expect(gate.hear(-51, 0)).toBe(false)
    expect(gate.hear(-50, 20)).toBe(true)
  })

  test('stays open in the pauses between words, and closes after them', () => {
    const gate = new VoiceGate(-50)
    gate.hear(-20, 0)
    expect(gate.hear(-90, 400)).toBe(true)
    expect(gate.hear(-90, 401)).toBe(false)
    expect(gate.hear(-20, 500)).toBe(true)
  })
})
