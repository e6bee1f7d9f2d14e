import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { channelFixture, portal } from '../../test/channel-fixture.ts'
import { answerTo, openUpload } from '../../test/open-upload.ts'

const SIZE = { 'content-length': '100000' }

describe('an upload', () => {
  // Node checks its connections every 30 seconds, and so long may an upload be silent.
  test('takes longer than other requests may, but ends without data', { timeout: 120_000 }, async () => {
    const { server } = await portal()
    Object.assign(server.app.server, { headersTimeout: 200, requestTimeout: 200 })
    const { owner, room } = await channelFixture()
    const [slow, silent] = [openUpload(server, owner, room, SIZE), openUpload(server, owner, room, SIZE)]
    const over = new AbortController()
    let left = 100_000
    const sending = (async () => {
      for (; !over.signal.aborted; left -= 1) {
        slow.write('x')
        await sleep(100)
      }
    })()
    const ended = await answerTo(silent, () => silent.write('x')).finally(() => over.abort())
    expect(ended).toMatchObject({ status: 400, body: { field: 'file', reason: 'upload_stalled' } })
    await sending
    expect(await answerTo(slow, () => slow.end('x'.repeat(left)))).toMatchObject({ status: 201 })
  })
})
