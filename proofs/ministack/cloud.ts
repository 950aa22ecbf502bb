import { setTimeout as sleep } from 'node:timers/promises'
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
  paginateDescribeStackEvents,
  type StackEvent,
  UpdateStackCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation'
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm'
import { stage } from '../template/assemble.ts'
import type { Template } from './left-out.ts'

export type Name = 'state' | 'service'
/** In the order in which they are deployed. */
export const names: Name[] = ['state', 'service']
export const stackOf = (name: Name): string => `berth-${stage}-${name}`

const bucket = 'templates'
const formation = new CloudFormationClient()
const s3 = new S3Client({ forcePathStyle: true })

/** An account as `cdk bootstrap` leaves it, as far as the templates read it. */
export async function bootstrap(): Promise<void> {
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  const parameter = { Name: '/cdk-bootstrap/hnb659fds/version', Type: 'String', Value: '30' } as const
  await new SSMClient().send(new PutParameterCommand(parameter))
}

/** A value that each parameter of a template allows; another release is another deployment. */
const valuesFor = (release: string): Record<string, string> => ({
  AgentVersion: `1@sha256:${release.repeat(4)}`,
  GatewayVersion: `1@sha256:${release.repeat(4)}`,
  Release: release,
})

async function input(name: Name, template: Template, release: string) {
  const Key = `${name}.json`
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: JSON.stringify(template) }))
  const values = Object.entries(valuesFor(release)).filter(([key]) => template.Parameters?.[key])
  return {
    StackName: stackOf(name),
    TemplateURL: `https://s3.amazonaws.com/${bucket}/${Key}`,
    Parameters: values.map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
    Capabilities: ['CAPABILITY_IAM' as const, 'CAPABILITY_NAMED_IAM' as const],
  }
}

/** The stack's state once nothing is in progress; undefined when there is no stack. */
async function settled(StackName: string): Promise<string | undefined> {
  for (;;) {
    const found = await formation.send(new DescribeStacksCommand({ StackName })).catch((error: Error) => {
      if (/does not exist/.test(error.message)) return undefined
      throw error
    })
    const status = found?.Stacks?.[0]?.StackStatus
    if (!status?.endsWith('_IN_PROGRESS')) return status
    await sleep(500)
  }
}

export interface Outcome {
  /** CloudFormation's, `refused` for an operation that did not start, or undefined without a stack. */
  status: string | undefined
  failures: string[]
  /** Logical ids of resources that a rollback or deletion left in the account. */
  kept: string[]
}

/** The end of an operation on a stack, with its events. @param from the number of events before it */
async function outcome(StackId: string, StackName: string, from: number): Promise<Outcome> {
  const status = await settled(StackName)
  const events = (await eventsOf(StackId)).slice(from)
  const failed = events.filter(({ ResourceStatus }) => ResourceStatus?.endsWith('_FAILED'))
  const kept = events.filter(({ ResourceStatus }) => ResourceStatus === 'DELETE_SKIPPED')
  return {
    status,
    failures: failed.map(
      (event) => `${event.LogicalResourceId} (${event.ResourceType}): ${event.ResourceStatusReason}`,
    ),
    kept: kept.map(({ LogicalResourceId = '' }) => LogicalResourceId),
  }
}

/** Oldest first. */
async function eventsOf(StackName: string): Promise<StackEvent[]> {
  const events: StackEvent[] = []
  for await (const page of paginateDescribeStackEvents({ client: formation }, { StackName }))
    events.push(...(page.StackEvents ?? []))
  return events.reverse()
}

/** As the CDK creates a stack: the state's is protected before its first resource is made. */
export async function create(name: Name, template: Template, release: string): Promise<Outcome> {
  const wanted = { ...(await input(name, template, release)), EnableTerminationProtection: name === 'state' }
  try {
    const { StackId = '' } = await formation.send(new CreateStackCommand(wanted))
    return await outcome(StackId, stackOf(name), 0)
  } catch (error) {
    return refused(error)
  }
}

/** @throws any other error than one about the template or its parameters */
function refused(error: unknown): Outcome {
  if (!(error instanceof Error && error.name === 'ValidationError')) throw error
  return { status: 'refused', failures: [error.message], kept: [] }
}

/** @returns null when the templates say the same */
export async function update(name: Name, template: Template, release: string): Promise<Outcome | null> {
  const before = (await eventsOf(stackOf(name))).length
  try {
    const { StackId = '' } = await formation.send(new UpdateStackCommand(await input(name, template, release)))
    return await outcome(StackId, stackOf(name), before)
  } catch (error) {
    if (error instanceof Error && /No updates are to be performed/.test(error.message)) return null
    return refused(error)
  }
}

export async function remove(name: Name): Promise<Outcome> {
  const StackName = stackOf(name)
  const { Stacks } = await formation.send(new DescribeStacksCommand({ StackName }))
  const StackId = Stacks?.[0]?.StackId ?? ''
  const before = (await eventsOf(StackId)).length
  const unprotected = { StackName, EnableTerminationProtection: false }
  await formation.send(new UpdateTerminationProtectionCommand(unprotected))
  await formation.send(new DeleteStackCommand({ StackName }))
  return outcome(StackId, StackName, before)
}
