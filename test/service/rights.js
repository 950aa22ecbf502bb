/**
 * Rights that a run of these suites does not use: the beginning of the action, a part of the resource, and the reason
 * for the right.
 */
export const reasons = [
  ['bedrock:InvokeModel', '', 'Bedrock is called in the cloud only'],
  ['sqs:', '', 'Lambda itself sends what failed; there are no queues here'],
  ['', 'DiscordGateway', 'ECS starts the listener; here the runner does'],
  ['secretsmanager:', '/discord', 'ECS hands it to the listener'],
  ['secretsmanager:GetSecretValue', '/edge-key', 'CloudFront shows the key, and there is none here'],
  ['elasticfilesystem:TagResource', 'file-system/', 'AWS does not say which of the two resources it asks about'],
  ['logs:', 'EgressFlowLogs', 'the network writes what machines sent; here they are processes'],
  ['xray:', '', 'Lambda sends the traces of a function; here nobody takes them'],
  ['ses:SendEmail', 'configuration-set/', 'SES asks for the set by which the address sends too'],
  ['scheduler:UpdateSchedule', '', 'test/adapters/aws: a schedule that is there already'],
  ['s3:DeleteObject', '', 'test/lambdas/account: an account is erased long after it was closed'],
  ...['events', 'hooks', 'instances', 'notifications', 'runs', 'samples', 'tokens', 'webhooks'].map((name) => [
    'dynamodb:DeleteItem',
    `Tables${name}`,
    'test/lambdas/account: an account is erased long after it was closed',
  ]),
  ['dynamodb:Query', 'Tablesinstances', 'test/lambdas/account: an account is erased long after it was closed'],
  ['dynamodb:Query', 'Tablesoutbox', 'test/lambdas/account: an account is erased long after it was closed'],
  ['dynamodb:GetItem', 'Tablesoutbox', 'test/lambdas/operator: what follows from a change is sent again'],
  ['dynamodb:ConditionCheckItem', 'Tablestokens', 'test/adapters/dynamo: a write by an app that is being revoked'],
  ['dynamodb:UpdateItem', 'Tablessessions', 'test/adapters/dynamo/people.test.ts: a session notes its use later'],
  ['kms:Decrypt', '', 'test/adapters/slack: accounts of workspaces'],
]

const pairOf = ({ action, resource }) => `${action} ${resource}`

/** Whether a reason is about a right. */
export const explains = ([action, resource], right) =>
  right.action.startsWith(action) && right.resource.includes(resource)

/** Granted rights that no role used, as `action resource`; both arguments are lists of rights of roles. */
export function unusedRights({ granted, used }) {
  const done = new Set(used.map(pairOf))
  const idle = granted.filter((right) => !done.has(pairOf(right)))
  return [...new Set(idle.filter((right) => !reasons.some((reason) => explains(reason, right))).map(pairOf))].sort()
}
