import type { SentObservation } from '../../domain/agent/observation.ts'

/** As in `domain/socket`: the image holds only this folder. */
export const maxReplyCharacters = 64_000
export const maxPieceCharacters = 5_000
export const firstDraft = (attempt: number): number => attempt * 1000

export const maxReportCharacters = 8_000

/** Minimum interval between two messages, ms. */
const paces = { socket: 100, calls: 500 }

interface Growing {
  draft: number
  text: string
}

/** The unsent part of a reply, for all listeners or one connection. */
interface Delivery {
  promptId: string
  to?: string
  at: number
  until?: number
}

interface GrowingOptions {
  isConnected(): boolean
  /** Sends through the socket. @returns false if that failed */
  send(message: object): boolean
  /** Sends by a call. @returns its status */
  tell(observation: SentObservation): Promise<number>
}

/** Sends the growing replies of the runtime piece by piece. */
export class GrowingReplies {
  readonly #options: GrowingOptions
  readonly #texts = new Map<string, Growing>()
  /** The longest-waiting delivery is first. */
  readonly #deliveries = new Map<string, Delivery>()
  #timer: NodeJS.Timeout | undefined
  #toldMs = 0

  constructor(options: GrowingOptions) {
    this.#options = options
  }

  begin(promptId: string, attempt: number): void {
    this.forget(promptId)
    this.#texts.set(promptId, { draft: firstDraft(attempt), text: '' })
    this.#deliver({ promptId, at: 0 })
  }

  textOf(promptId: string): string {
    const text = this.#texts.get(promptId)?.text ?? ''
    return text.slice(0, wholeEnd(text))
  }

  forget(promptId: string): void {
    this.#texts.delete(promptId)
    for (const [key, delivery] of this.#deliveries) if (delivery.promptId === promptId) this.#deliveries.delete(key)
  }

  /** Adds text at an offset. @returns the known length; less than `from` when a piece is missing */
  grow(promptId: string, from: number, piece: string): number {
    const growing = this.#texts.get(promptId)
    if (!growing || from > growing.text.length) return growing?.text.length ?? from
    const known = growing.text.slice(from, from + piece.length)
    if (known.length < piece.length || known !== piece) {
      const isLonger = piece.startsWith(known)
      growing.text = (growing.text.slice(0, from) + piece).slice(0, maxReplyCharacters)
      if (!isLonger) this.#restart(promptId, growing)
    }
    this.#schedule()
    return growing.text.length
  }

  resend(to: string, promptId: string | null, from: number): void {
    for (const id of promptId === null ? this.#texts.keys() : [promptId]) {
      const until = this.#deliveries.get(id)?.at ?? 0
      if (from < until) this.#deliver({ promptId: id, to, at: from, until })
    }
    this.#schedule()
  }

  /** Resends text that a lost connection may not have delivered. */
  retell(): void {
    for (const [key, delivery] of this.#deliveries) {
      if (delivery.to === undefined) delivery.at = 0
      else this.#deliveries.delete(key)
    }
    this.#schedule()
  }

  #restart(promptId: string, growing: Growing): void {
    growing.draft++
    for (const [key, delivery] of this.#deliveries) {
      if (delivery.promptId !== promptId) continue
      if (delivery.to === undefined) delivery.at = 0
      else this.#deliveries.delete(key)
    }
  }

  #deliver(delivery: Delivery): void {
    const { promptId, to } = delivery
    this.#deliveries.set(to === undefined ? promptId : `${promptId} ${to}`, delivery)
  }

  #endOf({ promptId, until }: Delivery): number {
    return until ?? wholeEnd(this.#texts.get(promptId)?.text ?? '')
  }

  #schedule(): void {
    if (this.#timer || ![...this.#deliveries.values()].some((each) => each.at < this.#endOf(each))) return
    const pace = this.#options.isConnected() ? paces.socket : paces.calls
    this.#timer = setTimeout(() => void this.#tellNext(), Math.max(0, this.#toldMs + pace - Date.now()))
  }

  async #tellNext(): Promise<void> {
    for (const [key, delivery] of this.#deliveries) {
      const growing = this.#texts.get(delivery.promptId)
      if (!growing || delivery.at >= this.#endOf(delivery)) continue
      this.#toldMs = Date.now()
      // Move to the end, so deliveries take turns.
      this.#deliveries.delete(key)
      this.#deliveries.set(key, delivery)
      await this.#tell(delivery, growing)
      break
    }
    for (const [key, each] of this.#deliveries)
      if (each.to !== undefined && each.at >= this.#endOf(each)) this.#deliveries.delete(key)
    this.#timer = undefined
    this.#schedule()
  }

  async #tell(delivery: Delivery, growing: Growing): Promise<void> {
    const { promptId, to, at } = delivery
    const { draft, text } = growing
    const end = Math.min(at + maxPieceCharacters, this.#endOf(delivery))
    const piece = { promptId, from: at, text: text.slice(at, wholeEnd(text, end)) }
    const { isConnected, send, tell } = this.#options
    if (isConnected()) {
      if (send({ action: 'text', ...piece, draft, ...(to !== undefined && { to }) })) delivery.at += piece.text.length
      return
    }
    if (to !== undefined) {
      delivery.at = this.#endOf(delivery)
      return
    }
    const status = await tell({ kind: 'progress', ...piece }).catch(() => 0)
    if (status === 200 && growing.draft === draft) delivery.at = at + piece.text.length
    if (status >= 400 && status < 500 && status !== 429) this.forget(promptId)
  }
}

/** Never splits a surrogate pair. */
function wholeEnd(text: string, end = text.length): number {
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end
}
