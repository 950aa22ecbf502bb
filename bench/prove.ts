/**
 * `npm run prove [name …]`: the proofs that take too long, or need too much from outside, for every change. Each is a
 * program `bench/prove/<name>.ts` that installs what it needs, says what it saw and exits with 1 when it does not hold.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'prove')
const all = existsSync(folder)
  ? readdirSync(folder).flatMap((file) => (file.endsWith('.ts') ? [file.slice(0, -3)] : []))
  : []
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`There is no proof ${unknown.join(', ')}. There are: ${all.join(', ')}`)
  process.exit(2)
}

const failed: string[] = []
for (const name of wanted.length > 0 ? wanted : all) {
  console.log(`== ${name}`)
  const { status } = spawnSync(process.execPath, [join(folder, `${name}.ts`)], { stdio: 'inherit' })
  if (status !== 0) failed.push(name)
}
const ran = (wanted.length > 0 ? wanted : all).length
if (failed.length > 0) console.log(`Did not hold: ${failed.join(', ')}`)
console.log(`${ran - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length > 0 ? 1 : 0
