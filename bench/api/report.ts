import type { Figure, Measured, Ratio } from './measure.ts'

/** One contest as two small tables: what each contender did, and how they compare. */
export function tableOf({ contest, connections, figures, ratios }: Measured): string {
  const title = `${contest}, ${connections === 1 ? '1 connection' : `${connections} connections`}`
  return [title, ...align([HEAD, ...figures.map(row)]), ...ratios.map(sentence), ''].join('\n')
}

const HEAD = ['', 'answers/s', 'p50 ms', 'p99 ms', 'Node CPU µs', 'PostgreSQL CPU µs']

function row({ contender, perSecond, p50, p99, nodeCpu, postgresCpu }: Figure): string[] {
  const cpu = (microseconds: number | undefined): string => microseconds?.toFixed(0) ?? '–'
  return [contender, perSecond.toFixed(0), p50.toFixed(2), p99.toFixed(2), cpu(nodeCpu), cpu(postgresCpu)]
}

function sentence({ of, against, ratio, aim, met }: Ratio): string {
  const judged = aim === undefined ? '' : ` (aim: ${percent(aim)}, ${met ? 'met' : 'MISSED'})`
  return `  ${of} at ${percent(ratio)} of ${against}${judged}`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

function align(rows: readonly (readonly string[])[]): string[] {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const pad = (text: string, column: number): string =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return rows.map((cells) => `  ${cells.map(pad).join('  ')}`)
}
