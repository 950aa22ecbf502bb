/**
 * `npm run deploy -- --stage <name>`: deploys a stage. All checks run and all changes are shown before anything
 * changes. A run after a failure continues where the last one stopped.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { noteRelease } from '../adapters/aws/deployment/releases.ts'
import { deployedStack } from '../adapters/aws/deployment/stacks.ts'
import { releasesPath } from '../lib/parameters.ts'
import type { Stage } from '../lib/stage.ts'
import { checkBootstrap, checkRolledBack, confirm, openStage } from './deploy/account.ts'
import { assembly, deployStack, stacksOf, synthesise } from './deploy/cdk.ts'
import { changesOf, describeChanges, isLoss } from './deploy/changes.ts'
import { mayReserve, reservedByCode } from './deploy/concurrency.ts'
import { checkOwnImage } from './deploy/images.ts'
import { preflight } from './deploy/preflight.ts'
import { atOnce, hasCanary, releaseOf } from './deploy/release.ts'
import { smokeTest } from './deploy/smoke.ts'
import { main, Stop, say } from './deploy/stop.ts'

const usage = `npm run deploy -- --stage <name>
  --yes               do not ask; required if a program runs this command
  --anyway            deploy although the checks of the AWS account say that it would fail or be of no use
  --wait <seconds>    the time in which the deployed stage must answer everywhere; 300 by default
  --at-once           send all calls to the new code without a canary, even while an alarm rings: for repairs
  --replace <id>      allow this resource with data to be replaced or removed; may be repeated`

/** Releases that a rollback can choose from. */
const keptReleases = 10

interface Options {
  stage: string
  yes: boolean
  /** Deploys although AWS has not granted all that the stage needs. */
  anyway: boolean
  replace: string[]
  isAtOnce: boolean
  /** Seconds. */
  wait: number
}

async function deploy({ stage: name, yes, anyway, replace, isAtOnce, wait }: Options): Promise<void> {
  const stage = await openStage(name)
  await checkBootstrap(stage)
  await preflight(stage, anyway)
  const stacks = stacksOf(name)
  synthesise(name, await reserves(stage, stacks.service))
  await showChanges(stage, Object.values(stacks), replace)
  if (!yes) await confirm(`\nDeploy this to ${name}? [y/N] `, /^y(es)?$/i)
  await deployStack(stacks.state)
  await checkOwnImage(stage, (await deployedStack(stacks.state))?.outputs ?? {})
  const release = releaseOf(stage, stacks.service)
  const template = templateOf(stacks.service)
  if (hasCanary(template) && !isAtOnce) say(canaryNote)
  await deployStack(stacks.service, isAtOnce ? atOnce(release, template) : {}, assembly, whenTakenBack)
  await finish(name, stacks.service, wait)
  await noteRelease(releasesPath(name), release, keptReleases)
}

const canaryNote =
  'For five minutes, a tenth of the calls goes to the new code; then all calls do. If an alarm rings in this time, CodeDeploy rolls back.'

const whenTakenBack =
  'CloudFormation printed above what failed, and rolled back. If it names a deployment of CodeDeploy, an alarm rang: docs/runbook.md#a-deployment-that-was-rolled-back. Fix the problem and run this again. To deploy a repair while an alarm still rings, use --at-once.'

const templateOf = (stack: string) => JSON.parse(readFileSync(join(assembly, `${stack}.template.json`), 'utf8'))

/** In an account with too little concurrency, the stage is deployed without reservations. */
async function reserves(stage: Stage, stack: string): Promise<boolean> {
  if (!stage.reserves || (await mayReserve((await deployedStack(stack))?.template ?? {}))) return true
  say(
    `This account’s Lambda concurrency is too low to reserve ${reservedByCode} for functions that must always run. The stage is deployed without reservations. npm run doctor -- --stage ${stage.name} says how to request more.`,
  )
  return false
}

/** Stops if a change would delete data that `replace` does not name. */
async function showChanges({ disposable }: Stage, stacks: string[], replace: string[]): Promise<void> {
  for (const stack of stacks) {
    const now = await deployedStack(stack)
    checkRolledBack(stack, now)
    const changes = changesOf(now?.template ?? {}, templateOf(stack))
    say(`\n${stack}${now ? '' : ' (new)'}:`)
    for (const line of describeChanges(changes)) say(`  ${line}`)
    const lost = disposable ? [] : changes.filter((change) => isLoss(change) && !replace.includes(change.id))
    if (lost.length > 0)
      throw new Stop(
        `This would remove resources with data from the stack: ${lost.map(({ id }) => id).join(', ')}. Nothing was changed. To allow it: ${lost.map(({ id }) => `--replace ${id}`).join(' ')}`,
      )
  }
}

async function finish(name: string, stack: string, wait: number): Promise<void> {
  const outputs = (await deployedStack(stack))?.outputs ?? {}
  const origin = outputs.Origin ?? ''
  say('\nRunning the smoke test …')
  const failed = await smokeTest(origin, wait * 1_000, say)
  if (failed.length > 0)
    throw new Stop(
      `Deployed, but the smoke test failed:\n${failed.map((line) => `  ${line}`).join('\n')}\nThe functions’ logs contain the reason (CloudWatch, /aws/lambda/berth-${name}-…). Fix the problem and run this again, or roll back: npm run rollback -- --stage ${name}`,
    )
  say(`\nThe stage ${name} is deployed.`)
  for (const [key, value] of Object.entries(outputs)) say(`  ${key}: ${value}`)
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      stage: { type: 'string' },
      yes: { type: 'boolean', default: false },
      anyway: { type: 'boolean', default: false },
      'at-once': { type: 'boolean', default: false },
      replace: { type: 'string', multiple: true, default: [] },
      wait: { type: 'string', default: '300' },
    },
  })
  const wait = Number(values.wait)
  if (values.stage === undefined || !(wait >= 0)) throw new Stop(usage)
  await deploy({ ...values, stage: values.stage, isAtOnce: values['at-once'], wait })
})
