import type { Random } from '../random/random.ts'
import type { Part } from '../world/part.ts'
import type { Fault, Occurrence } from './fault.ts'

/** In milliseconds. */
const FROZEN = { from: 1_000, to: 30_000 }
const DOWN = { from: 200, to: 6_000 }

/** Processes are killed and started again, or suspended for a while. Of several of a kind, one is hit. */
export function processFaults(parts: readonly Part[]): Fault[] {
  const kinds = Map.groupBy(parts, ({ kind }) => kind)
  return kinds
    .entries()
    .flatMap(([kind, ofKind]) => {
      const group = ofKind[0]?.group ?? kind
      const canFreeze = ofKind.every(({ freeze }) => freeze !== undefined)
      return [
        { name: `kill-${kind}`, group, plan: (random: Random) => kill(one(ofKind, random), random) },
        ...(canFreeze
          ? [{ name: `freeze-${kind}`, group, plan: (random: Random) => freeze(one(ofKind, random), random) }]
          : []),
      ]
    })
    .toArray()
}

function kill(part: Part, random: Random): Occurrence {
  return {
    hit: part.name,
    lasts: random.between(DOWN.from, DOWN.to),
    begin: () => part.kill(),
    end: () => part.startAgain(),
  }
}

function freeze(part: Part, random: Random): Occurrence {
  return {
    hit: part.name,
    lasts: random.between(FROZEN.from, FROZEN.to),
    begin: async () => part.freeze?.(),
    end: async () => part.resume?.(),
  }
}

function one(parts: readonly Part[], random: Random): Part {
  const part = random.pick(parts)
  if (!part) throw new Error('there is nothing to hit')
  return part
}
