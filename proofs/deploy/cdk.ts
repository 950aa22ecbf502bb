/**
 * Replaces the CDK's command line where there is no AWS: `synth` is the real one, `deploy` creates the parts of the
 * stack that the emulator knows, with the outputs of a deployment, and runs the project's own custom resource.
 * `deploy --all` synthesises, then deploys each stack after those that it depends on. `FAILS` names the command or stack
 * that fails.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { deployStack } from './stack.ts'

const [command = '', ...args] = process.argv.slice(2)
const folder = join(process.env.CALLS ?? '', '..')

const after = (flag: string): string => args[args.indexOf(flag) + 1] ?? ''
const isOurs =
  command === 'deploy' ? args[0] === '--all' || /-(state|service)$/.test(args[0] ?? '') : command === 'synth'
if (!isOurs || (command === 'synth' && !args.includes('--output'))) {
  noteCall(command === 'deploy' ? (args[0] ?? '') : command)
  process.exit(real(process.argv.slice(2)))
}
if (command === 'synth') synth(after('--context'), after('--output'))
else if (args[0] === '--all') await deployAll(after('-c'))
else await deploy(args[0] ?? '', after('--app'))

function noteCall(call: string): void {
  appendFileSync(process.env.CALLS ?? '', `${call}\n`)
  if (process.env.FAILS && call.endsWith(process.env.FAILS)) process.exit(1)
}

/** The CDK's own. @returns its exit status */
function real(given: string[]): number {
  return spawnSync(process.env.REAL_CDK ?? '', given, { stdio: 'inherit' }).status ?? 1
}

/** The code is the same each time, so each stage's file is synthesised only once. */
function synth(stage: string, output: string): void {
  noteCall('synth')
  const file = join(import.meta.dirname, '../../stages', stage.replace('stage=', ''))
  const said = readFileSync(existsSync(`${file}.ts`) ? `${file}.ts` : `${file}.json`)
  const context = args.filter((_, i) => args[i - 1] === '--context' || args[i - 1] === '-c').join()
  const kept = join(folder, `${stage}-${createHash('sha256').update(said).update(context).digest('hex')}`)
  if (!existsSync(kept)) {
    const given = ['synth', '--quiet', ...context.split(',').flatMap((each) => ['--context', each]), '--output', output]
    if (real(given) !== 0) process.exit(1)
    cpSync(output, kept, { recursive: true })
  }
  rmSync(output, { recursive: true, force: true })
  cpSync(kept, output, { recursive: true })
}

async function deployAll(stage: string): Promise<void> {
  const app = join(folder, 'all')
  synth(stage, app)
  const { artifacts } = JSON.parse(readFileSync(join(app, 'manifest.json'), 'utf8'))
  const waiting = new Set(Object.keys(artifacts).filter((id) => artifacts[id].type === 'aws:cloudformation:stack'))
  while (waiting.size > 0)
    for (const stack of waiting) {
      const dependencies: string[] = artifacts[stack].dependencies ?? []
      if (dependencies.some((id) => waiting.has(id))) continue
      if (/-(state|service)$/.test(stack)) await deploy(stack, app)
      else if (real(['deploy', stack, '--app', app, '--exclusively', '--require-approval', 'never']) !== 0)
        process.exit(1)
      waiting.delete(stack)
    }
}

async function deploy(stack: string, app: string): Promise<void> {
  noteCall(stack)
  const given = args.flatMap((arg, i) =>
    args[i - 1] === '--parameters' ? [arg.slice(arg.indexOf(':') + 1).split('=') as [string, string]] : [],
  ) // safe because the command writes name=value
  if (!(await deployStack(stack, app, Object.fromEntries(given), folder))) process.exit(1)
}
