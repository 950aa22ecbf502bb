import type { Skill } from '../../domain/catalogue/skill.ts'

/** Kinds of access, the widest first. */
const reachKinds = ['network', 'secrets', 'programs', 'writes'] as const
type ReachKind = (typeof reachKinds)[number]

export const reachOf = ({ access, requires }: Pick<Skill, 'access' | 'requires'>): ReachKind[] => {
  const has: Record<ReachKind, boolean> = {
    network: access.network.length > 0,
    secrets: requires.env.length > 0,
    programs: requires.bins.length > 0,
    writes: access.writes.some((path) => path !== 'memory'),
  }
  return reachKinds.filter((kind) => has[kind])
}
