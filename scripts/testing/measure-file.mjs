import { afterAll } from 'vitest'
import { cpuTimeOfTree } from './cpu-time.mjs'
import { timeReferenceWork } from './reference-work.mjs'

// A setup file, which runs at the start of every test file. Its hook is registered first, and so runs after those that stop servers.
const started = { at: performance.now(), cpu: cpuTimeOfTree(process.pid) }

afterAll(({}, { file }) => {
  const cpu = cpuTimeOfTree(process.pid)
  const cpuSeconds = cpu === undefined || started.cpu === undefined ? undefined : cpu - started.cpu
  const seconds = (performance.now() - started.at) / 1000
  Object.assign(file.meta, { seconds, cpuSeconds, referenceSeconds: timeReferenceWork() })
})
