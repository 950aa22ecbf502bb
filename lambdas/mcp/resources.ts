import { instanceUri, skillUri, walletUri } from '../../domain/mcp/changes.ts'
import type { Resource } from '../../domain/mcp/surface.ts'
import type { Scope } from '../../domain/scopes.ts'
import { type Caller, may, run } from './caller.ts'
import { readers } from './tools.ts'

const { wallet: getWallet, instance: getInstanceStatus, skill: getSkill } = readers

/** The scope that reading a resource, and hearing of its changes, wants; null for an address that is nothing of ours. */
export function scopeOf(uri: string): Scope | null {
  if (uri === walletUri) return getWallet.scope ?? null
  if (uri === instanceUri) return getInstanceStatus.scope ?? null
  return uri.startsWith(skillUri('')) ? (getSkill.scope ?? null) : null
}

export const templates = [
  {
    uriTemplate: skillUri('{id}'),
    name: 'skill',
    title: 'A skill',
    description: 'One skill of the catalogue with its instructions; ids come from skills.list.',
  },
]

/** The resources this caller's scopes cover; each is read by the operation of its tool. */
export async function resourcesFor(caller: Caller): Promise<Resource[]> {
  const skills = may(caller.actor, getSkill.scope) ? await caller.deps.catalogue.skills() : []
  const all = [
    {
      uri: walletUri,
      name: 'wallet',
      title: 'Wallet',
      description: 'The balance that pays for model calls, in micro-dollars.',
      read: () => run(caller, getWallet, {}),
    },
    {
      uri: instanceUri,
      name: 'instance',
      title: 'Instance',
      description: 'The agent’s machine, its state and why, and the subscription.',
      read: () => readInstance(caller),
    },
    ...skills.map(({ id, name, description }) => ({
      uri: skillUri(id),
      name: id,
      title: name,
      description,
      read: () => run(caller, getSkill, { id }),
    })),
  ]
  return all.filter(({ uri }) => may(caller.actor, scopeOf(uri) ?? undefined))
}

/** The status without the wallet, which is a resource of its own and changes with every model call. */
async function readInstance(caller: Caller): Promise<unknown> {
  const { wallet: _, ...rest } = getInstanceStatus.output.parse(await run(caller, getInstanceStatus, {}))
  return rest
}
