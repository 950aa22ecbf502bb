import { Secret, type SecretProps } from 'aws-cdk-lib/aws-secretsmanager'
import { SecretValue } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { type SecretName, secrets } from '../../adapters/registry.ts'
import type { Stage } from '../stage.ts'
import { removalPolicyOf } from './removal-policy.ts'

/** Letters and digits only: valid as base64, as a header value and in JSON without escaping. */
const generated = (key: string): SecretProps => ({
  generateSecretString: {
    secretStringTemplate: '{}',
    generateStringKey: key,
    passwordLength: 64,
    excludePunctuation: true,
  },
})

/** An operator writes the real value once; no deployment overwrites it. */
const filledIn = (placeholder: object): SecretProps => ({
  secretStringValue: SecretValue.unsafePlainText(JSON.stringify(placeholder)),
})

const contents = {
  stripe: filledIn({ secretKey: '', webhookSecrets: [] }),
  telegram: filledIn({ token: '', webhookSecret: '', username: '' }),
  slack: filledIn({ appId: '', clientId: '', clientSecret: '', signingSecret: '' }),
  providers: filledIn({}),
  discord: filledIn({ applicationId: '', publicKey: '', botToken: '', gatewayKey: '' }),
  'machine-token-keys': generated('current'),
  'cursor-key': generated('key'),
  'hook-key': generated('key'),
  'notification-key': generated('key'),
  'edge-key': generated('key'),
} satisfies Record<SecretName, SecretProps>

/** One secret for each name. */
export class Secrets extends Construct {
  readonly byName: Record<SecretName, Secret>

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    const make = (name: string, props: SecretProps) =>
      new Secret(this, name, {
        description: `Berth ${stage.name}: ${name}`,
        // The programs of a laptop find secrets by name. Elsewhere the name is generated, because the secret may outlive
        // its stack, and its value in SSM tells it.
        ...(stage.local && { secretName: `berth/${stage.name}/${name}` }),
        removalPolicy: removalPolicyOf(stage),
        ...props,
      })
    const names = Object.keys(secrets) as SecretName[] // safe because secrets is a closed record of its own keys
    const made = names.map((name) => [name, make(name, contents[name])])
    this.byName = Object.fromEntries(made) as Record<SecretName, Secret> // safe because made has one entry per secret name
  }
}
