/** Whether pages can change how loud they play. On iPhones only the person can, with the device's buttons. */
export function canSetVolume(): boolean {
  const probe = new Audio()
  probe.volume = 0.5
  return probe.volume === 0.5
}
