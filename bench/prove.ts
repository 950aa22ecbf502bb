/**
 * `npm run prove [name …]`: the proofs that take too long, or need too much from outside, for every change. Each is a
 * program `bench/prove/<name>.ts` that installs what it needs, says what it saw and exits with 1 when it does not hold. `name:part`
 * runs a part of one alone.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'prove')
const all = existsSync(folder)
  ? readdirSync(folder).flatMap((file) => (file.endsWith('.ts') ? [file.slice(0, -3)] : []))
  : []
const wanted = process.argv.slice(2).map((each) => each.split(':'))
const unknown = wanted.flatMap(([name = '']) => (all.includes(name) ? [] : [name]))
if (unknown.length > 0) {
  console.error(`There is no proof ${unknown.join(', ')}. There are: ${all.join(', ')}`)
  process.exit(2)
}

const failed: string[] = []
const chosen = wanted.length > 0 ? wanted : all.map((name) => [name])
for (const [name = '', ...part] of chosen) {
  console.log(`== ${[name, ...part].join(':')}`)
  const { status } = spawnSync(process.execPath, [join(folder, `${name}.ts`), ...part], { stdio: 'inherit' })
  if (status !== 0) failed.push(name)
}
if (failed.length > 0) console.log(`Did not hold: ${failed.join(', ')}`)
console.log(`${chosen.length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length > 0 ? 1 : 0
