import { unwrapSequence } from '../rtp/unwrap.ts'
import { writeFeedbackContent } from '../rtp/transport-feedback.ts'

/** More than two seconds of 4 Mbit/s. */
const SIZE = 1024
/** As many packets as a message of usual size can tell about. */
const MAX_PER_MESSAGE = 400

/** When the packets of a connection arrived, until that was reported to their sender. */
export class ArrivalLog {
  readonly #numbers = new Float64Array(SIZE).fill(-1)
  readonly #times = new Float64Array(SIZE)
  #highest: number | undefined
  /** The lowest number that hasn't been reported to the sender. */
  #from: number | undefined
  #messages = 0

  add(sequenceNumber: number, now: number): void {
    const extended = unwrapSequence(sequenceNumber, this.#highest)
    if (this.#highest !== undefined && extended <= this.#highest - SIZE) return
    this.#highest = Math.max(extended, this.#highest ?? extended)
    this.#from = Math.min(extended, this.#from ?? extended)
    this.#numbers[extended % SIZE] = extended
    this.#times[extended % SIZE] = now
  }

  /** The contents of the messages that are due, oldest first. */
  take(): Buffer[] {
    const messages: Buffer[] = []
    if (this.#from === undefined || this.#highest === undefined) return messages
    let from = Math.max(this.#from, this.#highest - SIZE + 1)
    while (from <= this.#highest) {
      const arrivals: (number | null)[] = []
      const end = Math.min(this.#highest + 1, from + MAX_PER_MESSAGE)
      for (let number = from; number < end; number++) arrivals.push(this.#timeOf(number))
      const feedback = { baseSequence: from & 0xffff, feedbackCount: this.#messages++, arrivals }
      const { content, written } = writeFeedbackContent(feedback)
      messages.push(content)
      from += written
    }
    // Numbers after these are reported from the next one on, so that a loss in between is seen.
    this.#from = this.#highest + 1
    return messages
  }

  /** Whether anything has arrived since the last message. */
  get isDue(): boolean {
    return this.#highest !== undefined && this.#from !== undefined && this.#from <= this.#highest
  }

  #timeOf(extended: number): number | null {
    return this.#numbers[extended % SIZE] === extended ? this.#times[extended % SIZE]! : null
  }
}
