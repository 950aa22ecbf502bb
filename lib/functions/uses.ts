import { tableEnv } from '../../adapters/dynamo/tables.ts'
import type { PortName } from '../../adapters/ports.ts'
import { registry, secrets, tablesOf } from '../../adapters/registry.ts'

/** A function that uses one of these ports gets the variable, such as `TOKENS_TABLE`, and rights to its resource. */
export const portsReading = (variable: string): PortName[] =>
  (Object.keys(registry) as PortName[]).filter((port) => {
    const { secrets: names = [], variables = [] } = registry[port]
    return [...tablesOf(port).map(tableEnv), ...names.map((name) => secrets[name]), ...variables].includes(variable)
  }) // safe because the registry has port names only
