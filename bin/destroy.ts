/**
 * `npm run destroy -- --stage <name>`: removes a stage. A stage that keeps its data loses only what the code can
 * recreate; `dev` is removed completely. It first shows what goes and what stays. A run after a failure continues.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  deleteAccessPoints,
  deleteRoles,
  deleteStack,
  deletionState,
  emptyBucket,
  emptyRepository,
  resourcesOf,
  type StackResource,
  stopTasks,
  switchOff,
} from '../adapters/aws/deployment/removal.ts'
import { deployedStack } from '../adapters/aws/deployment/stacks.ts'
import { areas } from '../lambdas/areas.ts'
import { portsOf } from '../lambdas/kit/access.ts'
import { type Area, accessOf } from '../lambdas/kit/area.ts'
import { functionName } from '../lib/functions/functions.ts'
import { machineRolePath } from '../lib/machines/machines.ts'
import { confirm, openStage } from './deploy/account.ts'
import { stacksOf } from './deploy/cdk.ts'
import { describeRemoval, staysOf } from './deploy/removal.ts'
import { main, Stop, say } from './deploy/stop.ts'

const usage = `npm run destroy -- --stage <name>
  --yes               do not ask; without it you must type the stage's name`

const patienceMs = { tasks: 10 * 60_000, stack: 60 * 60_000 }
const betweenMs = 2_000

async function destroy(name: string, yes: boolean): Promise<void> {
  const stage = await openStage(name)
  const stacks = stacksOf(name)
  const [service, state] = [await resourcesOf(stacks.service), await resourcesOf(stacks.state)]
  const held = { service, state, retained: await retainedIn(stacks.service) }
  if (service.length === 0 && state.length === 0)
    throw new Stop(`The stage ${name} does not exist in this account and Region.`)
  for (const line of describeRemoval(stage, held)) say(line)
  if (service.length === 0 && !stage.disposable) return
  if (!yes) await confirm(`\nType the stage’s name to remove it: `, new RegExp(`^${name}$`))
  if (service.length > 0) {
    await stopMachines(
      service,
      areas.filter(startsMachines).map((area) => functionName(stage, area)),
    )
    const roles = await deleteRoles(machineRolePath(name))
    if (roles > 0) say(`Deleted the roles of ${roles} machines.`)
    await remove(stacks.service)
  }
  if (stage.disposable && state.length > 0) {
    await empty(state)
    await remove(stacks.state)
  }
  say(`\nThe stage ${name} is removed. These resources remain:`)
  const stays = staysOf(stage, held)
  for (const line of stays.length > 0 ? stays : ['nothing']) say(`  ${line}`)
}

/** Logical ids of the resources that a stack's deletion leaves behind. */
async function retainedIn(stack: string): Promise<string[]> {
  const { Resources = {} } = (await deployedStack(stack))?.template ?? {}
  return Object.entries(Resources as Record<string, { DeletionPolicy?: string }>).flatMap(([id, { DeletionPolicy }]) =>
    DeletionPolicy === 'Retain' || DeletionPolicy === 'RetainExceptOnCreate' ? [id] : [],
  )
}

const startsMachines = (area: Area): boolean =>
  portsOf(accessOf(area)).some(([port, level]) => port === 'machines' && level === 'write')

/** A cluster with a running task cannot be deleted. */
async function stopMachines(service: readonly StackResource[], starters: readonly string[]): Promise<void> {
  const made = starters.filter((starter) => service.some(({ name }) => name === starter))
  await Promise.all(made.map(switchOff))
  const until = Date.now() + patienceMs.tasks
  for (const { name } of service.filter(({ type }) => type === 'AWS::ECS::Cluster'))
    for (let shown = -1; ; await sleep(betweenMs)) {
      const running = await stopTasks(name)
      if (running !== shown && (running > 0 || shown > 0)) say(`Stopping machines: ${running} left.`)
      shown = running
      if (running === 0) break
      if (Date.now() > until) throw new Stop(`${running} tasks of ${name} did not stop. Run this again.`)
    }
}

/** Resources that CloudFormation can delete only when they are empty. */
const emptied: Readonly<Record<string, { empties: (name: string) => Promise<number>; what: string }>> = {
  'AWS::S3::Bucket': { empties: emptyBucket, what: 'objects' },
  'AWS::ECR::Repository': { empties: emptyRepository, what: 'images' },
  'AWS::EFS::FileSystem': { empties: deleteAccessPoints, what: 'access points' },
}

async function empty(resources: readonly StackResource[]): Promise<void> {
  for (const { type, name } of resources) {
    const { empties, what } = emptied[type] ?? {}
    const deleted = (await empties?.(name)) ?? 0
    if (deleted > 0) say(`Deleted ${deleted} ${what} of ${name}.`)
  }
}

/** @throws Stop */
async function remove(stack: string): Promise<void> {
  say(`Deleting ${stack} …`)
  await deleteStack(stack)
  for (const until = Date.now() + patienceMs.stack; ; await sleep(betweenMs)) {
    const { status, problems } = await deletionState(stack)
    if (status === 'gone') return
    if (status === 'DELETE_FAILED')
      throw new Stop(
        `CloudFormation could not delete all of ${stack}:\n${problems.map((line) => `  ${line}`).join('\n')}\nFix the problem and run this again to continue.`,
      )
    if (Date.now() > until) throw new Stop(`${stack} is still being deleted (${status}). Run this again.`)
  }
}

await main(async () => {
  const { values } = parseArgs({ options: { stage: { type: 'string' }, yes: { type: 'boolean', default: false } } })
  if (values.stage === undefined) throw new Stop(usage)
  await destroy(values.stage, values.yes)
})
