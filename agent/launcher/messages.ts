import type { Socket } from 'node:net'
import { parseObject } from '../kit/json.ts'
import type { GroupUsage } from '../kit/usage.ts'

export type Order =
  | { kind: 'start'; file: string; args: string[]; environment: Record<string, string>; cwd: string }
  | { kind: 'signal'; signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' }
  | { kind: 'measure' }

/** The launcher's messages to the supervisor, its key first. Later messages may come from the runtime instead. */
export type Report =
  | { kind: 'launcher'; key: string }
  | { kind: 'started'; pid: number }
  | { kind: 'ended'; because: string | number; outOfMemory: boolean }
  | { kind: 'signalled' }
  | ({ kind: 'measured' } & GroupUsage)

/** Variables of 64 KiB, escaped, fit into an order. */
export const mostOrderBytes = 1024 * 1024
export const mostReportBytes = 4 * 1024

export const tell = (socket: Socket, message: Order | Report): void => void socket.write(`${JSON.stringify(message)}\n`)

/** Passes on each line as a message; ends a connection whose line is longer than `most` bytes. */
export function hear<T extends Order | Report>(
  socket: Socket,
  most: number,
  take: (message: Partial<T>) => void,
): void {
  let rest = Buffer.alloc(0)
  socket.on('data', (part: Buffer) => {
    rest = Buffer.concat([rest, part])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      take(parseObject<T>(rest.toString('utf8', 0, end)))
      rest = rest.subarray(end + 1)
    }
    if (rest.length > most) socket.destroy()
  })
}
