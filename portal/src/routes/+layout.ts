import '#appearance/locale.svelte.ts'

export const ssr = false
