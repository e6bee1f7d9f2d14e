import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Admissions } from './admissions.ts'

const [ROOM, ADA, BOB] = [randomUUID(), randomUUID(), randomUUID()]
const GRANT = { roomId: ROOM, identity: ADA, name: 'Ada', canPublish: true, canSubscribe: true }

function letting(judge: Parameters<Admissions['judgeBy']>[0] = () => Promise.resolve()): Admissions {
  const admissions = new Admissions()
  admissions.judgeBy(judge)
  return admissions
}

describe('admit', () => {
  test('lets clients in with what their token allows', async () => {
    const entered: unknown[] = []
    expect(await letting().admit(GRANT, (grant) => entered.push(grant))).toBe(true)
    expect(entered).toEqual([GRANT])
  })

  test('refuses a client that the check removes, and applies its mute', async () => {
    const admissions = new Admissions()
    const entered: unknown[] = []
    admissions.judgeBy(async ({ roomId, identity }) => admissions.remove(roomId, identity))
    expect(await admissions.admit(GRANT, (grant) => entered.push(grant))).toBe(false)
    expect(entered).toEqual([])
    admissions.judgeBy(async ({ roomId, identity }) => admissions.permit(roomId, identity, false))
    expect(await admissions.admit(GRANT, (grant) => entered.push(grant))).toBe(true)
    expect(entered).toEqual([{ ...GRANT, canPublish: false }])
  })

  test('refuses a client that is kicked while the check passes, and nobody else', async () => {
    const admissions = new Admissions()
    const checked = Promise.withResolvers<void>()
    admissions.judgeBy(() => checked.promise)
    const entered: string[] = []
    const admitted = [ADA, BOB].map((identity) =>
      admissions.admit({ ...GRANT, identity }, () => entered.push(identity)),
    )
    admissions.remove(ROOM, ADA)
    admissions.remove(randomUUID(), BOB)
    checked.resolve()
    expect(await Promise.all(admitted)).toEqual([false, true])
    expect(entered).toEqual([BOB])
    expect(await admissions.admit(GRANT, () => undefined)).toBe(true)
  })

  test('lets nobody in before there is a check', async () => {
    expect(await new Admissions().admit(GRANT, () => expect.unreachable())).toBe(false)
  })

  test.each([
    ['room', { ...GRANT, roomId: 'studio' }],
    ['person', { ...GRANT, identity: 'recorder' }],
  ])('lets nobody in with an id of a %s that the check can’t know', async (_name, grant) => {
    expect(await letting().admit(grant, () => expect.unreachable())).toBe(false)
  })

  test('lets nobody in when the check fails', async () => {
    const admissions = new Admissions()
    admissions.judgeBy(() => Promise.reject(new Error('no database')))
    const entered: unknown[] = []
    await expect(admissions.admit(GRANT, (grant) => entered.push(grant))).rejects.toThrow('no database')
    expect(entered).toEqual([])
  })
})
