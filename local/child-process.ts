/** Child processes that never outlive us, not even after `kill -9`. */

import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createServer } from 'node:net'

/*
 * A shell of 1 MB holds the read end of a pipe whose only write end is ours. The pipe closes when we die, however
 * we die, and the shell then kills the program; it ends by itself when the program does.
 */
const WATCH = 'exec 3<&0; "$@" </dev/null & p=$!; (read _ <&3; kill -9 $p 2>/dev/null) & exec 3<&-; wait $p'

/**
 * The settings of the memory allocator that `npm start` has. Each of our Node processes gets them: without them it keeps
 * 5 to 6 MB that it freed.
 */
export const allocatorSettings: Record<string, string> = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_')),
) as Record<string, string> // safe because a variable that is listed has a value

export interface GuardedChild {
  /** Resolves with the exit code once the program is gone. */
  exited: Promise<number | null>
  running(): boolean
  /** Ends the program and resolves when it is gone. */
  stop(): Promise<void>
}

/** Starts a program that dies with us. `log` takes its output; its environment is exactly `env` and a PATH. */
export function startGuarded(
  command: string,
  args: string[],
  log: string,
  env: Record<string, string> = {},
): GuardedChild {
  const output = openSync(log, 'a')
  const child: ChildProcess = spawn('/bin/sh', ['-c', WATCH, 'sh', command, ...args], {
    // Its own process group, so that Ctrl-C in a terminal reaches us alone and we stop things in order.
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

/** A loopback port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No loopback port')
  return address.port
}
