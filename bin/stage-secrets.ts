import type { SecretName } from '../adapters/registry.ts'
import { stateParameter } from '../lib/parameters.ts'

/** ARN of a deployed stage's secret. @throws when the stage is not deployed here */
export async function stageSecretId(stage: string, name: SecretName): Promise<string> {
  // Load the SDKs only here: most commands of operators use no secret.
  const { parameter } = await import('../adapters/aws/deployment/account.ts')
  const id = await parameter(stateParameter(stage, `secrets/${name}`))
  if (id === null)
    throw new Error(
      `The stage ${stage} has no secret ${name} here. Choose the account with AWS_PROFILE and AWS_REGION, and deploy the stage first.`,
    )
  return id
}
