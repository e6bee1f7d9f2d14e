import { LIMITS } from '@portico/contract'
import type { OperationInput } from '#api/api.ts'

/**
 * What is reported of an error. Its message may quote what people wrote, so only the code of an error of Svelte is taken
 * from it; of the stack, only the files of the portal with lines and columns.
 */
export function defectOf(place: string, { name, message, stack = '' }: Error): OperationInput<'reportDefect'> {
  const code = /svelte\.dev\/e\/([a-z_]+)/.exec(message)?.[1]
  const frames = [...stack.matchAll(/\/_app\/immutable\/([\w./-]{1,120}:\d{1,9}:\d{1,9})/g)]
  return {
    place,
    name: (code ?? name).replace(/[^\w.-]/g, '_').slice(0, 64) || 'Error',
    stack: frames.slice(0, LIMITS.defectFrames).flatMap(([, frame]) => frame ?? []),
  }
}
