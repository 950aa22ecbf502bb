/**
 * A deployment's requests to an account before and after CloudFormation works on it. The SDK finds credentials and
 * Region.
 */
import { CloudFormationClient, DescribeStacksCommand, GetTemplateCommand } from '@aws-sdk/client-cloudformation'
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'

export interface DeployedStack {
  /** As CloudFormation has it: JSON. */
  template: Record<string, unknown>
  /** `CREATE_COMPLETE`, `ROLLBACK_COMPLETE`, … */
  status: string
  outputs: Readonly<Record<string, string>>
}

/**
 * The account that the credentials are of, twelve digits, and those credentials as environment variables: every program
 * that is given them, and no profile, works on this account, in whatever order it looks for its own.
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

/** The version of the CDK's own resources in the Region; null where it was never bootstrapped. */
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

/** A stack as it is now; null when there is none of this name. */
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
    }
  } catch (error) {
    // CloudFormation has no error of its own for it.
    if (error instanceof Error && /does not exist/.test(error.message)) return null
    throw error
  }
}
