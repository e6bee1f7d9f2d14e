import { Type } from 'typebox'
import { LIMITS } from './limits.ts'
import { nothing, operation } from './operation.ts'

/** A word of a program, never of a person. */
const word = {
  pattern: '^[A-Za-z0-9_.-]{1,64}$',
  rule: 'must be 1 to 64 letters, digits, dots, hyphens or underscores',
}

export const reportDefect = operation({
  at: 'POST /defects',
  summary: 'Report an error in a page of the portal, for the portal’s log',
  description: 'Says where the program failed, and nothing of what people have read or written.',
  by: 'person',
  input: Type.Object({
    place: Type.String({ ...word, description: 'The part of the page', examples: ['room'] }),
    name: Type.String({ ...word, description: 'The kind of error', examples: ['TypeError'] }),
    stack: Type.Array(
      Type.String({
        pattern: '^[A-Za-z0-9_./-]{1,120}:[0-9]{1,9}:[0-9]{1,9}$',
        rule: 'must be a file, a line and a column',
        examples: ['chunks/CTgpBkcG.js:1:2723'],
      }),
      { maxItems: LIMITS.defectFrames, description: 'Files, lines and columns of the program, innermost first' },
    ),
  }),
  output: nothing,
})
