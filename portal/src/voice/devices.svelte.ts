import { m } from '#paraglide/messages.js'
import { showToast } from '#ui/toasts.svelte.ts'
import { DEVICE_KINDS, voiceSettings, type DeviceKind } from './voice-settings.svelte.ts'

let known = $state.raw<readonly MediaDeviceInfo[]>([])
/** False before the browser has listed its devices: until then a chosen device counts as present. */
let listed = false
let watchers = 0
const listeners = new Set<(kind: DeviceKind) => void>()

/** The microphones, cameras and speakers of this device. Their names are known once the browser allowed using one. */
export const devices = {
  /** Without the system's default, which browsers list in addition to the device itself. */
  of: (kind: DeviceKind): readonly MediaDeviceInfo[] =>
    known.filter((device) => device.kind === kind && device.deviceId !== '' && device.deviceId !== 'default'),

  /** The chosen device while it is connected, or else empty: the system's default. */
  inUse(kind: DeviceKind): string {
    const chosen = voiceSettings.current.devices[kind]
    return !listed || known.some((device) => device.kind === kind && device.deviceId === chosen) ? chosen : ''
  },

  async refresh(): Promise<void> {
    const found = (await navigator.mediaDevices?.enumerateDevices().catch(() => undefined)) ?? []
    // Without permission the list has no ids, so nothing can be said about the chosen ones.
    const isNamed = found.some(({ deviceId }) => deviceId !== '')
    const before = known
    const inUse = new Map(DEVICE_KINDS.map((kind) => [kind, devices.inUse(kind)]))
    known = found
    listed ||= isNamed
    for (const [kind, id] of inUse) {
      if (devices.inUse(kind) === id) continue
      const gone = before.find((device) => device.kind === kind && device.deviceId === id)
      if (gone) showToast(() => goneText(kind, gone.label))
      for (const listener of listeners) listener(kind)
    }
  },

  /** Keeps the list up to date. Returns a function that stops it. */
  watch(): () => void {
    if (watchers === 0) navigator.mediaDevices?.addEventListener('devicechange', onDeviceChange)
    watchers += 1
    void devices.refresh()
    return () => {
      watchers -= 1
      if (watchers === 0) navigator.mediaDevices?.removeEventListener('devicechange', onDeviceChange)
    }
  },

  /** Calls back when a chosen device disappeared or came back. Returns a function that stops it. */
  onChange(listener: (kind: DeviceKind) => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}

function onDeviceChange(): void {
  void devices.refresh()
}

function goneText(kind: DeviceKind, name: string): string {
  const text = {
    audioinput: m.device_microphone_gone,
    audiooutput: m.device_speaker_gone,
    videoinput: m.device_camera_gone,
  }
  return text[kind]({ name })
}
