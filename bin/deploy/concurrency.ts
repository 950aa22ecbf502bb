import { lambdaConcurrency } from '../../adapters/aws/deployment/account.ts'
import { areas } from '../../lambdas/areas.ts'

/** Concurrency that Lambda keeps for functions without a reservation. */
const alwaysFree = 100

/** Concurrent executions that a stage's functions reserve. */
export const reservedByCode = areas.reduce((sum, { reservedConcurrency = 0 }) => sum + reservedConcurrency, 0)

/** The same for a deployed stack. */
export function reservedIn({ Resources = {} }: { Resources?: object }): number {
  const all = Object.values(Resources as Record<string, { Properties?: { ReservedConcurrentExecutions?: number } }>)
  return all.reduce((sum, { Properties }) => sum + (Properties?.ReservedConcurrentExecutions ?? 0), 0)
}

/** Whether the account's limit allows the stage's reservations. Those of the deployed stack count as free. */
export async function mayReserve(deployed: { Resources?: object }): Promise<boolean> {
  const { unreserved } = await lambdaConcurrency()
  return unreserved + reservedIn(deployed) - reservedByCode >= alwaysFree
}
