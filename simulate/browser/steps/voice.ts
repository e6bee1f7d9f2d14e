import type { Step } from './step.ts'

const KEYS = [
  'voice_mute',
  'voice_unmute',
  'voice_deafen',
  'voice_undeafen',
  'stream_camera_on',
  'stream_camera_off',
  'voice_chat',
  'voice_settings',
  'video_float',
  'video_full',
  'go_live',
  'go_live_end',
  'stream_watch',
] as const

export const talk: Step = {
  name: 'join a voice room',
  weight: 3,
  run: async (visitor, { portal }) => {
    const { page, random, isPhone, origin } = visitor
    const room = random.pick(portal.rooms.filter(({ type }) => type !== 'text'))
    if (!room) return 'no voice room'
    visitor.noteInterruption()
    await page.goto(`${origin}/c/${room.channelId}/${room.id}`, { waitUntil: 'domcontentloaded' })
    const names = [visitor.text('voice_join'), visitor.text('voice_join_here'), visitor.text('stream_watch')]
    const join = page.getByRole('button', { name: new RegExp(`^(${names.join('|')})$`) }).first()
    await join.waitFor({ state: 'visible', timeout: 6000 })
    await (isPhone ? join.tap() : join.click())
    return room.name
  },
}

export const useVoice: Step = {
  name: 'use the controls of a call',
  weight: 5,
  run: async (visitor) => {
    const { page, random, isPhone, usage } = visitor
    const leave = random.chance(0.15)
    const key = leave ? 'voice_leave' : usage.pick(random, KEYS, (one) => `call ${one}`)
    if (key === undefined) return 'nothing'
    const button = page.getByRole('button', { name: visitor.text(key) }).first()
    if (!(await button.isVisible())) return `no ${key}`
    usage.use(`call ${key}`)
    // Leaving ends the connection to the media server.
    visitor.noteInterruption()
    await (isPhone ? button.tap() : button.click())
    return key
  },
}
