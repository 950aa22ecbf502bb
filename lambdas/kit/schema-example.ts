import * as z from 'zod'
import { prefixes } from '../../domain/ids.ts'

type Schema = z.core.JSONSchema.BaseSchema
type Direction = 'input' | 'output'

/** The first of these texts that matches a pattern is its example. */
const texts = [
  ...prefixes.map((prefix) => `${prefix}_01KAHB2N3P4Q5R6S7T8V9WXYZ0`),
  'tok_3QZ6q5b1mS0x5rjS8uWb1A',
  'ses_3QZ6q5b1mS0x5rjS8uWb1A',
  '123456',
  '2026-11-01',
  '2026-11',
  'daily-brief',
  'DAILY_BRIEF',
  'local/echo',
  'notes/today.md',
  '0 9 * * *',
  'a'.repeat(64),
  'a'.repeat(43),
  'a'.repeat(22),
  '00Ab12Cd',
]
const byFormat: Record<string, string> = {
  'date-time': '2026-11-01T12:00:00.000Z',
  date: '2026-11-01',
  email: 'ada@example.com',
  uri: 'https://berth.example/checkout',
}

const ulid = '01KAHB2N3P4Q5R6S7T8V9WXYZ0'

export const idsByNoun: Record<string, string> = {
  tokens: 'tok_3QZ6q5b1mS0x5rjS8uWb1A',
  transactions: `txn_${ulid}`,
  sessions: 'ses_3QZ6q5b1mS0x5rjS8uWb1A',
  passkeys: 'pky_3QZ6q5b1mS0x5rjS8uWb1A',
  schedules: `sch_${ulid}`,
  'restore-points': `rsp_${ulid}`,
  tasks: `tsk_${ulid}`,
  skills: 'daily-brief',
  personas: 'friendly-coach',
}

/** Examples by name, for fields without an example or a pattern of their own. */
const byName: Record<string, string> = {
  agent: 'Your wallet has 12.40 USD.',
  allowedTools: 'read_file',
  bins: 'git',
  body: '# Daily brief\n\nSum up what happened since yesterday.',
  callId: `call_${ulid}`,
  code: 'machine-lost',
  confirm: 'ada@example.org',
  conversation: 'main',
  cursor: 'dHhuXzAx.k3Qm9s',
  description: 'Sums up the day in ten lines.',
  email: 'ada@example.com',
  enabled: 'true',
  env: 'CITY',
  etag: '9f86d081884c7d65',
  explanation:
    'Your agent is awake. It was last woken by a message. It sleeps after 15 minutes without a message, and 2 minutes after what a schedule asks.',
  failure: 'The machine did not answer.',
  id: `usr_${ulid}`,
  after: 'today.md',
  currentCode: '123456',
  instanceId: `ins_${ulid}`,
  line: '0 9 * * *',
  newCode: '654321',
  owned_by: 'openai',
  point: `rsp_${ulid}`,
  promptId: `prm_${ulid}`,
  q: 'calendar',
  sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  turn: 'bmt_turn.eyJ1IjoidXNyIn0.c2lnbmF0dXJl',
  imageVersion: '0.1.0',
  inReplyTo: `msg_${ulid}`,
  license: 'MIT',
  machine: 'arn:aws:ecs:eu-central-1:123456789012:task/berth/0b6b7a5e',
  message: 'The machine stopped answering; it is started again.',
  messageId: `msg_${ulid}`,
  model: 'openai/gpt-5',
  name: 'Daily brief',
  next: 'today.md',
  nextCursor: 'dHhuXzAx.k3Qm9s',
  number: 'BERTH-0042',
  path: 'notes/today.md',
  persona: 'default',
  plaintext: 'oss_00Ab12CdEf34GhIj56KlMn78OpQr90StUvWxYz',
  priceVersion: '2026-11-01',
  provider: 'openai',
  reason: 'It asks for a program that the image does not have.',
  replaces: 'tok_3QZ6q5b1mS0x5rjS8uWb1A',
  text: 'When is the tide?',
  url: 'https://berth.example/checkout',
  variables: 'CITY',
  version: '1.2.0',
}

/** A valid value, made of the examples in the schema. An input has only its required fields, an output all fields. */
export function exampleOf(schema: z.ZodType, direction: Direction, name = ''): unknown {
  const root = z.toJSONSchema(schema, { io: direction, unrepresentable: 'any' })

  function make(part: z.core.JSONSchema._JSONSchema | undefined, depth: number, name = ''): unknown {
    if (typeof part !== 'object') return {}
    if (part.example !== undefined) return part.example
    if (part.const !== undefined) return part.const
    if (part.default !== undefined) return part.default
    if (part.enum) return part.enum[0]
    if (part.$ref) return make(root.$defs?.[part.$ref.split('/').at(-1) ?? ''], depth + 1, name)
    const [option] = part.anyOf ?? part.oneOf ?? part.allOf ?? []
    if (option) return make(option, depth, name)
    const [type] = [part.type].flat()
    if (type === 'object') return makeObject(part, depth)
    if (type === 'array') return depth > 6 ? [] : [make([part.items].flat()[0], depth + 1, name)]
    if (type === 'string') return makeText(part, name)
    if (type === 'boolean') return true
    if (type === 'null') return null
    return type === 'integer' || type === 'number' ? makeNumber(part) : {}
  }

  function makeObject({ properties = {}, required = [] }: Schema, depth: number) {
    const shown = Object.entries(properties).filter(([name]) => direction === 'output' || required.includes(name))
    return Object.fromEntries(shown.map(([name, part]) => [name, make(part, depth + 1, name)]))
  }

  return make(root, 0, name)
}

function makeNumber({ minimum, exclusiveMinimum }: Schema): number {
  const least = minimum ?? (typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 1)
  return Math.max(least, 1)
}

/** Used where a name is missing above; a test looks for it. */
const noExample = 'no example'

function makeText({ format, pattern, minLength = 0 }: Schema, name: string): string {
  const known = format && byFormat[format]
  if (known) return known
  const fitting = pattern ? texts.find((text) => new RegExp(pattern).test(text)) : undefined
  return (fitting ?? byName[name] ?? noExample).padEnd(minLength, '.')
}
