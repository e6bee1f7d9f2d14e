import type { Emoji } from './emoji-data.ts'

/** How well an emoji matches, lower is better; undefined if it doesn't. */
function matchRank({ label, names, keywords }: Emoji, wanted: string): number | undefined {
  const labels = [label.en, label.ru].map((one) => one.toLowerCase())
  if (names.includes(wanted) || labels.includes(wanted)) return 0
  if ([...labels, ...names].some((one) => one.startsWith(wanted))) return 1
  if ([...labels.flatMap((one) => one.split(' ')), ...keywords].some((one) => one.toLowerCase().startsWith(wanted)))
    return 2
  return labels.some((one) => one.includes(wanted)) ? 3 : undefined
}

/** The emoji that match what was typed, in either language, best first. */
export function findEmoji(all: readonly Emoji[], typed: string): Emoji[] {
  const wanted = typed.trim().toLowerCase().replaceAll('ё', 'е')
  if (wanted === '') return []
  return all
    .map((emoji, order) => ({ emoji, order, rank: matchRank(emoji, wanted) }))
    .filter((found): found is typeof found & { rank: number } => found.rank !== undefined)
    .toSorted((a, b) => a.rank - b.rank || a.order - b.order)
    .map(({ emoji }) => emoji)
}
