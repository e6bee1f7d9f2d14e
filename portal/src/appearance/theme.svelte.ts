import { readStored, writeStored } from '#storage/local-storage.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

function isTheme(value: unknown): value is Theme {
  return THEMES.some((theme) => theme === value)
}

const initial = readStored('theme', isTheme) ?? 'system'
let chosen = $state<Theme>(initial)
show(initial)

function show(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  for (const bar of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const scheme = bar.dataset['scheme']
    const system = `(prefers-color-scheme: ${scheme})`
    bar.media = theme === 'system' ? system : theme === scheme ? 'all' : 'not all'
  }
}

export const theme = {
  get chosen(): Theme {
    return chosen
  },
  choose(next: Theme): void {
    chosen = next
    writeStored('theme', next)
    show(next)
  },
}
