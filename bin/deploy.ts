/**
 * `npm run deploy -- --stage <name>`: makes a stage what its file and the code say. It can be run again at any point: what is
 * done is found done. Nothing is touched before every check has passed and what will change was shown.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { bootstrapVersion, caller, deployedStack, hasImage } from '../adapters/aws/deployment.ts'
import { loadStage, type Stage } from '../lib/stage.ts'
import { changesOf, describeChanges, isLoss } from './deploy/changes.ts'
import { smokeTest } from './deploy/smoke.ts'

const usage = `npm run deploy -- --stage <name>
  --yes               asks nothing; a program that deploys wants it
  --wait <seconds>    how long the stage may take until it answers everywhere, once it is deployed; 300
  --replace <id>      lets this resource with state be replaced or leave its stack, once; may be given again`

const top = join(import.meta.dirname, '..')
const assembly = join(top, 'cdk.out')

/** The end of a deployment that cannot go on: what is wrong, and what to run next. */
class Stop extends Error {}

const say = (line: string) => process.stdout.write(`${line}\n`)

interface Options {
  stage: string
  yes: boolean
  replace: string[]
  /** Seconds. */
  wait: number
}

async function deploy({ stage: name, yes, replace, wait }: Options): Promise<void> {
  const stage = await loadStage(name)
  if (stage.local) throw new Stop('The stage local is the laptop’s: npm start runs it.')
  say(`Stage ${name}: account ${stage.account}, ${stage.region}.`)
  process.env.AWS_REGION = stage.region
  await checkAccount(stage)
  say('Building and synthesising …')
  cdk(
    ['synth', '--quiet', '--context', `stage=${name}`, '--output', assembly],
    'Mend what it names; nothing was touched.',
  )
  const stacks = { state: `berth-${name}-state`, service: `berth-${name}-service` }
  await showChanges(stage, Object.values(stacks), replace)
  if (!yes) await confirm(name)
  deployStack(stacks.state)
  await checkImage(stage, stacks.state)
  deployStack(stacks.service)
  await finish(name, stacks.service, wait)
}

/** The credentials are of the account that the stage's file names, and the Region was prepared for the CDK. */
async function checkAccount({ name, account, region }: Stage): Promise<void> {
  const found = await caller().catch((error: Error) => {
    throw new Stop(
      `There are no AWS credentials that work here: ${error.message}\nSet AWS_PROFILE, or sign in (aws sso login).`,
    )
  })
  if (found.account !== account)
    throw new Stop(
      `These credentials are of the account ${found.account}; stages/${name} says ${account}. Set AWS_PROFILE to one of that account.`,
    )
  for (const [name, value] of Object.entries(found.env)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  if ((await bootstrapVersion()) === null)
    throw new Stop(
      `The CDK has not been here before. Once for each account and Region:\n\n  npx cdk bootstrap aws://${account}/${region} --app ''\n\nThen run this again.`,
    )
}

/** Shows what would change in each stack, and stops where data would be lost that nobody named. */
async function showChanges({ disposable }: Stage, stacks: string[], replace: string[]): Promise<void> {
  for (const stack of stacks) {
    const now = await deployedStack(stack)
    if (now?.status === 'ROLLBACK_COMPLETE')
      throw new Stop(
        `${stack} is what a failed first deployment left. What it made with data in it was kept apart; remove the rest:\n\n  aws cloudformation delete-stack --stack-name ${stack}\n\nThen run this again.`,
      )
    const after = JSON.parse(readFileSync(join(assembly, `${stack}.template.json`), 'utf8'))
    const changes = changesOf(now?.template ?? {}, after)
    say(`\n${stack}${now ? '' : ' (new)'}:`)
    for (const line of describeChanges(changes)) say(`  ${line}`)
    const lost = disposable ? [] : changes.filter((change) => isLoss(change) && !replace.includes(change.id))
    if (lost.length > 0)
      throw new Stop(
        `This would take from the stack what holds data: ${lost.map(({ id }) => id).join(', ')}. Nothing was touched. If it is meant: ${lost.map(({ id }) => `--replace ${id}`).join(' ')}`,
      )
  }
}

async function confirm(name: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new Stop('Nobody is here to confirm it. Nothing was touched; --yes deploys without asking.')
  const ask = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await ask.question(`\nDeploy this to ${name}? [y/N] `)
  ask.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new Stop('Nothing was touched.')
}

/** Machines could not start without it. */
async function checkImage({ imageVersion }: Stage, stack: string): Promise<void> {
  const image = (await deployedStack(stack))?.outputs.AgentImage ?? ''
  const repository = image.slice(image.indexOf('/') + 1, image.lastIndexOf(':'))
  if (await hasImage(repository, imageVersion)) return
  throw new Stop(`The agent’s image ${imageVersion} is not there yet. Build and push it:

  aws ecr get-login-password | docker login --username AWS --password-stdin "${image.split('/')[0]}"
  docker buildx build --platform linux/arm64 -f agent/Dockerfile -t "${image}" --push .

Then run this again: it goes on with the service.`)
}

function deployStack(stack: string): void {
  say(`\nDeploying ${stack} …`)
  cdk(
    ['deploy', stack, '--app', assembly, '--exclusively', '--require-approval', 'never', '--progress', 'events'],
    `CloudFormation says above what failed, and has taken it back. Mend it and run this again.`,
  )
}

/** @throws Stop with what to do next */
function cdk(args: string[], next: string): void {
  // As npm finds it: in node_modules.
  const { status } = spawnSync('cdk', args, { cwd: top, stdio: 'inherit' })
  if (status !== 0) throw new Stop(`cdk ${args[0]} failed. ${next}`)
}

async function finish(name: string, stack: string, wait: number): Promise<void> {
  const outputs = (await deployedStack(stack))?.outputs ?? {}
  const origin = outputs.Origin ?? ''
  say('\nAsking it whether it is well …')
  const failed = await smokeTest(origin, wait * 1_000, say)
  if (failed.length > 0)
    throw new Stop(
      `It is deployed, and not well:\n${failed.map((line) => `  ${line}`).join('\n')}\nThe functions’ logs say why (CloudWatch, /aws/lambda/berth-${name}-…). Run this again when it is mended.`,
    )
  say(`\nThe stage ${name} is deployed.`)
  for (const [key, value] of Object.entries(outputs)) say(`  ${key}: ${value}`)
}

try {
  const { values } = parseArgs({
    options: {
      stage: { type: 'string' },
      yes: { type: 'boolean', default: false },
      replace: { type: 'string', multiple: true, default: [] },
      wait: { type: 'string', default: '300' },
    },
  })
  if (values.stage === undefined) throw new Stop(usage)
  const wait = Number(values.wait)
  if (!(wait >= 0)) throw new Stop(usage)
  await deploy({ ...values, stage: values.stage, wait })
} catch (error) {
  // A missing credential or a wrong file is no fault of the program: its trace would only hide the line.
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
