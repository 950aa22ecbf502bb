import { createHash, randomUUID } from 'node:crypto'
import * as z from 'zod'
import { openState } from '../kit/state-file.ts'
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

const byId = z.object({ SecretId: z.string() })
const getValue = byId.extend({ VersionId: z.string().optional(), VersionStage: z.string().optional() })
const putValue = byId.extend({
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

export interface Secrets {
  actions: Record<string, Action>
  /** The ARN of the secret that an id names: of a name that no secret has, the one it would have. */
  arnOf(id: string): string
  /** Creates the secret or gives it a new current version; the same value again changes nothing. */
  put(name: string, value: string): void
}

/** Secrets Manager: GetSecretValue, PutSecretValue, DescribeSecret. Secrets are created by `put` alone. */
export function startSecrets(options: { file: string; region: string }): Secrets {
  const state = openState(options.file, z.record(z.string(), secret), {})
  const arnOf = (name: string) => secretArn(options.region, name)

  const lookUp = (id: string): Secret | undefined =>
    state.value[id] ?? Object.values(state.value).find(({ name }) => arnOf(name) === id || partial(name, id))

  function find(id: string): Secret {
    const found = lookUp(id)
    if (!found) throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.")
    return found
  }

  const partial = (name: string, id: string) => arnOf(name).slice(0, -7) === id

  return {
    arnOf: (id) => (id.startsWith('arn:') ? id : arnOf(lookUp(id)?.name ?? id)),
    put(name, value) {
      const known = state.value[name] ?? { name, createdAt: Date.now(), changedAt: 0, versions: {}, stages: {} }
      state.value[name] = known
      const current = known.versions[known.stages.AWSCURRENT ?? '']
      if (current?.value === value) return
      addVersion(known, randomUUID(), value, false, ['AWSCURRENT'])
      state.save()
    },
    actions: {
      GetSecretValue(input) {
        const { SecretId, VersionId, VersionStage } = parse(getValue, input, 'InvalidParameterException')
        const found = find(SecretId)
        const stage = VersionStage ?? (VersionId ? undefined : 'AWSCURRENT')
        const versionId = VersionId ?? found.stages[stage ?? ''] ?? ''
        const version = found.versions[versionId]
        if (!version || (VersionId && stage && found.stages[stage] !== VersionId))
          throw new AwsError(
            'ResourceNotFoundException',
            `Secrets Manager can't find the specified secret value for ${VersionId ? `VersionId: ${VersionId}` : `staging label: ${stage}`}`,
          )
        return {
          ARN: arnOf(found.name),
          Name: found.name,
          VersionId: versionId,
          [version.binary ? 'SecretBinary' : 'SecretString']: version.value,
          VersionStages: stagesOf(found, versionId),
          CreatedDate: version.at / 1000,
        }
      },
      PutSecretValue(input) {
        const request = parse(putValue, input, 'InvalidParameterException')
        const value = request.SecretString ?? request.SecretBinary
        if (value === undefined || (request.SecretString !== undefined && request.SecretBinary !== undefined))
          throw new AwsError('InvalidParameterException', 'Give exactly one of SecretString and SecretBinary.')
        const found = find(request.SecretId)
        const versionId = request.ClientRequestToken ?? randomUUID()
        const known = found.versions[versionId]
        if (known && known.value !== value)
          throw new AwsError('ResourceExistsException', 'A version with this token and another value exists already.')
        if (!known) {
          const binary = request.SecretBinary !== undefined
          addVersion(found, versionId, value, binary, request.VersionStages ?? ['AWSCURRENT'])
          state.save()
        }
        return {
          ARN: arnOf(found.name),
          Name: found.name,
          VersionId: versionId,
          VersionStages: stagesOf(found, versionId),
        }
      },
      DescribeSecret(input) {
        const found = find(parse(byId, input, 'InvalidParameterException').SecretId)
        const ids = Object.keys(found.versions)
        return {
          ARN: arnOf(found.name),
          Name: found.name,
          CreatedDate: found.createdAt / 1000,
          LastChangedDate: found.changedAt / 1000,
          VersionIdsToStages: Object.fromEntries(
            ids.map((id) => [id, stagesOf(found, id)] as const).filter(([, stages]) => stages.length > 0),
          ),
        }
      },
    },
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
