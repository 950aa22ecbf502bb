import type { StackResource } from '../../adapters/aws/deployment/removal.ts'
import type { DeployedStack } from '../../adapters/aws/deployment/stacks.ts'
import type { SecretName } from '../../adapters/registry.ts'
import type { Stage } from '../../lib/stage.ts'
import type { Finding } from '../channels/setup.ts'

export interface DoctorContext {
  stage: Stage
  /** Whether to call models, which costs a little. */
  calls: boolean
  stacks: { state: DeployedStack; service: DeployedStack }
  resources: readonly StackResource[]
  /** Parsed JSON of one of the stage's secrets, by its short name. */
  readSecret(name: SecretName): Promise<unknown>
}

export interface DoctorCheck {
  name: string
  look(): Promise<Finding>
}

/** The share of a quota above which an operator asks for more. */
const full = 0.8

/** @param raise how to get a higher limit */
export function withinQuota(used: number, limit: number, raise: string): Finding {
  const found = `${Math.ceil(used).toLocaleString('en')} of ${limit.toLocaleString('en')}`
  return { found, problem: used >= limit * full ? raise : null }
}
