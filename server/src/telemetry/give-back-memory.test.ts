import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'
import { onTestFinished, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { giveBackMemory } from './give-back-memory.ts'

test('an idle process gives back the memory that its start took', async () => {
  const forced: PerformanceEntry[] = []
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (isForced(entry)) forced.push(entry)
  })
  observer.observe({ entryTypes: ['gc'] })
  onTestFinished(() => observer.disconnect())
  onTestFinished(giveBackMemory(20))
  await eventually(() => forced.length).toBeGreaterThan(0)
})

function isForced(entry: PerformanceEntry): boolean {
  const { kind, flags } = (entry as PerformanceEntry & { detail: { kind: number; flags: number } }).detail
  const { NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE } = constants
  return kind === NODE_PERFORMANCE_GC_MAJOR && (flags & NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE) !== 0
}
