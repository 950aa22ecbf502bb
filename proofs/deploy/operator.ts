/** An operator at a terminal: our commands and the CDK's, against moto with a local service as the deployed one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startBerth } from '../../local/main.ts'
import { startMoto } from '../tools/moto.ts'
import { startCloud } from './cloud.ts'

export const top = join(import.meta.dirname, '../..')
export const name = 'proof'
const file = join(top, 'stages', `${name}.json`)
export const folder = mkdtempSync(join(tmpdir(), 'berth-prove-deploy-'))
const calls = join(folder, 'calls')
export const settings = {
  account: '123456789012',
  region: 'eu-central-1',
  mailFrom: 'hello@example.com',
  alarmMail: 'ops@example.com',
  budgetDollars: 500,
}

/** The stand-in precedes the CDK's own command line on the PATH. */
function placeCdk(): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const text = `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, 'cdk.ts')}" "$@"\n`
  writeFileSync(join(bin, 'cdk'), text)
  chmodSync(join(bin, 'cdk'), 0o755)
  return bin
}

const moto = await startMoto()
export const aws = await startCloud(moto.url)
export const concurrency = (most: number) => ({
  AccountLimit: { ConcurrentExecutions: most, UnreservedConcurrentExecutions: most },
})
/** An account to which AWS has granted everything. */
export const granted = {
  '/2016-08-19/account-settings': concurrency(1_000),
  '/v2/email/account': { ProductionAccessEnabled: true, SendingEnabled: true },
  GetServiceQuota: { Quota: { Value: 60 } },
  DescribeBudgets: { Budgets: [] },
}
Object.assign(aws.answers, granted)
const berth = await startBerth({ port: 0, dataDir: join(folder, 'data'), quiet: true })
export const cloud = {
  AWS_ENDPOINT_URL: aws.url,
  AWS_REGION: settings.region,
  AWS_ACCESS_KEY_ID: 'proof',
  AWS_SECRET_ACCESS_KEY: 'proof',
}
const env = {
  PATH: [placeCdk(), process.env.PATH].join(delimiter),
  HOME: folder,
  CALLS: calls,
  REAL_CDK: join(top, 'node_modules/.bin/cdk'),
  ORIGIN: berth.url,
}
Object.assign(process.env, cloud)

interface Wanted {
  /** `cdk` is the CDK alone, without our command. */
  command?: 'deploy' | 'rollback' | 'doctor' | 'cdk'
  settings?: object
  args?: string[]
  env?: Record<string, string>
  says: RegExp
  exit?: number
  /** The calls of the CDK's command line: `synth`, or the end of a stack's name. */
  touches: string[]
}

export const problems: string[] = []

export async function run(
  what: string,
  {
    command = 'deploy',
    settings: said = settings,
    args = ['--stage', name, '--yes'],
    says,
    exit = 1,
    touches,
    env: more = cloud,
  }: Wanted,
) {
  writeFileSync(file, JSON.stringify(said))
  writeFileSync(calls, '')
  const wait = command === 'doctor' ? [] : ['--wait', '5']
  const [program, given] =
    command === 'cdk'
      ? [join(folder, 'bin/cdk'), args]
      : [process.execPath, [join(top, `bin/${command}.ts`), ...args, ...wait]]
  const child = spawn(program, given, {
    cwd: top,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // The command ends by calling the service in this process, which must therefore not block.
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const asked = readFileSync(calls, 'utf8').split('\n').filter(Boolean)
  const touched = asked.map((call) => call.replace(`berth-${name}-`, ''))
  const right = status === exit && says.test(out + err) && touched.join() === touches.join()
  console.log(`${right ? 'ok  ' : 'FAIL'} ${what}`)
  if (!right) problems.push(`${what}: exit ${status}, touched ${touched.join() || 'nothing'}\n${out}${err}`)
}

/** The release of the service's stack, and its parameters. */
export const given = (): Record<string, string> => JSON.parse(readFileSync(join(folder, 'given'), 'utf8'))
export function check(what: string, right: boolean) {
  console.log(`${right ? 'ok  ' : 'FAIL'} ${what}`)
  if (!right) problems.push(`${what}: the stack was given ${JSON.stringify(given())}`)
}

export async function end(): Promise<void> {
  rmSync(file, { force: true })
  await berth.stop()
  aws.stop()
  await moto.stop()
  rmSync(folder, { recursive: true })
}
