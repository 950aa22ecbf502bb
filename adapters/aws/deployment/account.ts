/** Facts of an account for operators. The SDK finds credentials and Region. */
import { BudgetsClient, AccessDeniedException as BudgetsDenied, DescribeBudgetsCommand } from '@aws-sdk/client-budgets'
import { CloudFrontClient, ListDistributionsCommand } from '@aws-sdk/client-cloudfront'
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DescribeAvailabilityZonesCommand, EC2Client } from '@aws-sdk/client-ec2'
import {
  DescribeTasksCommand,
  ECSClient,
  paginateListTaskDefinitionFamilies,
  paginateListTasks,
} from '@aws-sdk/client-ecs'
import { EFSClient, paginateDescribeAccessPoints } from '@aws-sdk/client-efs'
import { GetAccountSummaryCommand, IAMClient } from '@aws-sdk/client-iam'
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { GetServiceQuotaCommand, ServiceQuotasClient } from '@aws-sdk/client-service-quotas'
import { GetAccountCommand, GetEmailIdentityCommand, NotFoundException, SESv2Client } from '@aws-sdk/client-sesv2'
import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns'
import { GetParameterCommand, ParameterNotFound, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm'

/** Null if the parameter is missing. */
export async function parameter(name: string): Promise<string | null> {
  try {
    const { Parameter } = await new SSMClient().send(new GetParameterCommand({ Name: name }))
    return Parameter?.Value ?? null
  } catch (error) {
    if (error instanceof ParameterNotFound) return null
    throw error
  }
}

export async function writeParameter(name: string, value: string): Promise<void> {
  await new SSMClient().send(new PutParameterCommand({ Name: name, Value: value, Type: 'String', Overwrite: true }))
}

/** The account's SES limits; `perDay` counts mails. */
export async function mailAccount(): Promise<{
  production: boolean
  enabled: boolean
  perDay: number
  sentToday: number
}> {
  const { ProductionAccessEnabled, SendingEnabled, SendQuota } = await new SESv2Client().send(new GetAccountCommand({}))
  return {
    production: ProductionAccessEnabled ?? false,
    enabled: SendingEnabled ?? false,
    perDay: SendQuota?.Max24HourSend ?? 0,
    sentToday: SendQuota?.SentLast24Hours ?? 0,
  }
}

/** Whether SES may send from an address or domain; null if SES does not know it. */
export async function mailIdentity(
  name: string,
): Promise<{ verified: boolean; dkim: string; mailFrom: string } | null> {
  try {
    const found = await new SESv2Client().send(new GetEmailIdentityCommand({ EmailIdentity: name }))
    return {
      verified: found.VerifiedForSendingStatus ?? false,
      dkim: found.DkimAttributes?.Status ?? 'NOT_STARTED',
      mailFrom: found.MailFromAttributes?.MailFromDomainStatus ?? 'NOT_STARTED',
    }
  } catch (error) {
    if (error instanceof NotFoundException) return null
    throw error
  }
}

export async function serviceQuota(service: string, code: string): Promise<number> {
  const { Quota } = await new ServiceQuotasClient().send(
    new GetServiceQuotaCommand({ ServiceCode: service, QuotaCode: code }),
  )
  return Quota?.Value ?? 0
}

/** Number of the account's CloudFront distributions, at most 1. */
export async function distributions(): Promise<number> {
  const { DistributionList } = await new CloudFrontClient().send(new ListDistributionsCommand({ MaxItems: 1 }))
  return DistributionList?.Items?.length ?? 0
}

export async function mayReadBudgets(accountId: string): Promise<boolean> {
  try {
    await new BudgetsClient().send(new DescribeBudgetsCommand({ AccountId: accountId, MaxResults: 1 }))
    return true
  } catch (error) {
    if (error instanceof BudgetsDenied) return false
    throw error
  }
}

/** Ids of the Region's availability zones that this account may use. */
export async function availabilityZones(): Promise<Set<string>> {
  const { AvailabilityZones = [] } = await new EC2Client().send(new DescribeAvailabilityZonesCommand({}))
  const usable = AvailabilityZones.filter(({ State }) => State === 'available')
  return new Set(usable.map(({ ZoneId = '' }) => ZoneId))
}

/** Concurrent executions: the account's limit, and those without a reservation. */
export async function lambdaConcurrency(): Promise<{ limit: number; unreserved: number }> {
  const { AccountLimit } = await new LambdaClient().send(new GetAccountSettingsCommand({}))
  const limit = AccountLimit?.ConcurrentExecutions ?? 0
  return { limit, unreserved: AccountLimit?.UnreservedConcurrentExecutions ?? limit }
}

export async function iamRoles(): Promise<{ used: number; limit: number }> {
  const { SummaryMap = {} } = await new IAMClient().send(new GetAccountSummaryCommand({}))
  return { used: SummaryMap.Roles ?? 0, limit: SummaryMap.RolesQuota ?? 0 }
}

export async function runningVcpus(cluster: string): Promise<{ spot: number; onDemand: number }> {
  const client = new ECSClient()
  const sum = { spot: 0, onDemand: 0 }
  for await (const { taskArns = [] } of paginateListTasks({ client }, { cluster })) {
    if (taskArns.length === 0) continue
    const { tasks = [] } = await client.send(new DescribeTasksCommand({ cluster, tasks: taskArns }))
    for (const { cpu, capacityProviderName } of tasks)
      sum[capacityProviderName === 'FARGATE_SPOT' ? 'spot' : 'onDemand'] += Number(cpu ?? 0) / 1_024
  }
  return sum
}

/** Number of task families with this prefix, one per machine. */
export async function familiesOf(prefix: string): Promise<number> {
  let count = 0
  for await (const { families = [] } of paginateListTaskDefinitionFamilies(
    { client: new ECSClient() },
    { familyPrefix: prefix, status: 'ACTIVE' },
  ))
    count += families.length
  return count
}

export async function accessPoints(fileSystemId: string): Promise<number> {
  let count = 0
  for await (const { AccessPoints = [] } of paginateDescribeAccessPoints(
    { client: new EFSClient() },
    { FileSystemId: fileSystemId },
  ))
    count += AccessPoints.length
  return count
}

/** DynamoDB updates this count every six hours. */
export async function itemsOf(table: string): Promise<number> {
  const { Table } = await new DynamoDBClient().send(new DescribeTableCommand({ TableName: table }))
  return Table?.ItemCount ?? 0
}

export async function subscriptionsOf(topic: string): Promise<{ endpoint: string; confirmed: boolean }[]> {
  const found: { endpoint: string; confirmed: boolean }[] = []
  for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic(
    { client: new SNSClient() },
    { TopicArn: topic },
  ))
    for (const { Endpoint = '', SubscriptionArn = '' } of Subscriptions)
      found.push({ endpoint: Endpoint, confirmed: SubscriptionArn.startsWith('arn:') })
  return found
}
