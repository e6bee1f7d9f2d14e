import { recall, remember } from '#remembered.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

function isTheme(value: unknown): value is Theme {
  return THEMES.some((theme) => theme === value)
}

let chosen = $state<Theme>(recall('theme', isTheme) ?? 'system')

export const theme = {
  get chosen(): Theme {
    return chosen
  },
  choose(next: Theme): void {
    chosen = next
    remember('theme', next)
    if (next === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = next
  },
}
