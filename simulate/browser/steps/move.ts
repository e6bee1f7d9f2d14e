import type { Visitor } from '../visitor.ts'
import type { Scene, Step } from './step.ts'

const DESKTOP_SIZES = [
  { width: 1280, height: 800 },
  { width: 1000, height: 700 },
  { width: 700, height: 900 },
  { width: 1600, height: 900 },
]
const MOST_TABS = 2

export const openRoom: Step = {
  name: 'open a room',
  weight: 12,
  run: async (visitor, { visitors }) => {
    const { page, random, isPhone, usage } = visitor
    const other = random.pick(visitors.filter((one) => one !== visitor && one.place))
    // Most is found where people meet.
    if (other && random.chance(0.4)) {
      await visitor.ask(`monkey.follow('${new URL(other.page.url()).pathname}')`)
      return `to ${other.name}: ${other.address}`
    }
    const menu = page.getByRole('button', { name: visitor.text('open_menu') }).first()
    if (await menu.isVisible()) await (isPhone ? menu.tap() : menu.click())
    const rooms = await page.$$('nav a[href^="/c/"]')
    const room = random.pick(rooms)
    if (!room) return 'no room'
    const href = (await room.getAttribute('href')) ?? ''
    visitor.noteInterruption()
    await (isPhone ? room.tap() : room.click())
    usage.use('room link')
    return href
  },
}

/** All addresses of the portal, including those that are not for everyone. */
function addresses({ portal }: Scene): string[] {
  const [channel] = portal.channels
  const sections = ['overview', 'rooms', 'roles', 'members', 'bans', 'bots', 'invitations', 'audit-log']
  const settings = [
    'profile',
    'appearance',
    'notifications',
    'voice',
    'sessions',
    'password',
    'websites',
    'keyboard',
    'data',
  ]
  const administration = ['people', 'channels', 'applications', 'portal', 'health', 'audit-log']
  const application = [
    '',
    '/bot',
    '/installations',
    '/commands',
    '/stream',
    '/webhook',
    '/deliveries',
    '/oauth',
    '/why',
  ]
  return [
    '/',
    '/explore',
    '/apps',
    ...application.map((section) => `/apps/${portal.applicationId}${section}`),
    ...settings.map((section) => `/settings/${section}`),
    ...administration.map((section) => `/administration/${section}`),
    ...sections.map((section) => `/c/${channel?.id ?? ''}/settings/${section}`),
    ...portal.channels.map(({ id }) => `/c/${id}`),
    `/install/${portal.applicationId}`,
    `/invite/${portal.invitation}`,
    '/sign-in',
  ]
}

export const openAddress: Step = {
  name: 'open an address',
  weight: 6,
  run: async (visitor, scene) => {
    const { random, usage, page, origin } = visitor
    const known = [...addresses(scene), ...scene.portal.rooms.map(({ id, channelId }) => `/c/${channelId}/${id}`)]
    const path = usage.pick(random, known, (address) => `address ${usage.plain(address)}`)
    if (path === undefined) return 'nothing'
    usage.use(`address ${usage.plain(path)}`)
    visitor.noteInterruption()
    if (random.chance(0.7)) await visitor.ask(`monkey.follow('${path}')`)
    else await page.goto(origin + path, { waitUntil: 'commit' })
    return path
  },
}

export const goBack: Step = {
  name: 'go back or forward',
  weight: 5,
  run: async ({ page, random }) => {
    const way = random.weighted({ back: 3, forward: 2 })
    await page.evaluate(way === 'back' ? 'history.back()' : 'history.forward()')
    return way
  },
}

export const reload: Step = {
  name: 'reload',
  weight: 2,
  run: async (visitor) => {
    visitor.noteInterruption()
    await visitor.page.reload({ waitUntil: 'commit' })
    return visitor.address
  },
}

export const useTabs: Step = {
  name: 'use another tab',
  weight: 3,
  run: async (visitor) => {
    const { tabs, random } = visitor
    if (tabs.length < MOST_TABS) {
      await visitor.openTab(visitor.address)
      return 'opened'
    }
    const other = tabs.find((tab) => tab !== visitor.page)
    if (random.chance(0.4)) {
      visitor.noteInterruption()
      const closed = visitor.page
      if (other) visitor.page = other
      await closed.close({ runBeforeUnload: random.chance(0.5) })
      return 'closed'
    }
    if (other) {
      visitor.page = other
      await other.bringToFront()
    }
    return 'changed'
  },
}

export const resize: Step = {
  name: 'turn or resize',
  weight: 2,
  run: async ({ page, random, isPhone }) => {
    const { width = 390, height = 844 } = page.viewportSize() ?? {}
    const size = isPhone ? { width: height, height: width } : (random.pick(DESKTOP_SIZES) ?? { width, height })
    await page.setViewportSize(size)
    return `${size.width} × ${size.height}`
  },
}

export const changeLook: Step = {
  name: 'change the colors of the system',
  weight: 1,
  run: async ({ page, random }) => {
    const colorScheme = random.pick(['light', 'dark'] as const) ?? 'light'
    await page.emulateMedia({ colorScheme })
    return colorScheme
  },
}

/** Signs in again afterwards, when the address of the page says so. */
export const signOut: Step = {
  name: 'sign out',
  weight: 0.3,
  run: async (visitor: Visitor) => {
    visitor.noteInterruption()
    visitor.typed.settleAll()
    await visitor.context.clearCookies()
    await visitor.page.reload({ waitUntil: 'commit' })
    return 'the session ended'
  },
}
