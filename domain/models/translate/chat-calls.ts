import type { WrittenCall } from '../openai-message.ts'
import { type AnswerEvent, isWhole } from './answer.ts'

/** A call of a stream so far. */
interface Call {
  key: string
  id: string
  name: string
  arguments: string
  /** Whether the builder has the call; it gets a call once the name is known. */
  isTold: boolean
}

/**
 * Puts the pieces of a stream's calls together. OpenAI numbers its calls and gives each an id and a name in its first
 * piece; other servers leave out the number or the id, number every call 0, or repeat id and name in every piece.
 */
export class CallReader {
  readonly #byIndex = new Map<number, Call>()
  readonly #all: Call[] = []

  read(written: WrittenCall): AnswerEvent[] {
    const known = this.#known(written)
    const call = known && !isAnother(known, written) ? known : this.#add(written)
    if (repeats(call, written)) return []
    call.id ||= written.id
    call.name ||= written.name
    call.arguments += written.arguments
    if (call.isTold) return [{ type: 'arguments', key: call.key, text: written.arguments }]
    return call.name === '' ? [] : tell(call)
  }

  /** The calls whose names never came. */
  readEnd(): AnswerEvent[] {
    return this.#all.filter(({ isTold }) => !isTold).flatMap(tell)
  }

  #known({ index, id, name }: WrittenCall): Call | undefined {
    if (index !== null) return this.#byIndex.get(index)
    const last = this.#all.at(-1)
    if (id === '') return last
    return this.#all.find((call) => call.id === id) ?? (name === '' ? last : undefined)
  }

  #add({ index }: WrittenCall): Call {
    const call = { key: String(this.#all.length), id: '', name: '', arguments: '', isTold: false }
    this.#all.push(call)
    if (index !== null) this.#byIndex.set(index, call)
    return call
  }
}

/** Whether a piece that seems to belong to a call begins another one. */
function isAnother(call: Call, written: WrittenCall): boolean {
  if (written.name === '' || call.name === '') return false
  if (written.id !== '' && call.id !== '') return written.id !== call.id
  return written.name !== call.name || (isWhole(call.arguments) && !['', call.arguments].includes(written.arguments))
}

/** Whether a piece has the arguments once more that a call has already. */
const repeats = (call: Call, written: WrittenCall): boolean =>
  call.arguments !== '' && (written.isWhole || (written.arguments === call.arguments && isWhole(call.arguments)))

function tell(call: Call): AnswerEvent[] {
  call.isTold = true
  const { key, id, name } = call
  return [
    { type: 'call', key, id, name },
    { type: 'arguments', key, text: call.arguments },
  ]
}
