import type { PortName } from '../../adapters/ports.ts'

export type Level = 'read' | 'write'

export type Uses<U extends PortName> = Readonly<Record<U, Level>>

/** A function's ports: its environment, its grants and its live ports are derived from them. */
export type Access = Readonly<Partial<Record<PortName, Level>>>

/** The higher of two levels wins. */
export function mergeAccess(all: readonly Access[]): Access {
  const merged: Partial<Record<PortName, Level>> = {}
  for (const [port, level] of all.flatMap(portsOf)) if (merged[port] !== 'write') merged[port] = level
  return merged
}

/** Ports in a stable order. */
export const portsOf = (access: Access): [PortName, Level][] =>
  Object.entries(access).sort(([a], [b]) => a.localeCompare(b)) as [PortName, Level][] // safe because Access has port names only
