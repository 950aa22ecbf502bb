import { lambdaConcurrency } from '../../adapters/aws/deployment/account.ts'
import { areas } from '../../lambdas/areas.ts'

/** What Lambda keeps for functions that have none of their own, and refuses to reserve. */
const alwaysFree = 100

/** Concurrent executions that the functions of a stage keep for themselves. */
export const reservedByCode = areas.reduce((sum, { reservedConcurrency = 0 }) => sum + reservedConcurrency, 0)

/** The same of a stack that is deployed. */
export function reservedIn({ Resources = {} }: { Resources?: object }): number {
  const all = Object.values(Resources as Record<string, { Properties?: { ReservedConcurrentExecutions?: number } }>)
  return all.reduce((sum, { Properties }) => sum + (Properties?.ReservedConcurrentExecutions ?? 0), 0)
}

/** Whether the account lets a stage reserve what its code asks for, beside what other functions there have. */
export async function mayReserve(deployed: { Resources?: object }): Promise<boolean> {
  const { unreserved } = await lambdaConcurrency()
  return unreserved + reservedIn(deployed) - reservedByCode >= alwaysFree
}
