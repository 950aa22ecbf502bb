import type { Event } from '../../domain/chat/event.ts'
import { type Connection, type Ended, endsWith, isReader, mayHear, openingMs } from '../../domain/socket/connection.ts'
import type { MachineMessage, ReaderMessage, TextPiece } from '../../domain/socket/message.ts'
import type { Clock } from '../ports/basics.ts'
import type { Connections, Sockets } from '../ports/socket.ts'

export type PushPorts = { connections: Connections; sockets: Sockets; clock: Clock }

/** Sends an event to a user's readers, as each one's scopes allow; an event may also end connections. */
export async function pushEvent(deps: PushPorts, userId: string, event: Event): Promise<void> {
  const open = await deps.connections.list(userId)
  const nowMs = deps.clock.now()
  const { generation } = event.data
  if (event.type === 'instance.state_changed' && typeof generation === 'number')
    await endAll(deps, open, { generationsBefore: generation })
  const hearing = open.filter((connection) => mayHear(connection, event, nowMs))
  await sendAll(deps, hearing, { type: 'events', events: [event] })
}

export const pushWork = (deps: PushPorts, userId: string): Promise<void> => tellMachine(deps, userId, { type: 'work' })

export const askForReport = (deps: PushPorts, userId: string): Promise<void> =>
  tellMachine(deps, userId, { type: 'report' })

/** No effect without a connected machine. */
export async function tellMachine(deps: PushPorts, userId: string, message: MachineMessage): Promise<void> {
  const machines = (await deps.connections.list(userId)).filter((connection) => !isReader(connection))
  await sendAll(deps, machines, message)
}

/** Sends a reply's progress to a user's readers, or to one reader that lacked it. */
export async function pushText(deps: PushPorts, userId: string, piece: TextPiece, to?: string): Promise<void> {
  const nowMs = deps.clock.now()
  const readers = (await deps.connections.list(userId)).filter(
    (connection) =>
      mayHear(connection, { type: 'message.progress' }, nowMs) && (to === undefined || connection.id === to),
  )
  await sendAll(deps, readers, { type: 'text', ...piece })
}

export async function endConnections(deps: PushPorts, userId: string, ended: Ended): Promise<void> {
  await endAll(deps, await deps.connections.list(userId), ended)
}

/** Forgets a connection only once it has ended: nothing would ever be sent on one that is open and unknown. */
export async function endConnection(deps: Pick<PushPorts, 'connections' | 'sockets'>, ended: Connection) {
  await deps.sockets.end(ended.id)
  await deps.connections.close(ended)
}

const endAll = (deps: PushPorts, open: readonly Connection[], ended: Ended) =>
  Promise.all(open.filter((each) => endsWith(each, ended)).map((each) => endConnection(deps, each)))

/** Removes closed connections, unless they are only being opened. @throws when one could not be written to */
export async function sendAll(
  { connections, sockets, clock }: PushPorts,
  to: readonly Connection[],
  message: ReaderMessage | MachineMessage,
): Promise<void> {
  await Promise.all(
    to.map(async (connection) => {
      const sent = await sockets.send(connection.id, message)
      if (!sent && clock.now() - connection.openedMs > openingMs) await connections.close(connection)
    }),
  )
}
