import type { PortName, Ports } from '../../adapters/ports.ts'
import type { Basics } from '../../app/ports/basics.ts'
import type { Connection } from '../../domain/socket/connection.ts'
import type { ClientMessage } from '../../domain/socket/message.ts'
import type { Uses } from './access.ts'
import type { AnyOperation } from './operation.ts'

interface SocketRoutes<U extends PortName = PortName> {
  /** The handler of `$connect`, in the pipeline of every request; a refusal refuses the handshake. */
  connect: { users: AnyOperation; machines: AnyOperation }
  uses: Uses<U>
  /** The client or API Gateway has ended the connection. */
  disconnected(context: { connection: Connection; deps: Pick<Ports, U> & Basics }): Promise<void>
  /** A message of an open connection within its limit. */
  receive(context: { connection: Connection; message: ClientMessage; deps: Pick<Ports, U> & Basics }): Promise<void>
}

export const socketRoutes = <U extends PortName>(declared: SocketRoutes<U>): SocketRoutes<U> => declared

// biome-ignore lint/suspicious/noExplicitAny: a list of areas is contravariant in each context
export type AnySocketRoutes = SocketRoutes<any>
