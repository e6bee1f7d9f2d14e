import { m } from '#paraglide/messages.js'

export type Captured = 'microphone' | 'camera'

/**
 * Why a microphone or camera can't be used. `insecure`: the page wasn't loaded over HTTPS. `blocked`: by the person or a
 * policy. `system`: by the operating system. `absent`: there is none. `busy`: another program uses it.
 */
export type CaptureProblem = 'insecure' | 'blocked' | 'system' | 'absent' | 'busy' | 'failed'

/** Explains an error of `getUserMedia`. */
export function captureProblem(error: unknown, isSecure: boolean = globalThis.isSecureContext): CaptureProblem {
  if (!isSecure) return 'insecure'
  if (!(error instanceof Error)) return 'failed'
  switch (error.name) {
    case 'NotAllowedError':
    case 'SecurityError':
      // Chromium says so if the browser itself may not use the device.
      return /system/i.test(error.message) ? 'system' : 'blocked'
    case 'NotFoundError':
    case 'OverconstrainedError':
    case 'DevicesNotFoundError':
      return 'absent'
    case 'NotReadableError':
    case 'AbortError':
    case 'TrackStartError':
      return 'busy'
    default:
      return 'failed'
  }
}

const TEXTS: Readonly<Record<Captured, Readonly<Record<CaptureProblem, () => string>>>> = {
  microphone: {
    insecure: m.microphone_insecure,
    blocked: m.microphone_blocked,
    system: m.microphone_system,
    absent: m.microphone_absent,
    busy: m.microphone_busy,
    failed: m.microphone_failed,
  },
  camera: {
    insecure: m.camera_insecure,
    blocked: m.camera_blocked,
    system: m.camera_system,
    absent: m.camera_absent,
    busy: m.camera_busy,
    failed: m.camera_failed,
  },
}

/** What is wrong, and what to do about it. */
export function problemText(captured: Captured, problem: CaptureProblem): string {
  return TEXTS[captured][problem]()
}
