/**
 * `npm run admin -- <command>`: what an operator may do to money, to model calls, to accounts that do harm, to keys, to new images, to what was given up and to chat platforms. Works on the local service (running or not) by
 * DATA_DIR, and with --stage on that deployment in the account that the AWS credentials name. Every change of an account wants --reason and
 * leaves a line in the owner's audit trail.
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { audit } from '../adapters/dynamo/account/audit.ts'
import { users } from '../adapters/dynamo/account/users.ts'
import { instances } from '../adapters/dynamo/instance/instances.ts'
import { rollouts } from '../adapters/dynamo/instance/rollouts.ts'
import { denials } from '../adapters/dynamo/models/denials.ts'
import { outbox } from '../adapters/dynamo/outbox.ts'
import { trialBudget } from '../adapters/dynamo/trial/trial-budget.ts'
import { books } from '../adapters/dynamo/wallet/books.ts'
import { wallets } from '../adapters/dynamo/wallet/wallets.ts'
import { adjustByHand, creditByHand, refundByHand } from '../app/operator/money.ts'
import { operatorLines } from '../app/operator/trail.ts'
import { auditWallet } from '../app/wallet/books.ts'
import { formatMicros } from '../domain/dollars.ts'
import { DomainError } from '../domain/errors.ts'
import { resumeRollout } from '../domain/instance/rollout.ts'
import { centsToMicros } from '../domain/money.ts'
import { mostStops, stopName } from '../domain/operator/stops.ts'
import { operatorsTrail } from '../domain/operator/trail.ts'
import { iso } from '../domain/time.ts'
import { heldOf } from '../domain/wallet/state.ts'
import { edgeHeaders } from '../lambdas/kit/client-address.ts'
import { channels } from './channels/command.ts'
import { openPlace } from './place.ts'
import { redrive } from './redrive.ts'
import { rotated, rotateEdgeKey, rotateMachineTokenKeys } from './rotate.ts'
import { changeStop, isPriced, stopTarget } from './stops.ts'
import { takeDown } from './takedown.ts'

const usage = `npm run admin -- <command>
  books                                             check every wallet against its ledger; exits with 1 on a difference
  wallet show    <user>                             a wallet beside what its ledger says, and its payments
  wallet rebuild <user> --reason <text>             write a wallet's numbers anew from its ledger
  credit  <user> <cents> --reason <text>            promotional credit
  adjust  <user> <±cents> --reason <text>           correct a balance; what it cannot cover becomes owed
  refund  <user> <payment> <cents> --reason <text>  take back what a payment (chk_… or its key) credited, after its money
                                                    was given back outside the billing provider
  suspend <user> --reason <text>                    stop all spending
  unsuspend <user> --reason <text>
  rollout show   <image version>                    how a new image does, and whom it failed
  rollout resume <image version>                    give a halted one to everybody again, those whom it failed included
  trials show                                       what trials were given today (UTC)
  trials stop --reason <text>                       no trial begins from now on; trials resume takes it back
  models denied                                     fields and tool types of model calls that are closed, and why
  models deny    <field or type> --reason <text>    close one to everybody: the alarm CostAboveHoldMicros names what a call
                                                    carried that cost more than is priced
  models allow   <field or type>
  stop   model <id> | provider <name> | user <user> | all  --reason <text>
                                                    within 15 s no model call of it begins or goes on; for a user or all no
                                                    machine starts either, and messages are kept until it is resumed
  resume model <id> | provider <name> | user <user> | all  --reason <text>
  stops                                             what is stopped, since when and why
  takedown <user> --reason <text>                   ends all that an account does, and keeps all that it has; see docs/abuse.md
  rotate machine-token-keys --reason <text>         a new key, without a gap; --leaked: the old one ends at once, and machines restart
  rotate edge-key --reason <text>                   a new key between CloudFront and the API, without a gap; takes minutes
  channels setup  <platform>                        telegram: registers webhook and commands there with TELEGRAM_BOT_TOKEN of
                                                    the environment, and writes the stage's secret
                                                    slack: prints the manifest of its app; with SLACK_APP_CONFIG_TOKEN makes
                                                    it; writes SLACK_APP_ID, _CLIENT_ID, _CLIENT_SECRET, _SIGNING_SECRET
                                                    discord: registers address and commands with DISCORD_BOT_TOKEN, writes
                                                    the secret, prints the link that adds the bot to a server
  channels doctor [platform]                        whether all is as it should be; --chat <id>: where to send a message to
  redrive                                           what functions, events and schedules gave up, and why
  redrive all | <id> …                              start it anew where it failed; what is done leaves the queue
  redrive drop <id> …                               take it out for good
Amounts are whole cents: 500 is $5.00. The reason stands in the owner's audit trail, and with the amount in the ledger.
Options: --key <text> (repeating a command with the same key does it once), --stage <name> (a deployment, by AWS_PROFILE
and AWS_REGION; without it the local service), --origin <https://…> (where the deployment is, for channels)`

class UsageError extends Error {}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      allowNegative: true,
      strict: true,
      args: process.argv.slice(2).map((arg) => (/^-\d/.test(arg) ? `\u2212${arg.slice(1)}` : arg)),
      options: {
        reason: { type: 'string' },
        key: { type: 'string' },
        stage: { type: 'string' },
        origin: { type: 'string' },
        chat: { type: 'string' },
        leaked: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}
const { values, positionals } = readArguments()

const place = await openPlace(values.stage).catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
const money = wallets(place.env)
const people = users(place.env)
const trail = outbox(place.env)
const ledger = books(place.env)
const images = rollouts(place.env)
const given = trialBudget(place.env)
const denied = denials(place.env)

/** A user there is, or a wallet that one has left. */
async function userOf(text: string | undefined): Promise<string> {
  if (!text?.startsWith('usr_')) throw new UsageError('Name the user as usr_….')
  if (await people.find(text)) return text
  if ((await auditWallet({ wallets: money }, text)).lines > 0) return text
  throw new UsageError(`There is no user ${text} here.`)
}
const reason = (): string => {
  if (!values.reason?.trim()) throw new UsageError('Say why: --reason "…".')
  return values.reason.trim()
}
const microsOf = (text: string | undefined): number => {
  const found = /^([+\u2212]?)(\d{1,9})$/.exec(text ?? '')
  const cents = Number(found?.[2])
  // `5.00` would be five cents, not the five dollars that were meant.
  if (!cents) throw new UsageError('Give the amount in whole cents, digits only: 500 is $5.00.')
  return centsToMicros(found?.[1] === '\u2212' ? -cents : cents)
}
/** Does what writes to the store, together with the lines that say why: neither is there without the other. */
const noted = <T>(user: string, operation: string, record: string, act: () => Promise<T>): Promise<T> => {
  const actor = { kind: 'operator' as const, id: process.env.USER ?? null }
  const about = user === operatorsTrail ? {} : { user }
  const lines = operatorLines({ operation, record, actor }, { ...about, reason: reason() })
  return trail.along({ lines }, act).then(({ result }) => result)
}

