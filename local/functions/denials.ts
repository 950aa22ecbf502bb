/** The terminal's message about a request that a function's policies refuse. */

import type { Denial } from '../../emulators/aws/authorization.ts'
import { portsReading } from '../../lib/functions/uses.ts'
import { asObject, asText } from '../template/json.ts'
import type { Template } from '../template/template.ts'

const reads = /:(Get|BatchGet|Query|Describe|List|Filter|ConditionCheck|Decrypt)/

/** Says who lacks which right, and which line to change. */
export function denialLines(template: Template, { principal, need, why }: Denial): string[] {
  const functions = template.ofType('AWS::Lambda::Function')
  const fn = functions.find(({ properties }) => asText(properties.Role) === principal.arn)
  const who = fn?.name ?? principal.name
  const first = `Denied: ${who} may not ${need.action} on ${need.resource}, ${why}.`
  if (!fn) return [first, '  lib/functions/grants.ts and lib/ say what roles may do.']
  const stage = asText(variablesOf(fn).STAGE)
  const area = `lambdas/${fn.name.replace(`berth-${stage}-`, '')}`
  const ports = portsOf(functions.map(variablesOf), need.resource)
  const level = reads.test(need.action) ? 'read' : 'write'
  const uses = ports.map((port) => `uses: { ${port}: '${level}' }`).join(', or ')
  return [
    first,
    ports.length > 0
      ? `  In ${area} whoever does it wants ${uses} (adapters/registry.ts, lib/functions/grants.ts).`
      : `  In ${area} whoever does it wants a port with that right: lib/functions/grants.ts.`,
  ]
}

const variablesOf = ({ properties }: Template['resources'][number]) =>
  asObject(asObject(properties.Environment).Variables)

function portsOf(environments: ReturnType<typeof variablesOf>[], resource: string) {
  const values = new Map(
    environments.flatMap((variables) => Object.entries(variables).map(([name, value]) => [name, asText(value)])),
  )
  const named = [...values]
    .filter(([name, value]) => value.length > 3 && resource.includes(value) && portsReading(name).length > 0)
    .sort(([, a], [, b]) => b.length - a.length)
  const [best] = named
  return best ? portsReading(best[0]) : []
}
