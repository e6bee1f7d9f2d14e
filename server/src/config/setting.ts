/** What a setting is about, its default, and how its text is read. */
export interface Setting<T> {
  readonly about: string
  /** As shown in the table of settings. */
  readonly fallback: string
  readonly expected: string
  /** Returns undefined for text that does not fit. */
  readonly read: (text: string | undefined) => T | undefined
}

export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition
}

export function text(about: string, fallback: string): Setting<string> {
  return { about, fallback, expected: 'a string', read: (given) => given ?? fallback }
}

export function optional(about: string, min: number): Setting<string | null> {
  return {
    about,
    fallback: '(none)',
    expected: min === 1 ? 'a string' : `at least ${min} characters`,
    read: (given) => {
      if (given === undefined) return null
      return given.length >= min ? given : undefined
    },
  }
}

export function whole(about: string, fallback: number, min: number, max: number): Setting<number> {
  return {
    about,
    fallback: String(fallback),
    expected: `a whole number from ${min} to ${max}`,
    read: (given) => {
      if (given === undefined) return fallback
      const number = /^\d+$/.test(given) ? Number(given) : NaN
      return number >= min && number <= max ? number : undefined
    },
  }
}

export function oneOf<V extends string>(about: string, values: readonly V[], fallback: V): Setting<V> {
  return {
    about,
    fallback,
    expected: `one of ${values.join(', ')}`,
    read: (given) => (given === undefined ? fallback : values.find((value) => value === given)),
  }
}

export function pauses(given: string): readonly number[] | undefined {
  const numbers = given.split(',').map((entry) => (/^\s*\d+(\.\d+)?\s*$/.test(entry) ? Number(entry) : NaN))
  return numbers.length <= 20 && numbers.every((number) => number >= 0 && number <= 604_800) ? numbers : undefined
}
