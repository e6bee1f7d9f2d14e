import type { Answers } from './run-bots.ts'

const DAY_MS = 24 * 60 * 60_000
const SYNODIC_MONTH_MS = 29.530588 * DAY_MS
const A_NEW_MOON = Date.UTC(2000, 0, 6, 18, 14)
const MAX_LENGTH = 40
const MAX_MINUTES = 24 * 60

/** Almanac knows the date and the moon. Its weather is made up, the same for a city all day. */
export const almanac: Answers<'almanac'> = {
  '/небо': async (ctx) => {
    const city = nameOf(ctx.rest, 'городом')
    const { clouds } = weatherOf(city)
    await ctx.reply(`Сегодня над ${city}: Луна ${moonlight(Date.now())} %, облака ${clouds} %. Одевайтесь теплее.`)
  },
  '/weather': async (ctx) => {
    const city = nameOf(ctx.rest, 'Prague')
    const { celsius, clouds, wind } = weatherOf(city)
    await ctx.reply(`**${city}**: ${celsius} °C, clouds ${clouds} %, wind ${wind} m/s.`)
  },
  '/today': async (ctx) => {
    await ctx.reply(`${today()} ${moon()}`)
  },
  '/напомни': async (ctx) => {
    const [minutes = '', ...about] = ctx.args
    const text = about.join(' ').slice(0, 200)
    const delay = Number(minutes)
    if (!(delay > 0 && delay <= MAX_MINUTES) || text === '') {
      await ctx.reply('Через сколько минут и о чём? `/напомни 10 снять чайник`')
      return
    }
    await ctx.reply(`Записал: через ${minutes} мин., «${text}».`)
    // The process may end meanwhile: the demo forgets its reminders.
    setTimeout(() => void ctx.reply(`Напоминаю: «${text}».`).catch(() => undefined), delay * 60_000).unref()
  },
  '/help': async (ctx) => {
    await ctx.reply(
      'I am **Almanac**: `/today`, `/weather [city]`, `/небо [город]`, `/напомни <минуты> <о чём>`. I make up the weather.',
    )
  },
}

/** What Almanac says unasked, in turn. */
export const REMARKS: readonly (() => string)[] = [
  today,
  moon,
  () => `The weather in Prague, made up: ${weatherOf('Prague').celsius} °C.`,
  () => 'Type `/` to see what Shipyard and I can do.',
]

function today(): string {
  const now = new Date()
  const start = Date.UTC(now.getUTCFullYear(), 0, 0)
  const day = Math.floor((now.getTime() - start) / DAY_MS)
  const date = now.toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })
  return `Today is **${date}**, day ${day} of the year.`
}

function moon(): string {
  const now = Date.now()
  const trend = moonlight(now + DAY_MS / 4) >= moonlight(now) ? 'waxing' : 'waning'
  return `The moon is ${moonlight(now)} % lit and ${trend}.`
}

/** How much of the moon is lit, in per cent. */
function moonlight(time: number): number {
  const phase = (time - A_NEW_MOON) / SYNODIC_MONTH_MS
  return Math.round(50 * (1 - Math.cos(2 * Math.PI * phase)))
}

function weatherOf(city: string): { celsius: number; clouds: number; wind: number } {
  const day = Math.floor(Date.now() / DAY_MS)
  const seed = [...`${city.toLowerCase()} ${day}`].reduce(
    (sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 9973,
    7,
  )
  return { celsius: (seed % 25) - 2, clouds: (seed % 11) * 10, wind: 1 + (seed % 8) }
}

function nameOf(typed: string, fallback: string): string {
  return typed.trim().slice(0, MAX_LENGTH) || fallback
}
