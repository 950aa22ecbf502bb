import type { StackResource } from '../../adapters/aws/deployment/removal.ts'
import { formatMicros } from '../../domain/dollars.ts'
import { awsPrices, type VendorPrice } from '../../lib/reports/aws-prices.ts'
import type { Stage } from '../../lib/stage.ts'
import { statefulTypes } from '../../lib/storage/stateful.ts'

const { secretMonth, efsGibMonth, backupGibMonth, keyMonth, s3GibMonth } = awsPrices
/** Monthly price of one resource that remains. */
const monthly: Readonly<Record<string, readonly VendorPrice[]>> = {
  'AWS::SecretsManager::Secret': [secretMonth],
  'AWS::EFS::FileSystem': [efsGibMonth, backupGibMonth],
  'AWS::KMS::Key': [keyMonth],
  'AWS::S3::Bucket': [s3GibMonth],
}
const hintOf = (type: string): string =>
  monthly[type]?.map(({ micros, per }) => `${formatMicros(micros)} a ${per}`).join(', ') ??
  (/::(Table|Repository)$/.test(type) ? 'by its size' : 'nothing')

interface Held {
  service: readonly StackResource[]
  state: readonly StackResource[]
  /** Logical ids of the service stack's resources that CloudFormation does not delete. */
  retained: readonly string[]
}

export function staysOf({ disposable }: Pick<Stage, 'disposable'>, { service, state, retained }: Held): string[] {
  const kept = [
    ...service.filter(({ id }) => retained.includes(id)),
    ...(disposable ? [] : state.filter(({ type }) => statefulTypes.has(type))),
  ]
  return kept
    .sort((a, b) => `${a.type}${a.name}`.localeCompare(`${b.type}${b.name}`))
    .map(({ type, name }) => `${type} ${name}: ${hintOf(type)}`)
}

export function describeRemoval(stage: Pick<Stage, 'name' | 'disposable'>, held: Held): string[] {
  const { service, state } = held
  const stays = staysOf(stage, held)
  return [
    '',
    'To be removed:',
    ...(service.length > 0
      ? [
          `  running machines, with data that is not on their volumes yet`,
          `  berth-${stage.name}-service: ${service.length} resources`,
        ]
      : []),
    ...(stage.disposable && state.length > 0
      ? [`! berth-${stage.name}-state: ${state.length} resources, with all accounts, wallets, files and secrets`]
      : []),
    'To be kept:',
    ...(stays.length > 0 ? stays.map((line) => `  ${line}`) : ['  nothing']),
  ]
}
