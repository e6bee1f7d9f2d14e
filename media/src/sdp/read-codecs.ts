import type { Codec } from './description.ts'

const MAX_CODECS = 128
const MAX_PARAMETERS = 32

const PAYLOAD_TYPE = /^\d{1,3}$/
const RTPMAP = /^(\d{1,3}) ([\w-]{1,32})\/(\d{1,7})(?:\/(\d{1,2}))?$/
const FMTP = /^(\d{1,3}) (.{1,1024})$/
const FEEDBACK = /^(\d{1,3}|\*) ([\w -]{1,64})$/
/** What may stand in a parameter that we repeat to others. */
const PARAMETER = /^([\w/-]{1,64})(?:=([\w.:/+-]{0,128}))?$/

interface Draft {
  mime: string
  clockRate: number
  channels: number
  parameters: Map<string, string>
  feedback: string[]
}

/** The codecs with an `a=rtpmap`, in the order of the `m=` line. */
export function readCodecs(formats: string, attributes: readonly string[], kind: string): Codec[] {
  const drafts = new Map<number, Draft>()
  for (const format of formats.split(' ')) {
    if (!PAYLOAD_TYPE.test(format) || Number(format) > 127 || drafts.size >= MAX_CODECS) continue
    drafts.set(Number(format), { mime: '', clockRate: 0, channels: 1, parameters: new Map(), feedback: [] })
  }
  for (const line of attributes) {
    if (line.startsWith('rtpmap:')) readRtpmap(line.slice(7), kind, drafts)
    else if (line.startsWith('fmtp:')) readFmtp(line.slice(5), drafts)
    else if (line.startsWith('rtcp-fb:')) readFeedback(line.slice(8), drafts)
  }
  return [...drafts].flatMap(([payloadType, draft]) => (draft.mime === '' ? [] : [{ payloadType, ...draft }]))
}

function readRtpmap(text: string, kind: string, drafts: ReadonlyMap<number, Draft>): void {
  const [, payloadType, name = '', clockRate, channels] = RTPMAP.exec(text) ?? []
  const draft = drafts.get(Number(payloadType))
  if (!draft || Number(clockRate) === 0) return
  draft.mime = `${kind}/${name.toLowerCase()}`
  draft.clockRate = Number(clockRate)
  draft.channels = Number(channels ?? 1)
}

function readFmtp(text: string, drafts: ReadonlyMap<number, Draft>): void {
  const [, payloadType, list = ''] = FMTP.exec(text) ?? []
  const draft = drafts.get(Number(payloadType))
  if (!draft) return
  for (const part of list.split(';', MAX_PARAMETERS)) {
    const [, key, value] = PARAMETER.exec(part.trim()) ?? []
    if (key !== undefined) draft.parameters.set(key.toLowerCase(), value ?? '')
  }
}

function readFeedback(text: string, drafts: ReadonlyMap<number, Draft>): void {
  const [, payloadType, feedback = ''] = FEEDBACK.exec(text) ?? []
  const targets = payloadType === '*' ? drafts.values() : [drafts.get(Number(payloadType))]
  for (const draft of targets) {
    if (draft && draft.feedback.length < MAX_PARAMETERS) draft.feedback.push(feedback.trim())
  }
}
