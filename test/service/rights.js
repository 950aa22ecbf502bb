/** Rights that no run of these suites uses, each with the reason why it is there. */
const reasons = [
  ['bedrock:InvokeModel', '', 'Bedrock is called in the cloud only'],
  ['sqs:', '', 'Lambda itself sends what failed; there are no queues here'],
  ['', 'DiscordGateway', 'ECS starts the listener; without a platform of Discord’s there is none'],
  ['secretsmanager:', 'discord', 'ECS hands it to the listener'],
  ['secretsmanager:GetSecretValue', 'edge-key', 'CloudFront shows the key, and there is none here'],
  ['elasticfilesystem:TagResource', 'file-system/', 'AWS does not say which of the two resources it asks about'],
  ['ses:SendEmail', 'identity/', 'SES asks for the address where that is verified, for its domain otherwise'],
  ['scheduler:UpdateSchedule', '', 'test/adapters/aws/timers.test.ts: of a schedule that is there already'],
  ['s3:DeleteObject', '', 'an account is erased long after it was closed: test/lambdas/account-jobs'],
  ['kms:Decrypt', '', 'of accounts of Slack: test/adapters/slack'],
]

const pairOf = ({ action, resource }) => `${action} ${resource}`

/**
 * What is granted to somebody and was used by nobody, as `action resource`; `granted` and `used` list rights of roles. A
 * reason that nothing needs any more is named too.
 */
export function unusedRights({ granted, used }) {
  const done = new Set(used.map(pairOf))
  const idle = [...new Map(granted.filter((one) => !done.has(pairOf(one))).map((one) => [pairOf(one), one])).values()]
  const explains = ([action, resource], one) => one.action.startsWith(action) && one.resource.includes(resource)
  const unexplained = idle.filter((one) => !reasons.some((reason) => explains(reason, one))).map(pairOf)
  const idleReasons = reasons.filter((reason) => !idle.some((one) => explains(reason, one)))
  return [...unexplained, ...idleReasons.map(([action, resource]) => `no longer unused: ${action} ${resource}`)].sort()
}
