/** Requests of a deployment besides CloudFormation's work. The SDK finds credentials and Region. */
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateDescribeStackEvents,
} from '@aws-sdk/client-cloudformation'
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'

export interface DeployedStack {
  /** JSON. */
  template: Record<string, unknown>
  /** `CREATE_COMPLETE`, `ROLLBACK_COMPLETE`, … */
  status: string
  outputs: Readonly<Record<string, string>>
  /** Whether CloudFormation refuses to delete the stack. */
  isProtected: boolean
}

/**
 * The credentials' account (twelve digits) and the credentials as environment variables. `env` names no profile, so
 * that every child process uses exactly this account.
 */
export async function caller(): Promise<{ account: string; env: Record<string, string | undefined> }> {
  const client = new STSClient()
  const { Account = '' } = await client.send(new GetCallerIdentityCommand())
  const { accessKeyId, secretAccessKey, sessionToken } = await client.config.credentials()
  return {
    account: Account,
    env: {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
      AWS_PROFILE: undefined,
      AWS_DEFAULT_PROFILE: undefined,
    },
  }
}

/** The version of the CDK's bootstrap stack; null if the Region was never bootstrapped. */
export async function bootstrapVersion(): Promise<number | null> {
  try {
    const { Parameter } = await new SSMClient().send(
      new GetParameterCommand({ Name: '/cdk-bootstrap/hnb659fds/version' }),
    )
    return Number(Parameter?.Value)
  } catch (error) {
    if (error instanceof ParameterNotFound) return null
    throw error
  }
}

/** Null if the stack does not exist. */
export async function deployedStack(name: string): Promise<DeployedStack | null> {
  const client = new CloudFormationClient()
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }))
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName: name }))
    const outputs = (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue])
    return {
      template: JSON.parse(TemplateBody),
      status: Stacks[0]?.StackStatus ?? '',
      outputs: Object.fromEntries(outputs),
      isProtected: Stacks[0]?.EnableTerminationProtection ?? false,
    }
  } catch (error) {
    // CloudFormation has no separate error for a missing stack.
    if (error instanceof Error && /does not exist/.test(error.message)) return null
    throw error
  }
}

/** A resource that CloudFormation could not create, change or delete. */
export interface FailedResource {
  /** Logical id. */
  id: string
  type: string
  reason: string
}

/** The failures of a stack since a time, ms, the first one first; empty if the stack does not exist. */
export async function failedResources(stack: string, sinceMs: number): Promise<FailedResource[]> {
  const found: FailedResource[] = []
  try {
    for await (const { StackEvents = [] } of paginateDescribeStackEvents(
      { client: new CloudFormationClient() },
      { StackName: stack },
    ))
      for (const event of StackEvents) {
        // The newest event comes first.
        if ((event.Timestamp?.getTime() ?? 0) < sinceMs) return found.reverse()
        const { LogicalResourceId: id = '', ResourceType: type = '', ResourceStatusReason: reason = '' } = event
        const isFollowUp = /^Resource (creation|update|deletion) cancelled/i.test(reason)
        if (/_FAILED$/.test(event.ResourceStatus ?? '') && !isFollowUp) found.push({ id, type, reason })
      }
  } catch (error) {
    if (!(error instanceof Error && /does not exist/.test(error.message))) throw error
  }
  return found.reverse()
}
