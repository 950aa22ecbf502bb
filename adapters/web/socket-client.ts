import { on } from 'node:events'
import type { OpenSocket, SocketClient } from '../../app/ports/socket.ts'
import { PartJoiner } from '../../domain/socket/parts.ts'
import type { Env } from '../env.ts'

/** Shorter than the idle timeouts between a stream and its reader. */
const longestSilenceMs = 15_000

export const socketClient = (env: Env, silenceMs = longestSilenceMs): SocketClient => ({
  connect: (credentials, signal) => connect(env, silenceMs, credentials, signal),
})

async function connect(
  env: Env,
  silenceMs: number,
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
      try {
        for (let next = messages.next(); ; ) {
          const got = await orSilence(next, silenceMs)
          if (got?.done) return
          if (got) next = messages.next()
          const message = got && joiner.receive(String((got.value as [MessageEvent])[0].data)) // safe because that is what a message event carries
          if (!got || message !== null) yield message
        }
      } finally {
        socket.close()
      }
    },
  }
}

/** Null after a timeout. */
async function orSilence<T>(next: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null)
  })
  return Promise.race([next, silence]).finally(() => clearTimeout(timer))
}
