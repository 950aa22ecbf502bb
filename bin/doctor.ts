/**
 * `npm run doctor -- --stage <name>`: checks everything outside the code that a stage needs, and says how to fix
 * problems. It changes nothing. Exits with 1 if there is a problem.
 */

import { parseArgs } from 'node:util'
import { resourcesOf } from '../adapters/aws/deployment/removal.ts'
import { deployedStack } from '../adapters/aws/deployment/stacks.ts'
import { readSecret } from '../adapters/aws/secrets.ts'
import { PlatformError } from '../app/ports/chat-platform.ts'
import { platforms } from '../domain/channels/platform.ts'
import { channels } from './channels/command.ts'
import type { Finding } from './channels/setup.ts'
import { openStage } from './deploy/account.ts'
import { stacksOf } from './deploy/cdk.ts'
import { preflight } from './deploy/preflight.ts'
import { main, Stop, say } from './deploy/stop.ts'
import { awsChecks } from './doctor/aws.ts'
import type { DoctorContext } from './doctor/context.ts'
import { outsideChecks } from './doctor/outside.ts'
import { stageSecretId } from './stage-secrets.ts'

const usage = `npm run doctor -- --stage <name>
  --no-calls          do not call models; otherwise one word per provider tests its key, for less than a cent`

async function examine(name: string, calls: boolean): Promise<number> {
  const stage = await openStage(name)
  const stacks = stacksOf(name)
  const [state, service] = [await deployedStack(stacks.state), await deployedStack(stacks.service)]
  if (!state || !service) {
    await preflight(stage, true)
    throw new Stop(`The stage ${name} is not deployed: npm run deploy -- --stage ${name}`)
  }
  const context: DoctorContext = {
    stage,
    calls,
    stacks: { state, service },
    resources: [...(await resourcesOf(stacks.state)), ...(await resourcesOf(stacks.service))],
    readSecret: async (secret) => readSecret(await stageSecretId(name, secret)),
  }
  let problems = 0
  for (const { name: what, look } of [...awsChecks(context), ...outsideChecks(context)]) {
    const { found, problem } = await look().catch(failed)
    say(`${problem ? 'wrong' : 'ok   '}  ${what}: ${found}${problem ? `. ${problem}` : ''}`)
    if (problem) problems += 1
  }
  return problems + (await examineChannels(context))
}

const failed = (error: unknown): Finding => ({
  found: 'the check failed',
  problem: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
})

/** Checks the chat platforms whose secret the stage has. */
async function examineChannels({ readSecret: read, stacks }: DoctorContext): Promise<number> {
  let problems = 0
  const place = { origin: undefined, read, write: () => Promise.reject(new Error('the doctor does not write')) }
  for (const platform of platforms) {
    const secret = await read(platform).catch(() => null)
    const isSetUp = Object.values(secret ?? {}).some((value) => value !== '')
    if (!isSetUp) continue
    const options = { origin: stacks.service.outputs.Origin, chat: undefined }
    problems += await channels(['doctor', platform], options, place).catch((error: unknown) => {
      if (!(error instanceof PlatformError)) throw error
      say(`wrong  ${platform}: ${error.message}`)
      return 1
    })
  }
  return problems
}

await main(async () => {
  const { values } = parseArgs({
    options: { stage: { type: 'string' }, 'no-calls': { type: 'boolean', default: false } },
  })
  if (values.stage === undefined) throw new Stop(usage)
  const problems = await examine(values.stage, !values['no-calls'])
  say(problems === 0 ? '\nNo problems.' : `\n${problems} problems.`)
  if (problems > 0) process.exitCode = 1
})
