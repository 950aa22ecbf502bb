import { flushCompileCache } from 'node:module'

/** By this time everything that a start needs is compiled. */
const startedMs = 500

/** Writes Node's compile cache early. Node writes it only when a process exits, and most are killed. */
export function keepCompiled(): void {
  setTimeout(flushCompileCache, startedMs).unref()
}
