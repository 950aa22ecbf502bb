import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { Credentials } from './sigv4.ts'

let client: SecretsManagerClient | undefined

/** The function's own role, as the SDK finds and renews it. */
export function roleCredentials(): Promise<Credentials> {
  client ??= new SecretsManagerClient({})
  return client.config.credentials()
}
