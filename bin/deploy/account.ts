import { createInterface } from 'node:readline/promises'
import { bootstrapVersion, caller, type DeployedStack } from '../../adapters/aws/deployment/stacks.ts'
import { loadStage, type Stage } from '../../lib/stage.ts'
import { Stop, say } from './stop.ts'

/** Loads a stage and sets the credentials of its account in this process. @throws Stop, StageError */
export async function openStage(name: string): Promise<Stage> {
  const stage = await loadStage(name)
  if (stage.local) throw new Stop('The stage local is the laptop’s: npm start runs it.')
  const { account, region } = stage
  say(`Stage ${name}: account ${account}, ${region}.`)
  process.env.AWS_REGION = region
  const found = await caller().catch((error: Error) => {
    throw new Stop(
      `There are no AWS credentials that work here: ${error.message}\nSet AWS_PROFILE, or sign in (aws sso login).`,
    )
  })
  if (found.account !== account)
    throw new Stop(
      `These credentials are of the account ${found.account}; stages/${name} says ${account}. Set AWS_PROFILE to one of that account.`,
    )
  for (const [variable, value] of Object.entries(found.env)) {
    if (value === undefined) delete process.env[variable]
    else process.env[variable] = value
  }
  return stage
}

/** @throws Stop when the Region is not bootstrapped for the CDK */
export async function checkBootstrap({ account, region }: Stage): Promise<void> {
  if ((await bootstrapVersion()) === null)
    throw new Stop(
      `The CDK has not been here before. Once for each account and Region:\n\n  npx cdk bootstrap aws://${account}/${region} --app ''\n\nThen run this again.`,
    )
}

/** @throws Stop when the stack's last rollback failed: it accepts no deployment then */
export function checkRolledBack(stack: string, now: DeployedStack | null): void {
  if (now?.status === 'UPDATE_ROLLBACK_FAILED')
    throw new Stop(
      `CloudFormation could not take the last deployment of ${stack} back. When no alarm rings any more:\n\n  aws cloudformation continue-update-rollback --stack-name ${stack}\n\nThen run this again.`,
    )
}

/** @throws Stop unless somebody types `answer` @param otherwise how to do without being asked */
export async function confirm(question: string, answer: RegExp, otherwise: string): Promise<void> {
  if (!process.stdin.isTTY) throw new Stop(`Nobody is here to confirm it. Nothing was touched; ${otherwise}`)
  const ask = createInterface({ input: process.stdin, output: process.stdout })
  const given = await ask.question(question)
  ask.close()
  if (!answer.test(given.trim())) throw new Stop('Nothing was touched.')
}
