import { on } from 'node:events'
import type { OpenSocket, SocketClient } from '../../app/socket/ports.ts'
import { PartJoiner } from '../../domain/socket/parts.ts'
import type { Env } from '../env.ts'

/** Connects to the WebSocket API as any client of it does. */
export const socketClient = (env: Env): SocketClient => ({
  connect: (credentials, signal) => connect(env, credentials, signal),
})

async function connect(
  env: Env,
  credentials: Parameters<SocketClient['connect']>[0],
  signal?: AbortSignal,
): Promise<OpenSocket | null> {
  const url = env.variable('SOCKET_API').replace(/^http/, 'ws')
  const headers = { ...credentials, origin: env.settings().publicOrigin }
  // safe because Node's WebSocket takes headers, which the standard that its types follow does not know
  const socket = new WebSocket(url, { headers } as unknown as string[])
  const messages = on(socket as unknown as NodeJS.EventEmitter, 'message', { close: ['close', 'error'] })
  const opened = await new Promise<boolean>((resolve) => {
    socket.addEventListener('open', () => resolve(true))
    socket.addEventListener('error', () => resolve(false))
    socket.addEventListener('close', () => resolve(false))
  })
  if (!opened) return null
  signal?.addEventListener('abort', () => socket.close())
  if (signal?.aborted) socket.close()
  const joiner = new PartJoiner()
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
    async *[Symbol.asyncIterator]() {
      for await (const [event] of messages) {
        const message = joiner.receive(String((event as MessageEvent).data))
        if (message !== null) yield message
      }
    },
  }
}
