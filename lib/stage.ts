import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { readRuntimes } from './runtimes.ts'

/**
 * What differs between two deployments. Each field is a CDK context value (`-c stage=prod`, or
 * `CDK_CONTEXT_JSON='{"stage":"local"}'` without the CDK's command line).
 */
const context = z.strictObject({
  /** `local` is the laptop, `dev` may be thrown away, any other keeps its data for ever. There is no default to forget. */
  stage: z
    .string('say which deployment this is, such as -c stage=prod')
    .regex(/^[a-z][a-z0-9-]{0,15}$/, '1 to 16 lower-case letters, digits and hyphens'),
  /** Two characters that name this account and Region in every token. */
  cell: z
    .string()
    .regex(/^[0-9A-Za-z]{2}$/, 'two letters or digits')
    .default('00'),
  /** Where browsers find the dashboard, when it is not the distribution's own address: `https://…`. */
  origin: z.url().optional(),
  domainName: z.string().optional(),
  /** Of the certificate of `domainName`, in us-east-1. */
  certificateArn: z.string().startsWith('arn:').optional(),
  /** The sender of every mail: a plain address. Only `local` and `dev` do without. */
  mailFrom: z.email().optional(),
  /** Who is told about alarms. */
  alarmMail: z.email().optional(),
  /** Runtimes that users may choose beside the reference agent, with commas between: their programs are in the image. */
  runtimes: z.string().default(''),
  /** Whether the one listener for Discord's plain messages runs; a laptop, where it costs nothing, has it. */
  discordGateway: z.enum(['on', 'off']).optional(),
  /** Tag of the agent's image. */
  imageVersion: z.string().optional(),
})

export type Stage = ReturnType<typeof readStage>

/** @throws an error that names the context value and what it should be */
export function readStage(read: (key: string) => unknown) {
  const given = Object.fromEntries(Object.keys(context.shape).map((key) => [key, read(key)]))
  const parsed = context.safeParse(given)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`The stage's context is wrong: ${problems.join('; ')}. Correct it (-c name=value).`)
  }
  const { stage: name, cell, domainName, certificateArn, mailFrom, alarmMail } = parsed.data
  if ((domainName === undefined) !== (certificateArn === undefined)) {
    throw new Error('Give domainName and certificateArn together: the distribution needs both.')
  }
  const local = name === 'local'
  const disposable = local || name === 'dev'
  if (!disposable && mailFrom === undefined) {
    throw new Error('Give mailFrom, the address that mails come from (-c mailFrom=…): nobody can sign in without it.')
  }
  const origin = parsed.data.origin ?? (local ? 'http://127.0.0.1:8787' : undefined)
  const runtimes = parsed.data.runtimes
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
  const known = readRuntimes(fileURLToPath(new URL('../agent/runtimes', import.meta.url))).map((each) => each.name)
  const unknown = runtimes.filter((each) => !known.includes(each))
  if (unknown.length > 0) throw new Error(`There is no runtime ${unknown.join(', ')}. There are: ${known.join(', ')}.`)
  return {
    name,
    cell,
    runtimes,
    local,
    /** Deleting the stacks deletes the data. */
    disposable,
    discordGateway: (parsed.data.discordGateway ?? (local ? 'on' : 'off')) === 'on',
    imageVersion: parsed.data.imageVersion ?? packageVersion(),
    /** Without a trailing slash. */
    origin: origin?.replace(/\/$/, ''),
    domain: domainName && certificateArn ? { name: domainName, certificateArn } : undefined,
    /** `verified` says whether SES is asked to verify the address here. */
    mail: { from: mailFrom ?? 'support@berth.example', verified: mailFrom !== undefined },
    alarmMail,
  }
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}
