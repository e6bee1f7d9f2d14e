import type { Figure, Measured, Ratio } from './fan-out.ts'

/** One contest as a small table, and how its contenders compare. */
export function tableOf({ contest, figures, ratios }: Measured): string {
  return [contest, ...align([HEAD, ...figures.map(row)]), ...ratios.map(sentence), ''].join('\n')
}

const HEAD = ['', 'deliveries/s', 'messages/s', 'p50 ms', 'p99 ms', 'Node CPU µs/message', 'PostgreSQL CPU µs/message']

function row(figure: Figure): string[] {
  const cpu = (microseconds: number | undefined): string => microseconds?.toFixed(0) ?? '–'
  const { contender, deliveriesPerSecond, messagesPerSecond, p50, p99, nodeCpu, postgresCpu } = figure
  const rates = [deliveriesPerSecond.toFixed(0), messagesPerSecond.toFixed(0)]
  return [contender, ...rates, p50.toFixed(2), p99.toFixed(2), cpu(nodeCpu), cpu(postgresCpu)]
}

function sentence({ of, against, what, ratio, aim, met }: Ratio): string {
  const shown = (value: number): string => (what === 'p99' ? `${value.toFixed(1)} ×` : `${(value * 100).toFixed(0)} %`)
  const judged = aim === undefined ? '' : ` (aim: ${shown(aim)}, ${met ? 'met' : 'MISSED'})`
  return `  ${of}: ${shown(ratio)} of the ${what} of ${against}${judged}`
}

function align(rows: readonly (readonly string[])[]): string[] {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const pad = (text: string, column: number): string =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return rows.map((cells) => `  ${cells.map(pad).join('  ')}`)
}
