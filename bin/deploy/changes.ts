import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff'
import { statefulTypes } from '../../lib/storage/stateful.ts'

type Template = Record<string, unknown>

interface ResourceChange {
  id: string
  /** `AWS::DynamoDB::Table` */
  type: string
  does: 'add' | 'change' | 'replace' | 'may replace' | 'delete' | 'leave behind'
}

const words: Record<ResourceImpact, ResourceChange['does'] | null> = {
  [ResourceImpact.WILL_CREATE]: 'add',
  [ResourceImpact.WILL_IMPORT]: 'add',
  [ResourceImpact.WILL_UPDATE]: 'change',
  [ResourceImpact.WILL_REPLACE]: 'replace',
  [ResourceImpact.MAY_REPLACE]: 'may replace',
  [ResourceImpact.WILL_DESTROY]: 'delete',
  [ResourceImpact.WILL_ORPHAN]: 'leave behind',
  [ResourceImpact.NO_CHANGE]: null,
}

/** The differences between two templates, by CloudFormation's own rules of replacement. */
export function changesOf(before: Template, after: Template): ResourceChange[] {
  const all: ResourceChange[] = []
  fullDiff(before, after).resources.forEachDifference((id, change) => {
    const does = words[change.changeImpact]
    if (does) all.push({ id, type: change.resourceType ?? change.oldResourceType ?? '', does })
  })
  return all
}

const isStateful = ({ type }: ResourceChange): boolean => statefulTypes.has(type)

export const isLoss = (change: ResourceChange): boolean =>
  isStateful(change) && change.does !== 'add' && change.does !== 'change'

/** One line for each resource with state; the others are counted by type. */
export function describeChanges(changes: readonly ResourceChange[]): string[] {
  if (changes.length === 0) return ['nothing changes']
  const stateful = changes.filter(isStateful).map(({ id, type, does }) => `${does} ${type} ${id}`)
  const counts = new Map<string, number>()
  for (const { type, does } of changes.filter((change) => !isStateful(change)))
    counts.set(`${does} ${type}`, (counts.get(`${does} ${type}`) ?? 0) + 1)
  const others = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => `${what} × ${count}`)
  return [...stateful.sort().map((line) => `! ${line}`), ...others.map((line) => `  ${line}`)]
}
