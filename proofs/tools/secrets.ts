import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm'
import type { SecretName } from '../../adapters/registry.ts'
import { stateParameter } from '../../lib/parameters.ts'

/** Creates a secret as the state stack does: commands find it by its SSM parameter. */
export async function createSecret(stage: string, name: SecretName, value: string): Promise<void> {
  const { ARN } = await new SecretsManagerClient().send(
    new CreateSecretCommand({ Name: `berth/${stage}/${name}`, SecretString: value }),
  )
  const Name = stateParameter(stage, `secrets/${name}`)
  await new SSMClient().send(new PutParameterCommand({ Name, Value: ARN, Type: 'String' }))
}
