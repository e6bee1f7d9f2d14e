/** What the reader unfolded, or saw grow, stays so, although rows that are scrolled away leave the page. */
export const unfolded = new Set<string>()
