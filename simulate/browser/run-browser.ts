import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../random/random.ts'
import { startSingle } from '../world/single.ts'
import { watchMachine } from '../world/watch-machine.ts'
import { attemptCheck, attemptStep, waitForUnfinished } from './attempt.ts'
import { checkCalm } from './checks/check-calm.ts'
import { checkStep } from './checks/check-step.ts'
import { Findings } from './findings.ts'
import { FaultyProxy, type Disturbance } from './faulty-proxy.ts'
import { foundPortal, samplePicture } from './found-portal.ts'
import { openVisitors } from './open-visitors.ts'
import type { Counted, RunResult } from './report.ts'
import type { FindMap } from './stacks.ts'
import { allSteps } from './steps/all-steps.ts'
import { changeWhatIsShown, comeBack } from './steps/others.ts'
import { readShortcuts, shortcutNames } from './steps/shortcuts.ts'
import { pickStep, type Scene, type Step } from './steps/step.ts'
import { Usage } from './usage.ts'
import type { LoggedStep, Rule } from './violation.ts'
import { WatchedHistory } from './watched-history.ts'
import type { Visitor } from './visitor.ts'

const STEPS_OF_ROUND = 20
/** In milliseconds: between the steps of one person. */
const PAUSE = { from: 30, to: 500 }

export interface BrowserRun {
  readonly seed: string
  readonly minutes: number
  readonly checkout: string
  /** Emptied first. */
  readonly folder: string
  /** Whether a violation ends the run. */
  readonly isEnough?: (found: Counted) => boolean
  readonly findMap: FindMap
  /** Ends the run early. */
  readonly signal: AbortSignal
  readonly say: (text: string) => void
}

/** Lets four people use the portal in browsers at random, and checks after each step what must be true. */
export async function runBrowser(options: BrowserRun): Promise<RunResult> {
  const { seed, minutes, checkout, folder, isEnough, findMap, signal, say } = options
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await using ending = new AsyncDisposableStack()
  const random = new Random(seed)
  const log = createWriteStream(join(folder, 'steps.jsonl'))
  ending.defer(() => void log.end())
  const names = new Map<string, string>()
  const ended = new AbortController()

  const proxy = await FaultyProxy.start()
  ending.defer(() => proxy.close())
  let complain = (what: string): void => say(what)
  const history = new WatchedHistory(join(folder, 'history.jsonl'), (what) => complain(what))
  ending.defer(() => history.close())
  const stopWatching = watchMachine(history)
  ending.defer(async () => stopWatching())
  const settings = { PUBLIC_URL: proxy.url, WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' }
  const none = new Set<string>()
  const program = { folder, checkout, history, secrets: () => [], settings, faults: none, underWay: none }
  const world = await startSingle({ ...program, random: random.of('world') }, ending)
  proxy.target = world.url

  say('The portal is being founded…')
  const portal = await foundPortal({
    url: world.url,
    origin: proxy.url,
    setUpCode: world.setUpCode,
    random: random.of('founding'),
  })
  for (const { id, name } of portal.rooms) names.set(id, name)
  const people = [...Object.values(portal.people), ...portal.others].map(({ name }) => name)
  const usage = new Usage(() => [...names.values(), ...people, ...portal.channels.map(({ name }) => name)])

  const findings = new Findings({
    folder,
    findMap,
    usage,
    found: (counted) => {
      say(`✗ ${counted.violation.rule}: ${counted.violation.what} (${counted.violation.person})`)
      if (isEnough?.(counted)) ended.abort()
    },
  })
  complain = (what) => findings.add('server', what)
  const violated = (visitor: Visitor, rule: Rule, what: string, stack?: string): void => {
    findings.add(rule, what, visitor, stack)
  }
  let steps = 0
  const logged = (step: LoggedStep): void => {
    steps += 1
    log.write(`${JSON.stringify(step)}\n`)
  }
  const { visitors, close } = await openVisitors({
    portal,
    proxy,
    target: world.url,
    random,
    usage,
    checkout,
    isMachineBusy: () => history.isMachineBusy,
    violated,
    logged,
    lost: (visitor, { isCrash, how }) => {
      say(`The browser of the ${visitor.name} ended by ${how}; another one is opened.`)
      if (isCrash) violated(visitor, 'alive', `Chromium crashed by ${how}`)
    },
  })
  ending.defer(close)

  const shortcuts = await readShortcuts(checkout)
  const scene: Scene = { portal, visitors, added: [], names, picture: await samplePicture() }
  const choices = allSteps(shortcuts)
  say(`Four people act for ${minutes} minutes…`)
  const deadline = performance.now() + minutes * 60_000
  const isOver = (): boolean => ended.signal.aborted || signal.aborted || performance.now() > deadline
  let rounds = 0
  let comparisons = 0
  /** What a busy program doesn’t answer in time is left out. */
  const actForOthers = async (act: () => Promise<void>): Promise<void> => {
    await act().catch((error: unknown) => {
      if (!history.isMachineBusy) findings.add('server', `a request of the simulation failed: ${String(error)}`)
    })
  }
  while (!isOver()) {
    rounds += 1
    await Promise.all(visitors.map((visitor) => actForRound(visitor, scene, choices, isOver)))
    for (const visitor of visitors) await visitor.disturb('none')
    if (ended.signal.aborted) break
    await waitForUnfinished(visitors)
    await actForOthers(() => changeWhatIsShown(scene, random))
    await sleep(1500)
    const compared = await Promise.all(
      visitors.map((visitor) => attemptCheck(visitor, 'compare', () => checkCalm(visitor, scene))),
    )
    comparisons += compared.filter(Boolean).length
    // After the comparison, so that what is left of rooms that were hidden is seen. Some stay away for longer.
    if (random.chance(0.6)) await actForOthers(() => comeBack(portal))
    for (const visitor of visitors) visitor.wasDisturbed = false
  }
  await findings.completed()
  return { seed, minutes, steps, rounds, comparisons, found: findings.all, usage, offered: shortcutNames(shortcuts) }
}

async function actForRound(
  visitor: Visitor,
  scene: Scene,
  choices: readonly Step[],
  isOver: () => boolean,
): Promise<void> {
  const { random } = visitor
  for (let count = 0; count < STEPS_OF_ROUND && !isOver(); count += 1) {
    if (count % 5 === 0) await visitor.disturb(chooseDisturbance(random))
    const step = pickStep(random, choices)
    await attemptStep(visitor, step.name, () => step.run(visitor, scene))
    if (visitor.isNowhere) {
      await visitor.disturb('none')
      await visitor.startOver()
    }
    await attemptCheck(visitor, 'check', () => checkStep(visitor))
    if (visitor.address.startsWith('/sign-in')) {
      await visitor.disturb('none')
      await attemptStep(visitor, 'sign in', () => visitor.signIn())
    }
    await sleep(random.between(PAUSE.from, PAUSE.to))
  }
}

function chooseDisturbance(random: Random): Disturbance {
  return random.weighted({ none: 9, delay: 3, refuse: 3, cut: 2, offline: 2 })
}
