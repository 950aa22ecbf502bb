/** The command `berth`: what a program on a machine can do on its own initiative. See `--help`. */
import { relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { commandSettings } from '../kit/environment.ts'
import { Service, ServiceError } from '../runtime/service.ts'
import {
  ask,
  cost,
  deleteLater,
  later,
  listLater,
  type NewMessage,
  secrets,
  shown,
  type TimedQuestion,
  tell,
} from './actions.ts'
import { readDuration, WhenError } from './when.ts'

const help = `berth: what you can do of your own accord, beside answering.

  berth ask "May I send this mail?" --approve   asks your user, and waits for the answer
      --approve | --choose "a,b" | --text       yes or no, one of these, or words
      --tool send_mail --arguments '{"to": …}'  what you would do: the answer is good for exactly this
      --wait 10m                                how long it waits (10m)
  berth tell "The backup is done."              says something that nobody asked for; 20 an hour
      --file chart.png                          with files of the volume, each by a --file of its own
      --start "Trip to Lisbon" | --in <id>      in a conversation of its own, or in one that is there
  berth later "in 2h" "Look at the build."      asks you this then; also 2026-11-24T08:00:00Z,
  berth later "0 8 * * 1-5" "Morning brief."    or again and again, by a cron line (--zone Europe/Berlin)
  berth later list | berth later delete <id>
  berth secrets                                 secrets that you can use and not read, and at which address
  berth cost                                    what this turn and this month have cost so far

With --json it prints JSON. If your shell ends a command that waits, run the same command again: it goes on waiting.
Exit codes: 0 done, or yes; 1 no; 2 not understood; 3 no answer in time; 4 refused; 5 not reached.`

const exits = { done: 0, no: 1, usage: 2, unanswered: 3, refused: 4, unreached: 5 } as const

const options = {
  approve: { type: 'boolean' },
  choose: { type: 'string' },
  text: { type: 'boolean' },
  tool: { type: 'string' },
  arguments: { type: 'string' },
  wait: { type: 'string' },
  file: { type: 'string', multiple: true },
  start: { type: 'string' },
  in: { type: 'string' },
  zone: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>['values']

class Usage extends Error {
  override name = 'Usage'
}

/** `words` is printed, or `object` with `--json`. */
interface Done {
  words: string
  json: unknown
  code?: number
}

function needed(value: string | undefined, what: string): string {
  if (value === undefined || value.trim() === '') throw new Usage(`${what} is missing.`)
  return value
}

function questionOf(text: string, values: Values): TimedQuestion {
  const kinds = [values.approve, values.choose !== undefined, values.text].filter(Boolean)
  if (kinds.length > 1) throw new Usage('Use one of --approve, --choose and --text.')
  const choices = values.choose?.split(',').map((each) => each.trim())
  return {
    text,
    answer: choices ? 'choose' : values.text ? 'text' : 'approve',
    ...(choices && { choices }),
    ...(values.tool && { tool: values.tool }),
    ...(values.arguments !== undefined && { arguments: objectOf(values.arguments) }),
    ...(values.wait !== undefined && { waitSeconds: Math.round(readDuration(values.wait) / 1000) }),
  }
}

function messageOf(text: string, values: Values, volume: string): NewMessage {
  if (values.start !== undefined && values.in !== undefined) throw new Usage('Use --start or --in, not both.')
  const attachments = values.file?.map((file) => ({ path: relative(volume, resolve(file)) }))
  return {
    text,
    ...(attachments && { attachments }),
    ...(values.in !== undefined && { conversation: values.in }),
    ...(values.start !== undefined && { startConversation: { title: values.start } }),
  }
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Object.fromEntries(Object.entries(value))
  } catch {
    // Reported below.
  }
  throw new Usage('--arguments is not a JSON object.')
}

async function run([verb, first, second]: string[], values: Values): Promise<Done> {
  const settings = commandSettings()
  const { promptId } = settings
  const service = new Service(settings, new AbortController().signal)
  if (verb === 'ask') {
    const question = await ask(service, promptId, questionOf(needed(first, 'The question'), values))
    const { given: answer } = question
    if (!answer) return { words: 'no answer in time', json: question, code: exits.unanswered }
    const words = answer.choice ?? answer.text ?? (answer.approved ? 'approved' : 'refused')
    return { words, json: question, code: answer.approved === false ? exits.no : exits.done }
  }
  if (verb === 'tell') {
    const answer = await tell(service, promptId, messageOf(needed(first, 'What to say'), values, settings.volume))
    const { conversation = 'main' } = answer.message ?? {}
    return { words: conversation === 'main' ? 'said' : `said in ${conversation}`, json: answer }
  }
  if (verb === 'later' && first === 'list') {
    const listed = await listLater(service)
    return { words: listed.schedules.map(shown.schedule).join('\n') || 'nothing', json: listed }
  }
  if (verb === 'later' && first === 'delete') {
    const gone = await deleteLater(service, needed(second, 'The id'))
    return { words: 'deleted', json: gone }
  }
  if (verb === 'later') {
    const request = {
      when: needed(first, 'The time'),
      text: needed(second, 'What to do'),
      ...(values.zone && { zone: values.zone }),
    }
    const made = await later(service, promptId, request, Date.now())
    return { words: shown.schedule(made), json: { schedule: made } }
  }
  if (verb === 'secrets') {
    const known = await secrets(service)
    const lines = known.map((secret) => shown.secret(secret, settings.loopback))
    const how = 'Call the address as you would call the host, with Authorization: Bearer $BERTH_LOOPBACK_KEY.'
    return { words: lines.length > 0 ? [...lines, how].join('\n') : 'nothing', json: { secrets: known } }
  }
  if (verb === 'cost') {
    const so = await cost(service, promptId)
    return { words: shown.cost(so), json: so }
  }
  throw new Usage(verb === undefined ? 'Say what to do.' : `"${verb}" is not known.`)
}

async function main(): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    if (values.help) {
      console.log(help)
      return exits.done
    }
    const { words, json, code = exits.done } = await run(positionals, values)
    console.log(values.json ? JSON.stringify(json) : words)
    return code
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    const isService = thrown instanceof ServiceError
    console.error(isService ? thrown.explanation || message : message)
    if (isService) return thrown.status > 500 ? exits.unreached : exits.refused
    const isUsage = thrown instanceof Usage || thrown instanceof WhenError || thrown instanceof TypeError
    if (isUsage) console.error('berth --help says how.')
    return isUsage ? exits.usage : exits.refused
  }
}

process.exitCode = await main()
