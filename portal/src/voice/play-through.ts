/** Plays an element on a speaker; an empty id is the system's default. */
export async function playThrough(element: HTMLMediaElement, speaker: string): Promise<void> {
  if (speaker !== '' && 'setSinkId' in element) await element.setSinkId(speaker)
  await element.play()
}

/** Two short notes on a speaker. */
export async function playTestSound(speaker: string): Promise<void> {
  const context = new AudioContext()
  const output = context.createMediaStreamDestination()
  const gain = new GainNode(context, { gain: 0 })
  gain.connect(output)
  const begin = context.currentTime + 0.1
  for (const [index, frequency] of [523.25, 783.99].entries()) {
    const at = begin + index * 0.3
    const note = new OscillatorNode(context, { frequency })
    note.connect(gain)
    note.start(at)
    note.stop(at + 0.3)
    gain.gain.setValueAtTime(0, at)
    gain.gain.linearRampToValueAtTime(0.4, at + 0.03)
    gain.gain.linearRampToValueAtTime(0, at + 0.29)
  }
  const element = new Audio()
  element.srcObject = output.stream
  try {
    await playThrough(element, speaker)
    await new Promise((resolve) => setTimeout(resolve, 900))
  } finally {
    element.pause()
    await context.close()
  }
}
