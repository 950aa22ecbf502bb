import { createInterface } from 'node:readline/promises'
import { bootstrapVersion, caller, type DeployedStack } from '../../adapters/aws/deployment/stacks.ts'
import { loadStage, type Stage } from '../../lib/stage.ts'
import { checkAccount } from './credentials.ts'
import { Stop, say } from './stop.ts'

/** Loads a stage and sets the credentials of its account in this process. @throws Stop, StageError */
export async function openStage(name: string): Promise<Stage> {
  const stage = await loadStage(name)
  if (stage.local) throw new Stop('The stage local runs on a laptop. Start it with npm start.')
  const { account, region } = stage
  say(`Stage ${name}: account ${account}, ${region}.`)
  process.env.AWS_REGION = region
  const identity = await caller().catch((error: Error) => {
    throw new Stop(`The AWS credentials do not work: ${error.message}\nSet AWS_PROFILE, or sign in (aws sso login).`)
  })
  checkAccount(stage, identity.account)
  for (const [variable, value] of Object.entries(identity.env)) {
    if (value === undefined) delete process.env[variable]
    else process.env[variable] = value
  }
  return stage
}

/** @throws Stop when the Region is not bootstrapped for the CDK */
export async function checkBootstrap({ account, region }: Stage): Promise<void> {
  if ((await bootstrapVersion()) === null)
    throw new Stop(
      `The CDK is not bootstrapped in this account and Region. Run this once:\n\n  npx cdk bootstrap aws://${account}/${region} --app ''\n\nThen run this again.`,
    )
}

/** @throws Stop when the stack's last deployment failed so that it accepts no other */
export function checkRolledBack(stack: string, now: DeployedStack | null): void {
  if (now?.status === 'UPDATE_ROLLBACK_FAILED')
    throw new Stop(
      `CloudFormation could not roll back the last deployment of ${stack}. Run this when no alarm rings:\n\n  aws cloudformation continue-update-rollback --stack-name ${stack}\n\nThen run this again.`,
    )
  if (now?.status !== 'ROLLBACK_COMPLETE' && now?.status !== 'ROLLBACK_FAILED') return
  const commands = [
    ...(now.isProtected ? ['update-termination-protection --no-enable-termination-protection'] : []),
    'delete-stack',
    'wait stack-delete-complete',
  ].map((command) => `  aws cloudformation ${command} --stack-name ${stack}`)
  // A table is protected against deletion from its creation on, so CloudFormation cannot remove it again.
  const left =
    now.status === 'ROLLBACK_FAILED'
      ? '\n\nCloudFormation could not delete all that it had created, such as protected tables. These resources are empty, and a new deployment does not use them. Delete them later.'
      : ''
  throw new Stop(
    `${stack} remains from a first deployment that failed, and contains no data. Delete it:\n\n${commands.join('\n')}${left}\n\nThen run this again.`,
  )
}

/** @throws Stop unless somebody types `answer` */
export async function confirm(question: string, answer: RegExp): Promise<void> {
  if (!process.stdin.isTTY)
    throw new Stop(
      'This command asks for a confirmation, but there is no terminal. Nothing was changed; --yes skips the question.',
    )
  const ask = createInterface({ input: process.stdin, output: process.stdout })
  const reply = await ask.question(question)
  ask.close()
  if (!answer.test(reply.trim())) throw new Stop('Nothing was changed.')
}