async function show(userId: string): Promise<number> {
  const { state, lines, differences } = await auditWallet({ wallets: money }, userId)
  console.log(
    `${userId}: available ${formatMicros(state.available)}, held ${formatMicros(heldOf(state))}, owed ${formatMicros(state.owed)}` +
      `${state.frozen === null ? '' : `, suspended (${state.frozen})`}; its ${lines} ledger lines ` +
      (differences.length === 0 ? 'agree' : 'differ (amounts in millionths of a dollar):'),
  )
  for (const difference of differences) console.log(`  ${difference}`)
  return differences.length > 0 ? 1 : 0
}

/** The wallet, and the payments that `refund` can take back. */
async function showAll(userId: string): Promise<number> {
  const code = await show(userId)
  for await (const { name, amountMicros, takenBackMicros } of money.payments(userId)) {
    const taken = takenBackMicros > 0 ? `, ${formatMicros(takenBackMicros)} of it taken back` : ''
    console.log(`  ${name} credited ${formatMicros(amountMicros)}${taken}`)
  }
  return code
}

async function rebuild(userId: string): Promise<number> {
  reason()
  const found = await auditWallet({ wallets: money }, userId)
  if (found.differences.length === 0) {
    console.log('There is nothing to rebuild.')
    return show(userId)
  }
  for (const difference of found.differences) console.log(`  ${difference}`)
  const rewrite = () => ledger.rewrite(found.state, found.expected)
  if (!(await noted(userId, 'admin.wallet.rebuild', userId, rewrite)))
    throw new UsageError('The wallet moved meanwhile. Run it again.')
  console.log(`${userId} is rebuilt from ${found.lines} lines.`)
  return 0
}

async function checkBooks(): Promise<number> {
  const owners: string[] = []
  for await (const userId of ledger.owners()) owners.push(userId)
  const wrong: string[] = []
  for (const [i, userId] of owners.entries()) {
    const { differences } = await auditWallet({ wallets: money }, userId)
    if (differences.length > 0) wrong.push(`${userId}: ${differences.join('; ')}`)
    progress(i + 1, owners.length)
  }
  for (const line of wrong) console.log(line)
  console.log(`${owners.length} wallets, ${wrong.length} that differ from their ledger`)
  return wrong.length > 0 ? 1 : 0
}

