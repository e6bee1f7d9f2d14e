import { ROLE_COLORS } from '@portico/contract/role-colors'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

type Rgb = readonly number[]

const css = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')
const PAIR = /([\w-]+)(?:'\] \{\s*--named)?: light-dark\((#\w+), (#\w+)\)/g
const pairsIn = (file: string) => new Map([...css(file).matchAll(PAIR)].map(([, name = '', ...pair]) => [name, pair]))
const tokens = pairsIn('tokens.css')
const named = pairsIn('named-colors.css')

/** What names are shown on, and what is laid over it: hovered and selected rows, rows that mention the reader, chips. */
const SURFACES = ['--bg-1', '--bg-2', '--raised']
const OVERLAYS = ['--hover', '--selected', '--mention', '--accent-tint']

/** Where a role is mentioned: messages, with a tint of its own color. */
const MESSAGES = '--bg-2'
const MENTION_TINT = '1a'

describe('named colors', () => {
  test('exist for every color of a role', () => {
    expect([...named.keys()]).toEqual([...ROLE_COLORS])
  })

  test.each(ROLE_COLORS)('are readable on every surface of both themes: %s', (name) => {
    for (const theme of [0, 1]) {
      const shade = named.get(name)?.[theme] ?? ''
      const token = (name: string): string => tokens.get(name)?.[theme] ?? ''
      const groundsOf = (name: string): Rgb[] => {
        const surface = over(token(name), WHITE)
        return [surface, ...OVERLAYS.map((overlay) => over(token(overlay), surface))]
      }
      const mentions = groundsOf(MESSAGES).map((ground) => over(shade + MENTION_TINT, ground))
      for (const ground of [...SURFACES.flatMap(groundsOf), ...mentions]) {
        expect(contrast(over(shade, WHITE), ground)).toBeGreaterThanOrEqual(4.5)
      }
    }
  })
})

const WHITE: Rgb = [1, 1, 1]

/** A color, possibly translucent, on a surface. */
function over(hex: string, surface: Rgb): Rgb {
  const [red = NaN, green = NaN, blue = NaN, alpha = 1] = (hex.slice(1).match(/../g) ?? []).map(
    (part) => parseInt(part, 16) / 255,
  )
  return [red, green, blue].map((part, index) => part * alpha + (surface[index] ?? NaN) * (1 - alpha))
}

/** As WCAG 2 defines it. */
function contrast(one: Rgb, other: Rgb): number {
  const [darker = NaN, lighter = NaN] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: Rgb): number {
  const [red = NaN, green = NaN, blue = NaN] = color.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
