/** Those with these ids in the order of the ids, then the others as they were. */
export function inOrder<Item extends { readonly id: string }>(items: Item[], ids: readonly string[]): Item[] {
  const places = new Map(ids.map((id, place) => [id, place]))
  const placeOf = ({ id }: Item): number => places.get(id) ?? ids.length
  return items.toSorted((one, other) => placeOf(one) - placeOf(other))
}