function progress(done: number, all: number): void {
  if (!process.stderr.isTTY && done < all) return
  const width = 30
  const bar = '#'.repeat(Math.round((done / all) * width)).padEnd(width, '.')
  process.stderr.write(`\r[${bar}] ${done}/${all}${done === all ? '\n' : ''}`)
}

async function move(command: 'credit' | 'adjust' | 'refund', userId: string, rest: string[]): Promise<number> {
  const payment = command === 'refund' ? rest.shift() : undefined
  if (command === 'refund' && !payment) throw new UsageError('Name the payment: chk_… or its key.')
  const micros = microsOf(rest[0])
  if (micros < 0 && command !== 'adjust') throw new UsageError('The amount is above zero.')
  const act = { userId, key: values.key ?? randomUUID(), micros, reason: reason() }
  const deps = { wallets: money }
  const now = Date.now()
  const line = await noted(userId, `admin.${command}`, `${command}#${act.key}`, () => {
    if (payment) return refundByHand(deps, act, payment, now)
    return command === 'credit' ? creditByHand(deps, act, now) : adjustByHand(deps, act, now)
  }).catch((error: unknown) => {
    if (!(error instanceof DomainError && error.code === 'not-found')) throw error
    throw new UsageError(`Nothing was credited by ${payment}. "wallet show ${userId}" lists what was.`)
  })
  console.log(line ? `${line.id} ${formatMicros(line.amountMicros)}` : 'Nothing was left to do: it was done before.')
  return show(userId)
}

async function suspend(userId: string, on: boolean): Promise<number> {
  const act = () => (on ? money.freeze(userId, reason(), Date.now()) : money.unfreeze(userId, Date.now()))
  const changed = await noted(userId, on ? 'admin.suspend' : 'admin.unsuspend', userId, act)
  console.log(changed ? `${userId} is ${on ? 'suspended' : 'open again'}.` : `${userId} was that already.`)
  return 0
}

async function rollout(verb: string | undefined, version: string | undefined): Promise<number> {
  if (!version || (verb !== 'show' && verb !== 'resume')) throw new UsageError(usage)
  const found = await images.find(version)
  if (found.revision === 0) throw new UsageError(`Nobody has tried the image ${version}.`)
  if (verb === 'resume' && !(await images.save(resumeRollout(found), found)))
    throw new UsageError('The rollout moved meanwhile. Run it again.')
  const { state, healthy, failed, trying } = verb === 'resume' ? resumeRollout(found) : found
  console.log(
    `${version} is ${state}: ${healthy} run it, ${Object.keys(trying).length} are trying it, it failed ${Object.keys(failed).length}`,
  )
  for (const userId of Object.keys(failed)) console.log(`  ${userId}`)
  return 0
}

async function trials(verb: string | undefined): Promise<number> {
  if (verb === 'stop')
    console.log((await given.stop(reason(), iso(Date.now()))) ? 'Stopped.' : 'They were stopped before.')
  else if (verb === 'resume') console.log((await given.resume()) ? 'They go on.' : 'Nobody had stopped them.')
  else if (verb !== 'show') throw new UsageError(usage)
  const day = await given.day(Date.now())
  const state = day.stopped === null ? 'not stopped' : `stopped (${day.stopped})`
  console.log(`Today ${day.trials} trials were given ${formatMicros(day.givenMicros)}; trials are ${state}.`)
  return 0
}

async function models(verb: string | undefined, name: string | undefined): Promise<number> {
  const seen = await denied.find()
  if (verb === 'deny' || verb === 'allow') {
    if (!name || !/^[\w.-]{1,60}$/.test(name)) throw new UsageError('Name one field or type: letters, digits, _ - .')
    const { [name]: _, ...others } = seen.fields
    const fields = verb === 'deny' ? { ...others, [name]: reason() } : others
    if (!(await denied.save({ ...seen, fields }, seen)))
      throw new UsageError('The list changed meanwhile. Run it again.')
    console.log(`${name} is ${verb === 'deny' ? 'closed' : 'open'} within ten seconds.`)
    return 0
  }
  if (verb !== 'denied') throw new UsageError(usage)
  for (const [field, why] of Object.entries(seen.fields)) console.log(`${field}: ${why}`)
  if (Object.keys(seen.fields).length === 0) console.log('Nothing is closed.')
  return 0
}

