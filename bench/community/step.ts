import type { Observed } from './load-program.ts'

export interface Step extends Observed {
  readonly online: number
  /** Shares of one core. */
  readonly cpu: { readonly portico: number; readonly postgres: number; readonly load: number }
  /** What the process has grown by since nobody was online, in kB for each person. */
  readonly memoryPerPerson: number
}

export function lineOf({
  online,
  delivery,
  deliveries,
  sends,
  requests,
  failures,
  cpu,
  memoryPerPerson,
}: Step): string {
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`
  return (
    `${online} online: delivery p50 ${delivery.p50.toFixed(0)}, p99 ${delivery.p99.toFixed(0)} ms ` +
    `(${deliveries} deliveries of ${sends} messages, ${requests} requests, ${failures} failed); CPU: Portico ${percent(cpu.portico)}, ` +
    `PostgreSQL ${percent(cpu.postgres)}, load ${percent(cpu.load)}; ${memoryPerPerson.toFixed(1)} kB a person`
  )
}
