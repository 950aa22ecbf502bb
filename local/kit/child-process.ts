/** Child processes that never outlive us, not even after `kill -9`. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createServer } from 'node:net'

/*
 * A shell of 1 MB holds the read end of a pipe whose only write end is ours. When we die, the pipe closes, and the
 * shell kills the program. It ends with the program.
 */
const watchScript = 'exec 3<&0; "$@" </dev/null & p=$!; (read _ <&3; kill -9 $p 2>/dev/null) & exec 3<&-; wait $p'

/** Memory allocator settings of `npm start`, for each Node process: without them Node keeps 5 to 6 MB that it freed. */
export const allocatorSettings: Record<string, string> = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_')),
) as Record<string, string> // safe because a variable that is listed has a value

interface GuardedChild {
  /** The exit code. */
  exited: Promise<number | null>
  running(): boolean
  /** Resolves after the end of the program. */
  stop(): Promise<void>
}

/** `log` is the file for the output. The environment is exactly `env` and a PATH. */
export function startGuarded(
  command: string,
  args: string[],
  log: string,
  env: Record<string, string> = {},
): GuardedChild {
  const output = openSync(log, 'a')
  const child: ChildProcess = spawn('/bin/sh', ['-c', watchScript, 'sh', command, ...args], {
    // A separate process group, so that Ctrl-C in a terminal reaches only us and we stop children in order.
    detached: true,
    stdio: ['pipe', output, output],
    env: { PATH: '/usr/bin:/bin', ...env },
  })
  closeSync(output)
  child.stdin?.on('error', () => {})
  const exited = once(child, 'exit').then(([code]) => {
    child.stdin?.destroy()
    return typeof code === 'number' ? code : null
  })
  const running = () => child.exitCode === null && child.signalCode === null
  return {
    exited,
    running,
    stop: async () => {
      child.stdin?.destroy()
      if (running()) await exited
    },
  }
}

/** Another process may take the port before it is used. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No loopback port')
  return address.port
}
