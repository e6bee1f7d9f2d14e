import { lazyDialog } from '#ui/lazy-dialog.svelte.ts'

/** The dialog with all shortcuts, shown by the shell. */
export const shortcutsDialog = lazyDialog(() => import('./ShortcutsDialog.svelte'))
