import { of } from '../model/exchanges.ts'
import type { Check } from './violation.ts'

/** What may remain of a community after everyone has left: caches and pools that keep something for later. */
const ALLOWED: Readonly<Record<string, (before: number) => number>> = {
  descriptors: (before) => before + 20,
  threads: (before) => before + 6,
  'resident MB': (before) => before * 1.5 + 100,
  files: (before) => before,
}

/** After all actors have disconnected, the program holds no more resources than before they connected. */
export const checkLeaks: Check = ({ run: { entries } }, findings) => {
  const samples = of(entries, 'sample')
  const before = samples.find(({ when }) => when === 'before')
  const after = samples.find(({ when }) => when === 'after')
  if (!before || !after) return
  for (const [name, held] of Object.entries(after.held)) {
    const start = before.held[name] ?? 0
    const kind = Object.keys(ALLOWED).find((one) => name.endsWith(one)) ?? ''
    findings.checked('leaks', kind === '' ? name : kind)
    if (held > (ALLOWED[kind]?.(start) ?? start)) {
      findings.violated('leaks', `${name}: ${held} instead of ${start}`, before, after)
    }
  }
}
