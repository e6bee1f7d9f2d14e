import { describe, expect, test } from 'vitest'
import { mentionedGroups, mentionedIds, mentionOf, mentionTargets, withNames } from './mentions.ts'

const ADA = '01a05bfb-6e04-7f18-a3b7-92c1e50d8f46'
const STAFF = '01a05bfb-71a6-7d3f-a5c2-7e9b0d4f1c83'
const TEXT = `<@${ADA}>, <@&${STAFF}>, <@everyone> and <@HERE>, also <@${ADA.toUpperCase()}> and @everyone`

describe('mentions in a text', () => {
  test('are members, roles and groups, each once', () => {
    expect(mentionTargets(TEXT)).toEqual([ADA, `&${STAFF}`, 'everyone', 'here'])
    expect(mentionedIds(TEXT)).toEqual([ADA])
    expect(mentionedGroups(TEXT)).toEqual([STAFF, 'everyone', 'here'])
    expect(mentionTargets(TEXT).map(mentionOf)[1]).toBe(`<@&${STAFF}>`)
  })

  test('are shown by their names, and unknown ids as written', () => {
    const names = new Map([[STAFF, 'Staff']])
    expect(withNames(`<@&${STAFF}> <@everyone> <@${ADA}>`, (id) => names.get(id))).toBe(`@Staff @everyone <@${ADA}>`)
  })
})
