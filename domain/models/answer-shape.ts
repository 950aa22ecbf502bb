type AnswerShape = 'json' | 'events' | 'neither'

const mostSpace = 65_536

const decoder = new TextDecoder()
const markers = [':', 'data:', 'event:', 'id:', 'retry:']

/** The shape by the first visible bytes; null until then. Content types are wrong too often to use. */
export function shapeOf(bytes: Uint8Array): AnswerShape | null {
  const isMarkCut = bytes[0] === 0xef && bytes.length < 3
  if (isMarkCut) return null
  const text = decoder.decode(bytes).trimStart()
  if (text === '') return bytes.length > mostSpace ? 'neither' : null
  if (text.startsWith('{')) return 'json'
  if (markers.some((marker) => text.startsWith(marker))) return 'events'
  return markers.some((marker) => marker.startsWith(text)) ? null : 'neither'
}

export const isEventStream = (type: string): boolean => /^\s*text\/event-stream\s*(;|$)/i.test(type)
