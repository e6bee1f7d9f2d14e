import { isApple, type Combination } from './shortcuts.ts'

/** The keys of a combination as they are labeled. */
export function formatKeys({ key, mod, alt, shift }: Combination): string[] {
  const names: Readonly<Record<string, string>> = isApple ? APPLE_NAMES : NAMES
  return [
    mod && (isApple ? '⌘' : 'Ctrl'),
    alt && (isApple ? '⌥' : 'Alt'),
    shift && (isApple ? '⇧' : 'Shift'),
    names[key] ?? (key.length === 1 ? key.toUpperCase() : key),
  ].filter((part): part is string => typeof part === 'string')
}

const NAMES = { ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc', PageUp: 'Page Up', PageDown: 'Page Down' }
const APPLE_NAMES = { ...NAMES, Enter: '↩', Tab: '⇥', Delete: '⌦' }
