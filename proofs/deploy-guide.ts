/**
 * `npm run prove deploy-guide`: each command of docs/deploy.md, typed in a fresh clone in the order of the guide,
 * against moto (PyPI) in place of AWS with AWS's own command line (PyPI), and the service of this machine as the
 * deployed one. The proof fails for a command of the guide that it does not try, and for a tried command that the guide
 * no longer has.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { startBerth } from '../local/main.ts'
import { startCloud } from './deploy/cloud.ts'
import { commandsOf } from './tools/commands.ts'
import { startMoto } from './tools/moto.ts'
import { pythonWith } from './tools/python.ts'

const top = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'berth-prove-deploy-guide-'))
const clone = join(folder, 'berth')
const [account, region] = ['123456789012', 'eu-central-1']

/** A command as it is typed, and the output that a reader of the guide sees. */
interface Trial {
  says: RegExp
  exit?: number
  /** The input at its prompt. */
  answer?: string
  /** Replacements of the guide's values by the reader's own. */
  given?: readonly (readonly [string, () => string | Promise<string>])[]
  /** Called once the command has succeeded. */
  after?(): void
}

const putSecret = (name: string) =>
  `aws secretsmanager put-secret-value --secret-id "$(aws ssm get-parameter --name /berth/prod/state/secrets/${name} --query Parameter.Value --output text)"`
/** The guide's placeholders for the reader's own keys. */
const guides = {
  stripe: '{"secretKey": "sk_live_…", "webhookSecrets": ["whsec_…"]}',
  providers: '{"anthropic": {"kind": "anthropic", "baseUrl": "https://api.anthropic.com/v1", "apiKey": "sk-ant-…"}}',
}

const trials: Record<string, Trial> = {
  'npm ci': { says: /added \d+ packages/, after: replaceCdk },
  "npx cdk bootstrap aws://<account>/<region> --app ''": {
    says: /bootstrapped/,
    given: [
      ['<account>', () => account],
      ['<region>', () => region],
    ],
  },
  'aws cloudfront list-distributions --query "DistributionList.Items[].DomainName"': { says: /^(null|\[\])$/m },
  'aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL --website-url https://<your website> --use-case-description "Sign-in codes"':
    { says: /^$/, given: [['<your website>', () => 'example.com']] },
  'aws service-quotas get-service-quota --service-code codebuild --quota-code L-5ED1D25B --query Quota.Value': {
    says: /^1000(\.0)?$/m,
  },
  'aws service-quotas request-service-quota-increase --service-code codebuild --quota-code L-5ED1D25B --desired-value 2':
    { says: /PENDING/ },
  'aws service-quotas request-service-quota-increase --service-code fargate --quota-code L-36FBB829 --desired-value 100':
    { says: /PENDING/ },
  'aws service-quotas request-service-quota-increase --service-code fargate --quota-code L-3032A538 --desired-value 100':
    { says: /PENDING/ },
  'aws service-quotas list-requested-service-quota-change-history': { says: /RequestedQuotas/ },
  'export AWS_REGION=eu-central-1': { says: /^$/ },
  'npx cdk deploy --all -c stage=prod': { says: /^/ },
  'aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com': { says: /AWSServiceRoleForECS/i },
  'aws lambda get-account-settings --query AccountLimit.ConcurrentExecutions': { says: /^1000$/m },
  'aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000':
    { says: /PENDING/ },
  'cp stages/example.ts stages/prod.ts': { says: /^$/, after: namePipeline },
  'npm run deploy -- --stage prod': {
    answer: 'y',
    says: /! add AWS::DynamoDB::Table[\s\S]*ok: MCP requires a sign-in[\s\S]*The stage prod is deployed\.[\s\S]*StripeWebhook: http/,
  },
  [`${putSecret('stripe')} --secret-string '${guides.stripe}'`]: {
    says: /berth-prod-state-Secretsstripe/,
    given: [[guides.stripe, () => localSecret('stripe')]],
  },
  [`${putSecret('providers')} --secret-string '${guides.providers}'`]: {
    says: /berth-prod-state-Secretsproviders/,
    given: [[guides.providers, () => localSecret('providers')]],
  },
  // Its other lines are about a real account's settings; `npm run prove doctor` checks each.
  'npm run doctor -- --stage prod': {
    exit: 1,
    says: /ok +stacks: state CREATE_COMPLETE, service CREATE_COMPLETE[\s\S]*ok +the service answers[\s\S]*ok +Stripe: a test key[\s\S]*ok +model providers: \S+\/\S+ answers/,
  },
  'npm run synth -- -c stage=prod': { says: /^$/m },
  'npm run admin -- <command> --stage prod': {
    says: /0 wallets, 0 that differ/,
    given: [['<command>', () => 'books']],
  },
  'npm run providers -- <file>': {
    says: /: input \d+, output \d+/,
    given: [['<file>', providersFile]],
  },
  'aws iam create-open-id-connect-provider --url https://token.actions.githubusercontent.com --client-id-list sts.amazonaws.com':
    { says: /oidc-provider\/token\.actions\.githubusercontent\.com/ },
  'npx cdk deploy berth-prod-pipeline --exclusively -c stage=prod': {
    answer: 'y',
    says: /DeployRole = arn:aws:iam::123456789012:role\//,
  },
  'aws sesv2 list-suppressed-destinations': { says: /SuppressedDestinationSummaries/ },
  'npm run rollback -- --stage prod': { exit: 1, says: /There is no earlier release/ },
  'npm run destroy -- --stage prod': { answer: 'prod', says: /These resources remain/ },
}

