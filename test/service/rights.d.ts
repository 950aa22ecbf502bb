import type { Right } from '../../local/functions/principals.ts'

type Reason = [action: string, resource: string, why: string]
type Pair = Pick<Right, 'action' | 'resource'>

export const reasons: Reason[]
export function explains(reason: Reason, right: Pair): boolean
export function unusedRights(rights: { granted: Pair[]; used: Pair[] }): string[]
