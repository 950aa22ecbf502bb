import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

export const programs = ['main.ts', 'launcher.ts', 'runtime/main.ts', 'runtime/mcp-server.ts'].map((file) =>
  join(import.meta.dirname, '..', file),
)

/**
 * Writes Node's compile cache of these programs, so that no process loads the TypeScript parser (20 MB). Each program
 * loads its modules, then ends because its variables are missing.
 */
export function compile(files: string[], cache: string, node = process.execPath): void {
  for (const file of files) spawnSync(node, [file], { env: { NODE_COMPILE_CACHE: cache } })
}

/** `node agent/image/compile.ts FOLDER [PROGRAM…]` compiles the machine's programs and PROGRAMs. */
if (import.meta.main) {
  const [, , folder = '', ...others] = process.argv
  compile([...programs, ...others], folder)
}
