import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { failedResources } from '../../adapters/aws/deployment/stacks.ts'
import { remediesFor } from './refusals.ts'
import { Stop, say } from './stop.ts'

const top = join(import.meta.dirname, '../..')
export const assembly = join(top, 'cdk.out')

/** Both stacks of a stage, in the order of deployment. */
export const stacksOf = (stage: string) => ({ state: `berth-${stage}-state`, service: `berth-${stage}-service` })

/** @returns whether it succeeded */
function run(args: string[]): boolean {
  // npm puts node_modules/.bin on the PATH.
  return spawnSync('cdk', args, { cwd: top, stdio: 'inherit' }).status === 0
}

/** @param reserves whether functions reserve concurrency @throws Stop */
export function synthesise(stage: string, reserves: boolean): void {
  say('Building and synthesising …')
  const context = ['--context', `stage=${stage}`, ...(reserves ? [] : ['--context', 'reserve=no'])]
  if (!run(['synth', '--quiet', ...context, '--output', assembly]))
    throw new Stop('cdk synth failed. Fix the problem that it names. Nothing was changed.')
}

const mend = 'CloudFormation printed above what failed, and rolled back. Fix the problem and run this again.'

/**
 * @param app the folder of the templates
 * @param next what to do when it fails for a reason that we don't know
 * @throws Stop
 */
export async function deployStack(
  stack: string,
  parameters: Record<string, string> = {},
  app = assembly,
  next = mend,
): Promise<void> {
  say(`\nDeploying ${stack} …`)
  const begunMs = Date.now()
  const parameterArgs = Object.entries(parameters).flatMap(([name, value]) => [
    '--parameters',
    `${stack}:${name}=${value}`,
  ])
  const args = ['deploy', stack, '--app', app, '--exclusively', '--require-approval', 'never', '--progress', 'events']
  if (run([...args, ...parameterArgs])) return
  const remedies = remediesFor(await failedResources(stack, begunMs - clockMs).catch(() => []))
  throw new Stop([`cdk deploy failed.`, ...(remedies.length > 0 ? remedies : [next])].join('\n'))
}

/** The difference between this computer's clock and AWS's. */
const clockMs = 60_000
