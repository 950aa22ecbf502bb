import type { Connection } from '../../domain/socket/connection.ts'

export interface Connections {
  /** Stores a connection; returns all of its user, including this one. */
  open(connection: Connection): Promise<Connection[]>
  list(userId: string): Promise<Connection[]>
  find(id: string): Promise<Connection | null>
  close(connection: Connection): Promise<void>
}

export interface Sockets {
  /** Sends a message, in parts if it is long; false when the connection is gone. */
  send(id: string, message: object): Promise<boolean>
  /** Safe to repeat. */
  end(id: string): Promise<void>
}

export type Credentials = Readonly<Partial<Record<'authorization' | 'cookie', string>>>

/** A client's connection, from which streams are written; null marks 15 seconds of silence. */
export interface OpenSocket extends AsyncIterable<unknown> {
  send(message: object): void
  close(): void
}

export interface SocketClient {
  /** Connects as the caller; null when the service refuses. The iteration ends with the connection. */
  connect(credentials: Credentials, signal?: AbortSignal): Promise<OpenSocket | null>
}