/** What became of it, in words; the ways it can go wrong are the caller's to repeat. */
async function changeStops(on: boolean, [kind, what]: string[]): Promise<number> {
  const target = stopTarget(kind, what)
  if (!target) throw new UsageError('Say what: model <id>, provider <name>, user <usr_…> or all.')
  const owner = target.kind === 'user' ? await userOf(target.what) : operatorsTrail
  const by = process.env.USER ?? null
  const stopped = { reason: reason(), by }
  const name = target.kind === 'all' ? 'All' : `The ${target.kind} ${target.what}`
  const act = () => changeStop(denied, target, on ? stopped : null)
  const outcome = await noted(owner, on ? 'admin.stop' : 'admin.resume', stopName(target.kind, target.what), act)
  if (outcome === 'moved') throw new UsageError('The list changed meanwhile. Run it again.')
  if (outcome === 'full')
    throw new UsageError(`More than ${mostStops} cannot be stopped by name. Stop all, or resume some.`)
  console.log(
    outcome === 'same'
      ? `${name} was that already.`
      : on
        ? `${name} is stopped: within 15 s everywhere.`
        : `${name} goes on: within ten seconds, machines within two minutes.`,
  )
  if (on && !isPriced(target)) console.log(`No priced ${target.kind} is called so: look at its name again.`)
  return 0
}

async function takedown(userId: string): Promise<number> {
  const by = process.env.USER ?? null
  const noteStep = <T>(operation: string, act: () => Promise<T>) => noted(userId, operation, userId, act)
  const ports = { denials: denied, wallets: money, instances: instances(place.env) }
  for (const line of await takeDown(ports, { userId, reason: reason(), by }, noteStep, Date.now())) console.log(line)
  return 0
}

async function rotate(name: string | undefined): Promise<number> {
  const found = rotated.find((each) => each === name)
  if (!found) throw new UsageError(`Name one of ${rotated.join(', ')}.`)
  reason()
  if (found === 'machine-token-keys') {
    console.log(await rotateMachineTokenKeys(place.secrets, values.leaked, Date.now()))
    return noteRotation(found)
  }
  // Loaded where it is needed: nothing else here is about CloudFront.
  const { edgeKeyPlaces } = await import('../adapters/aws/edge-key-places.ts')
  const places = values.stage ? await edgeKeyPlaces(`berth-${values.stage}-service`, edgeHeaders.key) : null
  console.log(await rotateEdgeKey(place.secrets, places, console.log))
  return noteRotation(found)
}

/** What is done to a secret is in no table: its line is written by itself. */
async function noteRotation(record: string): Promise<number> {
  const actor = { kind: 'operator' as const, id: process.env.USER ?? null }
  await audit(place.env).record({ userId: operatorsTrail, operation: 'admin.rotate', record, actor, reason: reason() })
  return 0
}

async function listStops(): Promise<number> {
  const { stops } = await denied.find()
  for (const [name, { reason, at, by }] of Object.entries(stops).sort())
    console.log(`${name.replace('#', ' ')} since ${at}${by === null ? '' : ` by ${by}`}: ${reason}`)
  if (Object.keys(stops).length === 0) console.log('Nothing is stopped.')
  return 0
}

function redriveOf(rest: string[]): Promise<number> {
  if (!values.stage) throw new UsageError('The local service keeps nothing of it: its terminal said what it gave up.')
  return redrive(values.stage, rest)
}

async function run([command, ...rest]: string[]): Promise<number> {
  if (command === 'books') return checkBooks()
  if (command === 'wallet' && rest[0] === 'show') return showAll(await userOf(rest[1]))
  if (command === 'wallet' && rest[0] === 'rebuild') return rebuild(await userOf(rest[1]))
  if (command === 'credit' || command === 'adjust' || command === 'refund')
    return move(command, await userOf(rest[0]), rest.slice(1))
  if (command === 'suspend' || command === 'unsuspend') return suspend(await userOf(rest[0]), command === 'suspend')
  if (command === 'stop' || command === 'resume') return changeStops(command === 'stop', rest)
  if (command === 'stops') return listStops()
  if (command === 'takedown') return takedown(await userOf(rest[0]))
  if (command === 'rotate') return rotate(rest[0])
  if (command === 'models') return models(rest[0], rest[1])
  if (command === 'channels') return channels(rest, { origin: values.origin, chat: values.chat }, place.secrets)
  if (command === 'trials') return trials(rest[0])
  if (command === 'rollout') return rollout(rest[0], rest[1])
  if (command === 'redrive') return redriveOf(rest)
  throw new UsageError(usage)
}

try {
  process.exitCode = await run(positionals)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
} finally {
  await place.close()
}
