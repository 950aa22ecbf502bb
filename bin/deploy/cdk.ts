import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Stop, say } from './stop.ts'

const top = join(import.meta.dirname, '../..')
export const assembly = join(top, 'cdk.out')

/** Both stacks of a stage, in the order of deployment. */
export const stacksOf = (stage: string) => ({ state: `berth-${stage}-state`, service: `berth-${stage}-service` })

/** @throws Stop with what to do next */
function cdk(args: string[], next: string): void {
  // npm puts node_modules/.bin on the PATH.
  const { status } = spawnSync('cdk', args, { cwd: top, stdio: 'inherit' })
  if (status !== 0) throw new Stop(`cdk ${args[0]} failed. ${next}`)
}

/** @param reserves whether functions reserve concurrency @throws Stop */
export function synthesise(stage: string, reserves: boolean): void {
  say('Building and synthesising …')
  cdk(
    [
      'synth',
      '--quiet',
      '--context',
      `stage=${stage}`,
      '--output',
      assembly,
      ...(reserves ? [] : ['--context', 'reserve=no']),
    ],
    'Fix the problem that it names. Nothing was changed.',
  )
}

const mend = 'CloudFormation printed above what failed, and rolled back. Fix the problem and run this again.'

/** @param app the folder of the templates @param next what to do when it fails @throws Stop */
export function deployStack(stack: string, parameters: Record<string, string> = {}, app = assembly, next = mend): void {
  say(`\nDeploying ${stack} …`)
  const parameterArgs = Object.entries(parameters).flatMap(([name, value]) => [
    '--parameters',
    `${stack}:${name}=${value}`,
  ])
  cdk(
    [
      ...['deploy', stack, '--app', app, '--exclusively', '--require-approval', 'never', '--progress', 'events'],
      ...parameterArgs,
    ],
    next,
  )
}
