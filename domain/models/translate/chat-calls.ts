import type { WrittenCall } from '../openai-message.ts'
import { type AnswerEvent, isWhole } from './answer.ts'

interface Call {
  key: string
  id: string
  name: string
  arguments: string
  /** False until the name is known and the builder has the call. */
  isTold: boolean
}

/**
 * OpenAI numbers calls and gives id and name in the first piece; other servers leave out the number or the id, number
 * every call 0, or repeat id and name in every piece.
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

/** True when a piece with a call's number begins another call. */
function isAnother(call: Call, written: WrittenCall): boolean {
  if (written.name === '' || call.name === '') return false
  if (written.id !== '' && call.id !== '') return written.id !== call.id
  return written.name !== call.name || (isWhole(call.arguments) && !['', call.arguments].includes(written.arguments))
}

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
