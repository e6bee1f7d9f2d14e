import { lazyDialog } from '#ui/lazy-dialog.svelte.ts'

/** Jumps to any room, channel or person; shown by the shell. */
export const switcher = lazyDialog(() => import('./Switcher.svelte'))
