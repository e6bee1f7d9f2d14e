import '#texts/locale.svelte.ts'

export const ssr = false
