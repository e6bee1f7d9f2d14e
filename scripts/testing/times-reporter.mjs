import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

/**
 * Writes how long each test file took to the file that PORTICO_TEST_TIMES names.
 *
 * @typedef {{ project: string, file: string, seconds: number, cpuSeconds?: number, referenceSeconds: number }} FileTime
 * @typedef {{ files: FileTime[] }} RunTimes
 */

export default class TimesReporter {
  /** @type {FileTime[]} */
  #files = []

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    const { seconds, cpuSeconds, referenceSeconds } = /** @type {Partial<FileTime>} */ (module.meta())
    // A file whose tests are all skipped runs no hooks.
    if (seconds === undefined || referenceSeconds === undefined) return
    const { project, moduleId } = module
    const file = relative(project.vitest.config.root, moduleId).replaceAll('\\', '/')
    const times = { seconds, ...(cpuSeconds !== undefined && { cpuSeconds }), referenceSeconds }
    this.#files.push({ project: project.name, file, ...times })
  }

  onTestRunEnd() {
    const path = process.env.PORTICO_TEST_TIMES
    if (path) writeFileSync(path, JSON.stringify({ files: this.#files }))
  }
}
