import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export const stage = 'prod'
/** A stage that keeps its data. */
export const settings = {
  account: '123456789012',
  region: 'eu-central-1',
  mailFrom: 'hello@example.com',
  alarmMail: 'ops@example.com',
  budgetDollars: 500,
  discordGateway: true,
}

/** The templates of the stage, with stand-ins for the code. @param sources another release's */
export function assemble(folder: string, sources = root): string[] {
  const wanted = { stubs: join(folder, 'stubs'), assemblies: [{ stage, settings, folder: join(folder, 'out') }] }
  const args = [join(sources, 'test/lib/assemble.ts'), JSON.stringify(wanted)]
  const { status } = spawnSync(process.execPath, args, { cwd: sources, stdio: 'inherit' })
  if (status !== 0) throw new Error('there are no templates')
  return readdirSync(join(folder, 'out')).flatMap((name) =>
    name.endsWith('.template.json') ? [join(folder, 'out', name)] : [],
  )
}
