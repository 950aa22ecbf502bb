import { events } from '../../adapters/dynamo/chat/events.ts'
import { instances } from '../../adapters/dynamo/instance/instances.ts'
import { denials } from '../../adapters/dynamo/models/denials.ts'
import { suspensions } from '../../adapters/dynamo/operator/suspensions.ts'
import { wallets } from '../../adapters/dynamo/wallet/wallets.ts'
import { changeStop, isPriced, stopTarget } from '../../app/operator/stops.ts'
import { takeDown } from '../../app/operator/takedown.ts'
import { mostStops, stopName } from '../../domain/operator/stops.ts'
import { operatorsTrail } from '../../domain/operator/trail.ts'
import { auditOf, type Command, type Context, reasonOf, UsageError, userOf } from './command.ts'

export const stop: Command = {
  usage: [
    [
      'stop   model <id> | provider <name> | user <user> | all  --reason <text>',
      'within 15 s, block its model calls and end running ones; for a user or all, also start no machines, and keep messages until the resume',
    ],
  ],
  run: (context, words) => change(context, words, true),
}

export const resume: Command = {
  usage: [['resume model <id> | provider <name> | user <user> | all  --reason <text>', '']],
  run: (context, words) => change(context, words, false),
}

export const stops: Command = {
  usage: [['stops', 'list the blocks, with time and reason']],
  async run({ env }) {
    const all = Object.entries((await denials(env).find()).stops).sort()
    for (const [name, { reason, at, by }] of all)
      console.log(`${name.replace('#', ' ')} since ${at}${by === null ? '' : ` by ${by}`}: ${reason}`)
    if (all.length === 0) console.log('Nothing is blocked.')
    return 0
  },
}

export const takedown: Command = {
  usage: [
    ['takedown <user> --reason <text>', 'stop everything that an account does, and keep its data; see docs/abuse.md'],
  ],
  async run(context, [user]) {
    const { env, by } = context
    const userId = await userOf(context, user)
    const ports = {
      denials: denials(env),
      events: events(env),
      wallets: wallets(env),
      instances: instances(env),
      suspensions: suspensions(env),
    }
    const auditOfStep = (operation: string) => auditOf(context, { user: userId, operation, record: userId })
    const done = await takeDown(ports, { userId, reason: reasonOf(context), by }, auditOfStep, Date.now())
    for (const line of done) console.log(line)
    return 0
  },
}

async function change(context: Context, [kind, what]: string[], on: boolean): Promise<number> {
  const target = stopTarget(kind, what)
  if (!target) throw new UsageError('Name one: model <id>, provider <name>, user <usr_…> or all.')
  const user = target.kind === 'user' ? await userOf(context, target.what) : operatorsTrail
  const stopped = on ? { reason: reasonOf(context), by: context.by } : null
  const about = {
    user,
    operation: on ? 'admin.stop' : 'admin.resume',
    record: stopName(target.kind, target.what),
  }
  const outcome = await changeStop(denials(context.env), target, stopped, auditOf(context, about))
  if (outcome === 'moved') throw new UsageError('The list changed in the meantime. Run this again.')
  if (outcome === 'full') throw new UsageError(`At most ${mostStops} names can be blocked. Stop all, or resume some.`)
  const name = target.kind === 'all' ? 'All' : `The ${target.kind} ${target.what}`
  if (outcome === 'same') console.log(`${name} ${on ? 'was already blocked' : 'was not blocked'}.`)
  else if (on) console.log(`${name} is blocked, everywhere within 15 s.`)
  else console.log(`${name} is allowed again: calls within ten seconds, machines within two minutes.`)
  if (on && !isPriced(target)) console.log(`No ${target.kind} with this name has a price: check the name.`)
  return 0
}
