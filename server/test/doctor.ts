import { onTestFinished, vi } from 'vitest'
import { readSettings } from '../src/config/config.ts'
import { unknownSettings } from '../src/config/unknown-settings.ts'
import { runDoctor } from '../src/command-line/doctor.ts'
import type { Ended } from './portico-process.ts'

/**
 * Runs `portico doctor` with these settings in this process, which has loaded most of it already: it has so much to find that
 * starting the program for each finding would take a minute.
 */
export async function runDoctorHere(settings: Record<string, string>): Promise<Ended> {
  const environment = { MEDIA: 'off', HTTPS_PORT: 'off', ...settings }
  const { config, errors } = readSettings(environment)
  const printed = { stdout: '', stderr: '' }
  const writing = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text)
      return true
    }),
  )
  const restore = () => writing.forEach((spy) => spy.mockRestore())
  onTestFinished(restore)
  const check = { errors, unknown: unknownSettings(environment) }
  const start = () => Promise.reject(new Error('the doctor starts no portal'))
  try {
    const code = await runDoctor(config, { operands: [], flags: new Set() }, check, { start })
    return { code, ...printed }
  } finally {
    restore()
  }
}
