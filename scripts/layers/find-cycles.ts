/** For each knot of folders that import each other, one shortest way around, such as `db → files → db`. */
export function findCycles(imports: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const cycles: string[][] = []
  const untied = new Set<string>()
  for (const folder of imports.keys()) {
    if (untied.has(folder)) continue
    const cycle = shortestWayBack(imports, folder)
    if (!cycle) continue
    cycles.push(cycle)
    for (const member of reachable(imports, folder)) if (reachable(imports, member).has(folder)) untied.add(member)
  }
  return cycles
}

function shortestWayBack(imports: ReadonlyMap<string, ReadonlySet<string>>, start: string): string[] | undefined {
  const seen = new Set<string>()
  let ways = [[start]]
  while (ways.length > 0) {
    ways = ways.flatMap((way) => [...(imports.get(way.at(-1) ?? '') ?? [])].map((next) => [...way, next]))
    const back = ways.find((way) => way.at(-1) === start)
    if (back) return back
    ways = ways.filter((way) => {
      const last = way.at(-1) ?? ''
      return !seen.has(last) && seen.add(last)
    })
  }
  return undefined
}

function reachable(imports: ReadonlyMap<string, ReadonlySet<string>>, start: string): Set<string> {
  const found = new Set<string>()
  const open = [start]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const next of imports.get(folder) ?? []) {
      if (found.has(next)) continue
      found.add(next)
      open.push(next)
    }
  }
  return found
}
