import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { programs } from '../../../agent/image/compile.ts'
import { compilePrograms } from '../../../local/start/builds.ts'

const repo = join(import.meta.dirname, '../../..')
/** Prints the names of Node's own modules that the process loaded. */
const probe = `process.on('exit', () => console.log(process.moduleLoadList.join('\\n')))`

/** The modules of Node that the program loads until it ends because its variables are missing. */
function modulesOf(program: string, cache?: string): string {
  const args = [`--import=data:text/javascript,${encodeURIComponent(probe)}`, program]
  const env = cache ? { NODE_COMPILE_CACHE: cache } : {}
  return spawnSync(process.execPath, args, { env, encoding: 'utf8' }).stdout
}

const parser = 'internal/deps/amaro'
const all = [...programs, join(repo, 'gateway/main.ts')]

test('no program of a machine and no listener loads the TypeScript parser', async () => {
  const cache = await compilePrograms(repo)
  for (const program of all) {
    const modules = modulesOf(program, cache)
    expect(modules).toContain('internal/modules/typescript')
    expect([program, modules.includes(parser)]).toEqual([program, false])
  }
  // Without the compile cache, the same check finds the parser.
  expect(modulesOf(all[0] ?? '')).toContain(parser)
})
