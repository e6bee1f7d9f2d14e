import { readStored, writeStored } from '#storage/local-storage.ts'

export const DEVICE_KINDS = ['audioinput', 'audiooutput', 'videoinput'] as const
export type DeviceKind = (typeof DEVICE_KINDS)[number]

/** When the microphone transmits: always, while someone talks, or while a key is held. */
export const INPUT_MODES = ['always', 'activity', 'push'] as const
export type InputMode = (typeof INPUT_MODES)[number]

/** In decibels below full scale. */
export const THRESHOLDS = { lowest: -80, highest: -10 } as const

export interface VoiceSettings {
  /** Device ids; empty for the system's default. */
  readonly devices: Readonly<Record<DeviceKind, string>>
  readonly inputMode: InputMode
  /** The key that is held to talk, as in `KeyboardEvent.code`: the same key on every keyboard layout. */
  readonly pushKey: string
  /** With voice activation, sound below this level isn't transmitted. */
  readonly threshold: number
  /** The browser's own. */
  readonly noiseSuppression: boolean
  /** The portal's, which takes processor time. */
  readonly speechFilter: boolean
}

const DEFAULTS: VoiceSettings = {
  devices: { audioinput: '', audiooutput: '', videoinput: '' },
  inputMode: 'always',
  pushKey: 'Backquote',
  threshold: -50,
  noiseSuppression: true,
  speechFilter: isFast(),
}

const SETTINGS = 'voice'
const VOLUMES = 'voice-volumes'

let settings = $state.raw(readSettings())
let volumes = $state.raw(readStored(VOLUMES, isVolumes) ?? {})
const listeners = new Set<(before: VoiceSettings) => void>()

/** How this browser uses its devices in voice rooms. Devices differ between browsers, so the account doesn't store it. */
export const voiceSettings = {
  get current(): VoiceSettings {
    return settings
  },
  change(part: Partial<VoiceSettings>): void {
    const before = settings
    settings = { ...settings, ...part }
    writeStored(SETTINGS, settings)
    for (const listener of listeners) listener(before)
  },
  choose(kind: DeviceKind, id: string): void {
    voiceSettings.change({ devices: { ...settings.devices, [kind]: id } })
  },
  /** Calls back after every change. Returns a function that stops it. */
  onChange(listener: (before: VoiceSettings) => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
  /** From 0 to 1. */
  volumeOf: (userId: string): number => volumes[userId] ?? 1,
  setVolume(userId: string, volume: number): void {
    const { [userId]: _, ...others } = volumes
    volumes = volume === 1 ? others : { ...others, [userId]: volume }
    writeStored(VOLUMES, volumes)
  },
}

function readSettings(): VoiceSettings {
  const stored = readStored(SETTINGS, isRecord)
  if (!stored) return DEFAULTS
  const { devices, inputMode, pushKey, threshold, noiseSuppression, speechFilter } = stored
  return {
    devices: isRecord(devices) ? devicesIn(devices) : DEFAULTS.devices,
    inputMode: INPUT_MODES.find((mode) => mode === inputMode) ?? DEFAULTS.inputMode,
    pushKey: typeof pushKey === 'string' ? pushKey : DEFAULTS.pushKey,
    threshold: typeof threshold === 'number' ? threshold : DEFAULTS.threshold,
    noiseSuppression: typeof noiseSuppression === 'boolean' ? noiseSuppression : DEFAULTS.noiseSuppression,
    speechFilter: typeof speechFilter === 'boolean' ? speechFilter : DEFAULTS.speechFilter,
  }
}

/** Whether the machine can filter speech all the time. Browsers that don't tell how much memory it has count as slow. */
function isFast(): boolean {
  const { hardwareConcurrency, deviceMemory = 0 }: Navigator & { deviceMemory?: number } = navigator
  return hardwareConcurrency >= 4 && deviceMemory >= 4
}

function devicesIn(stored: Record<string, unknown>): Record<DeviceKind, string> {
  const idOf = (kind: DeviceKind): string => (typeof stored[kind] === 'string' ? stored[kind] : '')
  return { audioinput: idOf('audioinput'), audiooutput: idOf('audiooutput'), videoinput: idOf('videoinput') }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isVolumes(value: unknown): value is Record<string, number> {
  return (
    isRecord(value) && Object.values(value).every((volume) => typeof volume === 'number' && volume >= 0 && volume <= 1)
  )
}