/** Without those that the guide only names: they are typed with an argument elsewhere. */
const typedOf = (commands: string[]): string[] =>
  commands.filter((command) => !commands.some((other) => other.startsWith(`${command} `)))

/** The command that takes the stage down comes last. */
function inOrder(commands: string[]): string[] {
  const isEnd = (command: string) => command.includes('destroy')
  return [...commands.filter((each) => !isEnd(each)), ...commands.filter(isEnd)]
}

/** The stand-in creates the parts of the service's stacks that the emulator knows; the rest is the CDK's own. */
function replaceCdk(): void {
  const cdk = join(clone, 'node_modules/.bin/cdk')
  rmSync(cdk)
  const stand = join(clone, 'proofs/deploy/cdk.ts')
  writeFileSync(cdk, `#!/bin/sh\nexec "${process.execPath}" "${stand}" "$@"\n`)
  chmodSync(cdk, 0o755)
}

/** "With `pipeline` in its file." */
function namePipeline(): void {
  const file = join(clone, 'stages/prod.ts')
  const pipeline = "pipeline: { repository: 'owner/name', environment: 'prod' },"
  writeFileSync(file, readFileSync(file, 'utf8').replace('} satisfies', `  ${pipeline}\n} satisfies`))
}

/** A secret of the local service: its Stripe and its model answer. */
async function localSecret(name: string): Promise<string> {
  const endpoint = readFileSync(join(folder, 'data/data/secrets.endpoint'), 'utf8').trim()
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const local = new SecretsManagerClient({ endpoint, region: 'us-east-1', credentials })
  const { SecretString = '{}' } = await local.send(new GetSecretValueCommand({ SecretId: `berth/local/${name}` }))
  return SecretString
}

/** A server of the operator's own: of the others, the catalogue knows the models. */
function providersFile(): string {
  const models = [{ id: 'Qwen/Qwen3-32B', prices: { input: 0.1, output: 0.3 } }]
  const file = join(folder, 'providers.json')
  writeFileSync(file, JSON.stringify({ vllm: { kind: 'openai', baseUrl: 'http://127.0.0.1:8000/v1', models } }))
  return file
}

const moto = await startMoto()
const aws = await startCloud(moto.url)
Object.assign(aws.answers, {
  '/2016-08-19/account-settings': {
    AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 1_000 },
  },
  '/v2/email/suppression/addresses': { SuppressedDestinationSummaries: [] },
  '/v2/email/account/details': {},
  ListRequestedServiceQuotaChangeHistory: { RequestedQuotas: [] },
  RequestServiceQuotaIncrease: { RequestedQuota: { Status: 'PENDING' } },
  GetServiceQuota: { Quota: { Value: 1_000 } },
})
const berth = await startBerth({ port: 0, dataDir: join(folder, 'data'), quiet: true })
const cloud = {
  AWS_ENDPOINT_URL: aws.url,
  AWS_REGION: region,
  // The command line of PyPI reads only this variable.
  AWS_DEFAULT_REGION: region,
  AWS_ACCESS_KEY_ID: 'proof',
  AWS_SECRET_ACCESS_KEY: 'proof',
}
Object.assign(process.env, cloud)
const env = {
  ...cloud,
  // The emulator finds a template by its address at this name alone.
  AWS_ENDPOINT_URL_S3_FOR_CLOUDFORMATION: aws.url.replace('127.0.0.1', 'localhost'),
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  PATH: [join(pythonWith('awscli', ['awscli==1.46.3']), 'bin'), process.env.PATH].join(delimiter),
  HOME: process.env.HOME,
  CI: 'true',
  CALLS: join(folder, 'calls'),
  REAL_CDK: join(top, 'node_modules/.bin/cdk'),
  ORIGIN: berth.url,
}

const problems: string[] = []

async function type(command: string, trial: Trial): Promise<void> {
  let typed = command
  for (const [theirs, mine] of trial.given ?? []) typed = typed.replace(theirs, await mine())
  // Run in a terminal of its own if the command prompts for input.
  const args = trial.answer ? ['script', '-qec', typed, '/dev/null'] : ['bash', '-c', typed]
  const child = spawn(args[0] ?? '', args.slice(1), { cwd: clone, env, stdio: ['pipe', 'pipe', 'pipe'] })
  if (trial.answer) child.stdin.write(`${trial.answer}\n`)
  else child.stdin.end()
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const right = status === (trial.exit ?? 0) && trial.says.test((out + err).replaceAll('\r', ''))
  console.log(`${right ? 'ok  ' : 'FAIL'} ${command}`)
  if (right) trial.after?.()
  else problems.push(`${typed}: exit ${status}\n${out}${err}`)
}

try {
  spawnSync('git', ['clone', '--quiet', top, clone], { stdio: 'inherit' })
  // The last section is about AWS itself.
  const [guide = ''] = readFileSync(join(clone, 'docs/deploy.md'), 'utf8').split('\n## Not yet seen on AWS\n')
  const commands = inOrder(typedOf(commandsOf(guide)))
  for (const command of commands) {
    const trial = trials[command]
    if (trial) await type(command, trial)
    else problems.push(`The guide has a command that nobody tries here: ${command}`)
  }
  for (const command of Object.keys(trials))
    if (!commands.includes(command)) problems.push(`The guide does not have: ${command}`)
} finally {
  await berth.stop()
  aws.stop()
  await moto.stop()
  rmSync(folder, { recursive: true })
}
for (const problem of problems) console.log(`\n${problem}`)
process.exitCode = problems.length > 0 ? 1 : 0
