import { flushCompileCache } from 'node:module'

/** Until what a start needs is compiled. */
const startedMs = 500

/** Keeps what Node made of the code for the next start: by itself Node does so at a process's own end alone, and most are killed. */
export function keepCompiled(): void {
  setTimeout(flushCompileCache, startedMs).unref()
}
