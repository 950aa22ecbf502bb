import { momentBefore, readUpTo } from '../../domain/chat/event.ts'
import { type Connection, isReader, mayHear } from '../../domain/socket/connection.ts'
import type { ClientMessage } from '../../domain/socket/message.ts'
import type { Events } from '../ports/chat.ts'
import { type PushPorts, pushText, sendAll, tellMachine } from './push.ts'

type ReceivePorts = PushPorts & { events: Events }

/** Events read and sent at once. */
const pageLength = 100

/** Handles a connection's message; a message for another kind of client is ignored. */
export async function receive(deps: ReceivePorts, from: Connection, message: ClientMessage): Promise<void> {
  const { userId } = from.actor
  if (message.action === 'text') {
    if (isReader(from)) return
    const { action: _, to, ...piece } = message
    return pushText(deps, userId, piece, to)
  }
  if (!isReader(from)) return
  if (message.action === 'missing') return askForText(deps, from, message.promptId, message.from)
  await Promise.all([resume(deps, from, message.after), askForText(deps, from, null, 0)])
}

/** Sends a reader the events after one, or since a moment ago. */
async function resume(deps: ReceivePorts, reader: Connection, after: string | null): Promise<void> {
  const nowMs = deps.clock.now()
  const start = after ?? momentBefore(nowMs)
  let youngest: string | undefined
  for (let more = true; more; ) {
    const page = await deps.events.after(reader.actor.userId, youngest ?? start, pageLength)
    const events = page.filter((event) => mayHear(reader, event, nowMs))
    if (events.length > 0) await sendAll(deps, [reader], { type: 'events', events })
    youngest = page.at(-1)?.id ?? youngest
    more = page.length === pageLength
  }
  await sendAll(deps, [reader], { type: 'resumed', upTo: readUpTo(start, youngest) })
}

/** Requests the text of one growing reply, or of all, from the user's machine for this reader. */
async function askForText(deps: ReceivePorts, reader: Connection, promptId: string | null, from: number) {
  if (!mayHear(reader, { type: 'message.progress' }, deps.clock.now())) return
  await tellMachine(deps, reader.actor.userId, { type: 'missing', to: reader.id, promptId, from })
}
