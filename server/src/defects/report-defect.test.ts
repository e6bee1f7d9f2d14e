import { LIMITS, RATE_LIMITS } from '@portico/contract'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'

/** The usual limits: those of other tests are lifted. */
await portal({ RATE_LIMIT_FACTOR: '1' })

const DEFECT = { place: 'page', name: 'TypeError', stack: ['chunks/CTgpBkcG.js:1:2723'] }

describe('reportDefect', () => {
  test('writes where the program failed to the log, and limits how often', async () => {
    const { server, owner } = await channelFixture()
    const warned = vi.spyOn(server.services.log, 'warn')
    onTestFinished(() => warned.mockRestore())
    expectOk(await owner.post('/defects', DEFECT))
    await vi.waitFor(() => expect(warned).toHaveBeenCalledWith({ defect: DEFECT }, 'a page of the portal failed'))
    const answers = await Promise.all(
      Array.from({ length: RATE_LIMITS.personDefects }, () => owner.post('/defects', DEFECT)),
    )
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
  })

  test('rejects what could be text of a person, and what is too long', async () => {
    const { owner } = await channelFixture()
    const frame = DEFECT.stack.join()
    for (const wrong of [
      { name: 'my secret' },
      { place: 'x'.repeat(65) },
      { stack: ['my secret:1:1'] },
      { stack: Array.from({ length: LIMITS.defectFrames + 1 }, () => frame) },
    ]) {
      const { status } = await owner.post('/defects', { ...DEFECT, ...wrong })
      expect(status).toBe(400)
    }
  })
})
