import { checkAnswers } from './answers.ts'
import { checkArrivals } from './arrivals.ts'
import { checkAudit } from './audit.ts'
import { checkCounts } from './counts.ts'
import { checkDelivery } from './delivery.ts'
import { checkDevices } from './devices.ts'
import { checkFiles } from './files.ts'
import { checkIdempotency } from './idempotency.ts'
import { checkKeys } from './keys.ts'
import { checkLeaks } from './leaks.ts'
import { checkMediaConnections } from './media-connections.ts'
import { checkOnce } from './once.ts'
import { checkEventOrder, checkOrder } from './order.ts'
import { checkPush } from './push.ts'
import { checkQuiet } from './quiet.ts'
import { checkQuotas } from './quotas.ts'
import { checkReadPositions } from './read-positions.ts'
import { checkReads } from './reads.ts'
import { checkRights } from './rights.ts'
import { checkSdkBots } from './sdk-bots.ts'
import { checkSettled } from './settled.ts'
import { checkSignIn } from './sign-in.ts'
import { checkStreamQuotas } from './stream-quotas.ts'
import { checkStreams } from './streams.ts'
import { checkTraces } from './traces.ts'
import { Findings, RULES, type Check, type Rule, type Subject, type Violation } from './violation.ts'
import { checkVoice } from './voice.ts'
import { checkWrongRequests } from './wrong-requests.ts'
import type { Run } from '../model/exchanges.ts'
import { Faults } from '../model/fault-spans.ts'
import { readRun } from '../model/read-run.ts'
import { Texts } from '../model/texts.ts'
import { Timeline } from '../model/timeline.ts'

const CHECKS: readonly Check[] = [
  checkAnswers,
  checkRights,
  checkOnce,
  checkIdempotency,
  checkReads,
  checkSettled,
  checkOrder,
  checkEventOrder,
  checkDelivery,
  checkArrivals,
  checkVoice,
  checkQuiet,
  checkQuotas,
  checkStreams,
  checkStreamQuotas,
  checkCounts,
  checkReadPositions,
  checkAudit,
  checkTraces,
  checkPush,
  checkFiles,
  checkDevices,
  checkKeys,
  checkSignIn,
  checkSdkBots,
  checkMediaConnections,
  checkWrongRequests,
  checkLeaks,
]

export interface Checked {
  readonly run: Run
  readonly violations: readonly Violation[]
  /** How many facts of which kind were checked for each rule. */
  readonly facts: ReadonlyMap<Rule, ReadonlyMap<string, number>>
  /** For which share of the time the model knew what channels were like. */
  readonly knownShare: number
}

/** Checks a history against every promise. */
export async function check(path: string): Promise<Checked> {
  return checkRun(await readRun(path))
}

export function checkRun(run: Run, checks: readonly Check[] = CHECKS): Checked {
  const findings = new Findings()
  const subject = subjectOf(run)
  for (const one of checks) one(subject, findings)
  if (checks === CHECKS && run.isComplete && run.head.minutes >= 1) checkCoverage(findings)
  return {
    run,
    violations: findings.violations,
    facts: findings.facts,
    knownShare: subject.timeline.knownShare(run.endsAt),
  }
}

export function subjectOf(run: Run): Subject {
  const faults = new Faults(run.entries)
  return {
    run,
    faults,
    timeline: new Timeline(run.exchanges, faults),
    texts: new Texts(run.exchanges, faults),
  }
}

/** A rule for which nothing was checked would be kept by any program. */
function checkCoverage(findings: Findings): void {
  for (const rule of Object.keys(RULES) as Rule[]) {
    if (findings.countOf(rule) === 0) findings.violated(rule, 'nothing was checked')
  }
}
