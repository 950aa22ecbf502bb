import type { Basics } from '../app/ports/basics.ts'
import { basics } from './basics.ts'
import { type Env, readEnv } from './env.ts'
import type { PortName, Ports } from './ports.ts'

/** Makes a port from the environment. Cheap, because adapters make clients on first use. */
export type Adapter<P extends PortName> = (env: Env) => Ports[P]

export function connect<const P extends PortName>(adapters: { [Name in P]: Adapter<Name> }): Pick<Ports, P> & Basics {
  const env = readEnv()
  const entries = Object.entries<(env: Env) => unknown>(adapters)
  const ports = Object.fromEntries(entries.map(([name, adapter]) => [name, adapter(env)]))
  // safe because `adapters` has exactly the ports P, each made by its own adapter
  return { ...(ports as Pick<Ports, P>), ...basics(env) }
}
