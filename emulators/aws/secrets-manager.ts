import { createHash, randomUUID } from 'node:crypto'
import * as z from 'zod'
import { openState, type StateFile } from '../kit/state-file.ts'
import { ACCOUNT, type Action, AwsError, parse } from './protocols.ts'

const secret = z.object({
  name: z.string(),
  createdAt: z.number(),
  changedAt: z.number(),
  versions: z.record(z.string(), z.object({ value: z.string(), binary: z.boolean().default(false), at: z.number() })),
  /** Stage label → version id. */
  stages: z.record(z.string(), z.string()),
})
type Secret = z.infer<typeof secret>

const bySecretId = z.object({ SecretId: z.string() })
const getValue = bySecretId.extend({ VersionId: z.string().optional(), VersionStage: z.string().optional() })
const putValue = bySecretId.extend({
  ClientRequestToken: z.string().min(32).max(64).optional(),
  SecretString: z.string().max(65_536).optional(),
  SecretBinary: z.string().max(87_384).optional(),
  VersionStages: z.array(z.string()).min(1).optional(),
})

/** The ARN of a secret; its six last characters follow from the name, so a restart gives the same one. */
export function secretArn(region: string, name: string): string {
  const suffix = createHash('sha256').update(name).digest('hex').slice(0, 6)
  return `arn:aws:secretsmanager:${region}:${ACCOUNT}:secret:${name}-${suffix}`
}

/** Secrets Manager: GetSecretValue, PutSecretValue, DescribeSecret. Secrets are created by `put` alone. */
export class Secrets {
  readonly actions: Record<string, Action> = {
    GetSecretValue: (input) => this.#getValue(input),
    PutSecretValue: (input) => this.#putValue(input),
    DescribeSecret: (input) => this.#describe(input),
  }
  readonly #region: string
  readonly #state: StateFile<Record<string, Secret>>

  constructor({ file, region }: { file: string; region: string }) {
    this.#region = region
    this.#state = openState(file, z.record(z.string(), secret), {})
  }

  /** The ARN of the secret that an id names: of a name that no secret has, the one it would have. */
  arnOf(id: string): string {
    return id.startsWith('arn:') ? id : this.#arn(this.#lookUp(id)?.name ?? id)
  }

  /** Creates the secret or gives it a new current version; the same value again changes nothing. */
  put(name: string, value: string): void {
    const secrets = this.#state.value
    const known = secrets[name] ?? { name, createdAt: Date.now(), changedAt: 0, versions: {}, stages: {} }
    secrets[name] = known
    const current = known.versions[known.stages.AWSCURRENT ?? '']
    if (current?.value === value) return
    addVersion(known, randomUUID(), value, false, ['AWSCURRENT'])
    this.#state.save()
  }

  #getValue(input: unknown): object {
    const { SecretId, VersionId, VersionStage } = parse(getValue, input, 'InvalidParameterException')
    const found = this.#find(SecretId)
    const stage = VersionStage ?? (VersionId ? undefined : 'AWSCURRENT')
    const versionId = VersionId ?? found.stages[stage ?? ''] ?? ''
    const version = found.versions[versionId]
    if (!version || (VersionId && stage && found.stages[stage] !== VersionId))
      throw new AwsError(
        'ResourceNotFoundException',
        `Secrets Manager can't find the specified secret value for ${VersionId ? `VersionId: ${VersionId}` : `staging label: ${stage}`}`,
      )
    return {
      ARN: this.#arn(found.name),
      Name: found.name,
      VersionId: versionId,
      [version.binary ? 'SecretBinary' : 'SecretString']: version.value,
      VersionStages: stagesOf(found, versionId),
      CreatedDate: version.at / 1000,
    }
  }

  #putValue(input: unknown): object {
    const request = parse(putValue, input, 'InvalidParameterException')
    const value = request.SecretString ?? request.SecretBinary
    if (value === undefined || (request.SecretString !== undefined && request.SecretBinary !== undefined))
      throw new AwsError('InvalidParameterException', 'Give exactly one of SecretString and SecretBinary.')
    const found = this.#find(request.SecretId)
    const versionId = request.ClientRequestToken ?? randomUUID()
    const known = found.versions[versionId]
    if (known && known.value !== value)
      throw new AwsError('ResourceExistsException', 'A version with this token and another value exists already.')
    if (!known) {
      const binary = request.SecretBinary !== undefined
      addVersion(found, versionId, value, binary, request.VersionStages ?? ['AWSCURRENT'])
      this.#state.save()
    }
    const VersionStages = stagesOf(found, versionId)
    return { ARN: this.#arn(found.name), Name: found.name, VersionId: versionId, VersionStages }
  }

  #describe(input: unknown): object {
    const found = this.#find(parse(bySecretId, input, 'InvalidParameterException').SecretId)
    const ids = Object.keys(found.versions)
    return {
      ARN: this.#arn(found.name),
      Name: found.name,
      CreatedDate: found.createdAt / 1000,
      LastChangedDate: found.changedAt / 1000,
      VersionIdsToStages: Object.fromEntries(
        ids.map((id) => [id, stagesOf(found, id)] as const).filter(([, stages]) => stages.length > 0),
      ),
    }
  }

  #find(id: string): Secret {
    const found = this.#lookUp(id)
    if (!found) throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.")
    return found
  }

  /** By its name, its ARN, or its ARN without the last six characters. */
  #lookUp(id: string): Secret | undefined {
    const secrets = this.#state.value
    const isNamed = (arn: string) => arn === id || arn.slice(0, -7) === id
    return secrets[id] ?? Object.values(secrets).find(({ name }) => isNamed(this.#arn(name)))
  }

  #arn(name: string): string {
    return secretArn(this.#region, name)
  }
}

function addVersion(to: Secret, id: string, value: string, binary: boolean, stages: string[]): void {
  to.versions[id] = { value, binary, at: Date.now() }
  to.changedAt = Date.now()
  for (const stage of stages) {
    if (stage === 'AWSCURRENT' && to.stages.AWSCURRENT) to.stages.AWSPREVIOUS = to.stages.AWSCURRENT
    to.stages[stage] = id
  }
  // A version no label points at is deprecated, and goes.
  const labelled = new Set(Object.values(to.stages))
  for (const old of Object.keys(to.versions)) if (!labelled.has(old)) delete to.versions[old]
}

function stagesOf(from: Secret, id: string): string[] {
  return Object.keys(from.stages).filter((stage) => from.stages[stage] === id)
}
