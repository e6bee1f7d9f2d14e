import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findOptions, parseOptions, type ReadableOption } from './parse-options.ts'
import { splitCommand } from './split-command.ts'

const ADA = '0199d2f4-5b1e-7c44-a1d3-3a6f0c2e9b57'
const DEPLOY: readonly ReadableOption[] = [
  { name: 'service', type: 'string', required: true, max: 20 },
  { name: 'count', type: 'integer', min: 1, max: 9 },
  { name: 'share', type: 'number' },
  { name: 'force', type: 'boolean' },
  { name: 'where', type: 'choice', choices: [{ value: 'staging' }, { value: 'live', label: 'Production' }] },
]
const REMIND: readonly ReadableOption[] = [
  { name: 'who', type: 'member', required: true },
  { name: 'text', type: 'string', required: true },
]
const PLACES: readonly ReadableOption[] = [
  { name: 'room', type: 'room' },
  { name: 'role', type: 'role' },
]

const problemsOf = (rest: string, options: readonly ReadableOption[]) =>
  parseOptions(rest, options).errors.map(({ option, problem }) => `${option ?? ''} ${problem}`.trim())

describe('splitCommand', () => {
  test.each([
    ['/deploy api', '/deploy', ' api'],
    ['  /Deploy', '/deploy', ''],
    ['/погода Тверь ', '/погода', ' Тверь'],
  ])('takes %j apart', (text, name, rest) => {
    expect(splitCommand(text)).toEqual({ name, rest })
  })

  test.each(['deploy', '/', '/usr/bin', 'see /deploy'])('finds no command in %j', (text) => {
    expect(splitCommand(text)).toBeUndefined()
  })
})

describe('parseOptions', () => {
  test.each([
    ['api', { service: 'api' }],
    ['api 3 0.5 yes live', { service: 'api', count: 3, share: 0.5, force: true, where: 'live' }],
    ['where:production api', { service: 'api', where: 'live' }],
    ['count:3 "two words"', { service: 'two words', count: 3 }],
    [String.raw`service:"a \"quote\"" SHARE:1,5`, { service: 'a "quote"', share: 1.5 }],
    ['«и ещё» force:Нет', { service: 'и ещё', force: false }],
    ['http://api', { service: 'http://api' }],
    ['"unclosed -0', { service: '"unclosed' }],
  ])('reads %s', (rest, options) => {
    expect(parseOptions(rest, DEPLOY).options).toMatchObject(options)
  })

  test.each([
    ['', ['service missing']],
    ['a 0', ['count too_small']],
    ['a 10', ['count too_large']],
    ['a 1.5', ['count not_integer']],
    ['a 99999999999999999999', ['count not_integer']],
    ['a count:', ['count not_integer']],
    ['a share:much', ['share not_number']],
    ['a force:perhaps', ['force not_boolean']],
    ['a where:moon', ['where not_choice']],
    ['a 1 2 yes live too', ['too_many']],
    ['service:a service:b', ['service twice']],
    [`${'a'.repeat(21)} count:x`, ['service too_long', 'count not_integer']],
  ])('says what is wrong with %j', (rest, problems) => {
    expect(problemsOf(rest, DEPLOY)).toEqual(problems)
  })

  test('gives the last text all that is left', () => {
    const options = { who: ADA, text: 'call "mum"  today' }
    expect(parseOptions(` <@${ADA}>  call "mum"  today `, REMIND)).toEqual({ options, errors: [] })
    expect(parseOptions(`"call mum" who:<@${ADA}>`, REMIND).options).toEqual({ who: ADA, text: 'call mum' })
  })

  test('resolves members, rooms and roles', () => {
    const asked: string[] = []
    const resolve = (type: string, written: string) => {
      asked.push(`${type} ${written}`)
      return written === 'general' ? 'the id' : undefined
    }
    expect(parseOptions(`#general <@&${ADA}>`, PLACES, resolve)).toMatchObject({
      options: { room: 'the id' },
      errors: [{ option: 'role', problem: 'not_role', message: 'role must be a mention of a role.' }],
    })
    expect(asked).toEqual(['room general', `role ${ADA}`])
    const link = `[#two words](https://chat.example/c/${ADA}/${ADA})`
    expect(parseOptions(`role:<@&${ADA}> ${link}`, PLACES)).toEqual({ options: { role: ADA, room: ADA }, errors: [] })
    expect(problemsOf(`# <@${ADA}>`, PLACES)).toEqual(['room not_room', 'role not_role'])
    expect(problemsOf(`<@&${ADA}> call`, REMIND)).toEqual(['who not_member'])
    expect(problemsOf('@Ada call', REMIND)).toEqual(['who not_member'])
  })

  test('reads back everything that is written with names and quotation marks, in any order', () => {
    const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
    const given = fc.record({
      service: fc.string({ minLength: 1, maxLength: 9 }),
      count: fc.integer({ min: 1, max: 9 }),
      who: fc.uuid(),
    })
    const options = [...DEPLOY, REMIND[0]!]
    fc.assert(
      fc.property(given, fc.constantFrom(1, -1), ({ service, count, who }, order) => {
        const words = [`service:${quoted(service)}`, `count:${count}`, `who:<@${who}>`]
        const line = words.toSorted((a, b) => order * a.localeCompare(b)).join(' ')
        expect(parseOptions(line, options)).toEqual({ options: { service, count, who }, errors: [] })
      }),
    )
  })

  test('never throws, and finds text in the order in which it was written, without overlaps', () => {
    const word = fc.constantFrom(
      'service:',
      'count:3',
      '"',
      '“a b”',
      "'",
      '\\',
      ' ',
      '\n',
      'where:live',
      '<@',
      '#',
      '-',
      'ы',
      '😀',
    )
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const rest = words.join('')
        expect(parseOptions(rest, DEPLOY).errors.every(({ message }) => message !== '')).toBe(true)
        let end = 0
        for (const written of findOptions(rest, DEPLOY)) {
          expect(written.start).toBeGreaterThanOrEqual(end)
          expect(written.end).toBeGreaterThan(written.start)
          end = written.end
        }
        expect(end).toBeLessThanOrEqual(rest.length)
      }),
    )
  })
})
