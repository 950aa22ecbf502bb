import type { Connection } from '../../domain/socket/connection.ts'

/** The open connections. */
export interface Connections {
  /** Notes a new connection; answers all that its user has, it among them. */
  open(connection: Connection): Promise<Connection[]>
  list(userId: string): Promise<Connection[]>
  find(id: string): Promise<Connection | null>
  close(connection: Connection): Promise<void>
}

/** Writing to open connections. */
export interface Sockets {
  /** Sends a message, in parts if it is long; false when the connection is gone. */
  send(id: string, message: object): Promise<boolean>
  /** Ends a connection. One that is gone already is no error. */
  end(id: string): Promise<void>
}

/** The credentials of a caller, as in a request. */
export type Credentials = Readonly<Partial<Record<'authorization' | 'cookie', string>>>

/** A connection as a client has it, for streams that are written from one; null marks 15 seconds of silence. */
export interface OpenSocket extends AsyncIterable<unknown> {
  send(message: object): void
  close(): void
}

export interface SocketClient {
  /** Connects as the caller; null when the service refuses it. Iterating gives its messages until it ends. */
  connect(credentials: Credentials, signal?: AbortSignal): Promise<OpenSocket | null>
}
