import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SignatureV4 } from '@smithy/signature-v4'
import { once } from '../memoize.ts'

const client = once(() => new SecretsManagerClient({}))

/** Signs requests to an AWS service as the function's own role, without a client class. */
export function roleSigner(service: string, region: string): SignatureV4 {
  const { credentials, sha256 } = client().config
  return new SignatureV4({ service, region, credentials, sha256, applyChecksum: false })
}
