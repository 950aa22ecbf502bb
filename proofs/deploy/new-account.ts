/** A new AWS account: what the checks say before a deployment, and how failures are explained. */
import { aws, cloud, concurrency, granted, name, run, settings } from './operator.ts'

/** AWS's refusals of a first deployment, in its own words. */
const refused: [what: string, type: string, reason: string, remedy: RegExp][] = [
  [
    'that AWS has not verified the account for CloudFront',
    'AWS::CloudFront::Distribution',
    'Your account must be verified before you can add new CloudFront resources. To verify your account, please contact AWS Support',
    /not verified this account for CloudFront\. Open a support case[^\n]*Then run this again/,
  ],
  [
    'that billing is closed to roles',
    'AWS::Budgets::Budget',
    'User: arn:aws:sts::123456789012:assumed-role/cdk is not authorized to perform: budgets:ModifyBudget',
    /may not create budgets\. Sign in as the account’s root user/,
  ],
  ['that a role was too young', 'AWS::EC2::FlowLog', 'Unable to assume given IAM role', /seconds old\. Run this again/],
  [
    'that a log group is left from an earlier attempt',
    'AWS::Logs::LogGroup',
    "Resource of type 'AWS::Logs::LogGroup' with identifier '/aws/lambda/berth-proof-llm' already exists.",
    /delete-log-group --log-group-name \/aws\/lambda\/berth-proof-llm/,
  ],
  [
    'that a secret is left from an earlier attempt',
    'AWS::SecretsManager::Secret',
    'The operation failed because the secret berth/proof/stripe already exists.',
    /delete-secret [^\n]*--secret-id berth\/proof\/stripe/,
  ],
  [
    'that Fargate has no capacity',
    'AWS::ECS::Service',
    'Capacity is unavailable at this time. Please try again later or in a different availability zone',
    /Fargate has no capacity/,
  ],
  [
    'that the account’s concurrency is too low',
    'AWS::Lambda::Function',
    "Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [100].",
    /-c reserve=no/,
  ],
]

const denied = { type: 'AccessDeniedException', message: 'You don’t have access' }
const nothing: string[] = []

export async function checkNewAccount(): Promise<void> {
  Object.assign(aws.answers, {
    '/2016-08-19/account-settings': concurrency(10),
    '/v2/email/account': { ProductionAccessEnabled: false, SendingEnabled: true },
    GetServiceQuota: { Quota: { Value: 0 } },
    DescribeBudgets: undefined,
  })
  aws.refusals.DescribeBudgets = denied
  const newAccount = [
    /stop +Lambda concurrency: 10 concurrent executions\. [^\n]*console\.aws[^\n]*L-B99A9384[^\n]*--desired-value 1000/,
    /stop +vCPUs on Fargate Spot: 0\. [^\n]*--service-code fargate --quota-code L-36FBB829/,
    /stop +vCPUs on Fargate: 0\. [^\n]*--quota-code L-3032A538/,
    /warn +permission to send e-mail: in the sandbox[^\n]*ses\/home#\/account[^\n]*put-account-details/,
    /stop +CodeBuild: 0 concurrent builds[^\n]*--service-code codebuild --quota-code L-5ED1D25B/,
    /warn +CloudFront: no distribution yet\. [^\n]*no API tells[^\n]*support case/,
    /warn +budget: no access to billing\. [^\n]*root user/,
  ]
  const allOf = (lines: RegExp[], end: string) =>
    new RegExp(`${lines.map(({ source }) => source).join('[\\s\\S]*')}${end}`)
  await run('says of a new account what to request, before it touches anything', {
    says: allOf(newAccount, '[\\s\\S]*not yet granted what this stage needs: [^\\n]*CodeBuild\\. Nothing was changed'),
    touches: nothing,
  })
  await run('says the same in the doctor', {
    command: 'doctor',
    args: ['--stage', name],
    says: allOf(newAccount, '[\\s\\S]*is not deployed: npm run deploy'),
    touches: nothing,
  })
  await run('goes on nevertheless when told so', {
    args: ['--stage', name, '--yes', '--anyway'],
    env: { ...cloud, FAILS: 'synth' },
    says: /stop +CodeBuild[\s\S]*cdk synth failed/,
    touches: ['synth'],
  })
  await run('needs no build for an image of the operator’s own', {
    settings: { ...settings, imageVersion: 'mine-1' },
    says: /ok +CodeBuild: not needed[\s\S]*needs: Lambda concurrency, vCPUs on Fargate Spot, vCPUs on Fargate\. /,
    touches: nothing,
  })
  Object.assign(aws.answers, granted, { GetServiceQuota: undefined })
  aws.refusals.DescribeBudgets = undefined
  aws.refusals.GetServiceQuota = denied
  await run('warns of what it may not look at, and goes on', {
    env: { ...cloud, FAILS: 'synth' },
    says: /warn +CodeBuild: not checked: these credentials may not look[\s\S]*cdk synth failed/,
    touches: ['synth'],
  })
  aws.refusals.GetServiceQuota = undefined
  Object.assign(aws.answers, granted)
}

/** Each refusal, in the events of a stack. */
export async function explainRefusals(): Promise<void> {
  aws.events = []
  aws.refusals.StartBuild = {
    type: 'AccountLimitExceededException',
    message: 'Cannot have more than 0 builds in queue for the account',
  }
  await run('says what to request when CodeBuild builds nothing for this account', {
    says: /CodeBuild allows this account no build now[^\n]*L-5ED1D25B[^\n]*Then run this again/,
    touches: ['synth', 'state', 'service'],
  })
  aws.refusals.StartBuild = undefined
  for (const [what, type, reason, remedy] of refused) {
    aws.events = [{ id: 'Thing', type, reason }]
    await run(`explains ${what}`, {
      env: { ...cloud, FAILS: '-service' },
      says: remedy,
      touches: ['synth', 'state', 'service'],
    })
  }
  aws.events = []
}
