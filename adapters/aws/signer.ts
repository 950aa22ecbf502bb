import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SignatureV4 } from '@smithy/signature-v4'
import { once } from '../memoize.ts'

const client = once(() => new SecretsManagerClient({}))

/** Signs requests to an AWS service with the function's role, without the service's client. */
export function roleSigner(service: string, region: string): SignatureV4 {
  const { credentials, sha256 } = client().config
  return new SignatureV4({ service, region, credentials, sha256, applyChecksum: false })
}
