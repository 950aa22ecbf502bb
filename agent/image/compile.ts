import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** The programs of a machine, in `agent/`. */
export const programs = ['main.ts', 'launcher.ts', 'runtime/main.ts', 'runtime/mcp-server.ts'].map((file) =>
  join(import.meta.dirname, '..', file),
)

/**
 * Writes to the folder `cache` what Node makes of these programs. With that folder as NODE_COMPILE_CACHE, a process
 * never loads Node's TypeScript parser, which takes 20 MB. Each program loads its modules and then ends because its
 * variables are missing.
 */
export function compile(files: string[], cache: string, node = process.execPath): void {
  for (const file of files) spawnSync(node, [file], { env: { NODE_COMPILE_CACHE: cache } })
}

/** `node agent/image/compile.ts FOLDER [PROGRAM…]` compiles the machine's programs, and these as well. */
if (import.meta.main) {
  const [, , folder = '', ...others] = process.argv
  compile([...programs, ...others], folder)
}
