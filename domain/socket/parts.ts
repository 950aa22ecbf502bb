import { parseJson } from '../json.ts'

/** API Gateway takes frames of 32 KiB from a client; a text of this length fits, whatever its characters. */
export const maxPieceCharacters = 5_000

interface MessagePart {
  type: 'part'
  id: string
  part: number
  of: number
  text: string
}

/** API Gateway sends 128 KiB at most; this many characters of JSON inside JSON always fit. */
const partCharacters = 40_000

export function inParts(message: object, id: string): string[] {
  const whole = JSON.stringify(message)
  if (whole.length <= partCharacters) return [whole]
  const count = Math.ceil(whole.length / partCharacters)
  return Array.from({ length: count }, (_, part) => {
    const text = whole.slice(part * partCharacters, (part + 1) * partCharacters)
    return JSON.stringify({ type: 'part', id, part, of: count, text } satisfies MessagePart)
  })
}

/** Joins parts; keeps only the latest few incomplete messages. */
export class PartJoiner {
  readonly #open = new Map<string, Map<number, string>>()

  /** @returns the message that this text is or completes; null while parts are missing or for invalid text */
  receive(text: string): unknown {
    const message = parseJson(text)
    if (!isPart(message)) return message
    const parts = this.#open.get(message.id) ?? new Map<number, string>()
    parts.set(message.part, message.text)
    this.#open.set(message.id, parts)
    for (const old of this.#open.keys()) if (this.#open.size > maxOpen) this.#open.delete(old)
    if (parts.size < message.of) return null
    this.#open.delete(message.id)
    return parseJson(Array.from({ length: message.of }, (_, i) => parts.get(i) ?? '').join(''))
  }
}

const maxOpen = 8

const isPart = (message: unknown): message is MessagePart =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'part'
