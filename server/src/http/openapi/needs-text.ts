import type { Quota } from '@portico/contract'

interface Needs {
  readonly scope?: string | undefined
  readonly right?: string | undefined
  readonly quota?: Quota | undefined
}

/** What a call requires, as text: the end of every operation's description. */
export function needsText({ scope, right, quota }: Needs): string {
  const needs: string[] = []
  if (scope) needs.push(`Needs the scope \`${scope}\`.`)
  if (right) needs.push(`Needs the right \`${right}\`.`)
  if (quota === 'write') needs.push('Uses the write quota.')
  if (quota === 'append') needs.push('Uses the quota of appends.')
  if (quota === 'suggest') needs.push('Uses the quota of suggestions.')
  return needs.join(' ')
}
