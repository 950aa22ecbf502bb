import { tableEnv } from '../adapters/dynamo/tables.ts'
import { registry, secrets, tablesOf } from '../adapters/registry.ts'
import type { PortName } from '../app/ports.ts'

/**
 * The ports whose adapters read an environment variable, such as `TOKENS_TABLE`: a function that uses one gets the
 * variable, and the rights to the resource it names.
 */
export const portsReading = (variable: string): PortName[] =>
  (Object.keys(registry) as PortName[]).filter((port) => {
    const { secrets: names = [], variables = [] } = registry[port]
    return [...tablesOf(port).map(tableEnv), ...names.map((name) => secrets[name]), ...variables].includes(variable)
  }) // safe because the registry has port names only
