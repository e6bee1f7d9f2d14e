import { describe, expect, test } from 'vitest'
import { Admissions } from './admissions.ts'

const GRANT = { roomId: 'room', identity: 'ada', name: 'Ada', canPublish: true, canSubscribe: true }

describe('admit', () => {
  test('lets clients in with what their token allows', async () => {
    const entered: unknown[] = []
    expect(await new Admissions().admit(GRANT, (grant) => entered.push(grant))).toBe(true)
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
    const admitted = ['ada', 'bob'].map((identity) =>
      admissions.admit({ ...GRANT, identity }, () => entered.push(identity)),
    )
    admissions.remove('room', 'ada')
    admissions.remove('other room', 'bob')
    checked.resolve()
    expect(await Promise.all(admitted)).toEqual([false, true])
    expect(entered).toEqual(['bob'])
    expect(await admissions.admit(GRANT, () => undefined)).toBe(true)
  })

  test('lets nobody in when the check fails', async () => {
    const admissions = new Admissions()
    admissions.judgeBy(() => Promise.reject(new Error('no database')))
    const entered: unknown[] = []
    await expect(admissions.admit(GRANT, (grant) => entered.push(grant))).rejects.toThrow('no database')
    expect(entered).toEqual([])
  })
})
