import { checkAnswers } from './checks/answers.ts'
import { checkAudit } from './checks/audit.ts'
import { checkCounts } from './checks/counts.ts'
import { checkDelivery } from './checks/delivery.ts'
import { checkLeaks } from './checks/leaks.ts'
import { checkOnce } from './checks/once.ts'
import { checkOrder } from './checks/order.ts'
import { checkQuotas } from './checks/quotas.ts'
import { checkRights } from './checks/rights.ts'
import { checkTraces } from './checks/traces.ts'
import type { Violation } from './checks/violation.ts'
import { readHistory } from './history.ts'
import { indexRun, type Run } from './model/exchanges.ts'
import { Timeline } from './model/timeline.ts'

const CHECKS = [
  checkAnswers,
  checkRights,
  checkOnce,
  checkOrder,
  checkDelivery,
  checkQuotas,
  checkCounts,
  checkAudit,
  checkTraces,
  checkLeaks,
]

export interface Checked {
  readonly run: Run
  readonly violations: readonly Violation[]
}

/** Checks a history against every promise. */
export async function check(path: string): Promise<Checked> {
  const run = indexRun(await readHistory(path))
  const timeline = new Timeline(run.exchanges)
  return { run, violations: CHECKS.flatMap((one) => one(run, timeline)) }
}
