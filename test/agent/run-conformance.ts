/**
 * `npm run test:agent -- [options] <command>`: checks any runtime under our supervisor. `--help` explains the options.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runtimeManifest } from '../../domain/instance/runtime.ts'
import { priceListVersion } from '../../domain/models/price-list.ts'
import { conform, type Limits, type Outcome, type Supported, type ToolCall, usualLimits } from './conformance.ts'

const help = `npm run test:agent -- [options] <command>

Runs a runtime's command under the supervisor, with the service's own model proxy and its prices in front of a scripted
model, and prints PASS or FAIL for each requirement of docs/agent-protocol.md. Without a command it checks the reference
agent. Paths are relative to the folder of the call. Put -- before a command that has options of its own, or quote it.

  --report <file>          writes a report in Markdown
  --stop                   also check that it ends its turn when the user stops it
  --activity <call>        a tool whose calls it shows, as 'name {"argument": …}': the model calls it
  --question <call>        a tool that asks its owner a yes-or-no question
  --unasked <call>         a tool that sends an unrequested message
  --only <text>            only the checks whose names contain this text
  --wait <seconds>         maximum time for each step; ${usualLimits.waitSeconds}
  --start <seconds>        maximum time until its first model call; ${usualLimits.startSeconds}
  --dollars <amount>       the balance of the wallet; ${usualLimits.dollars}
  --variable <NAME=value>  a variable of the user; repeatable
  --manifest <file>        its manifest.json, whose declared abilities are checked as well
  --verbose                prints the output of the machine as it arrives`

const options = {
  report: { type: 'string' },
  only: { type: 'string' },
  stop: { type: 'boolean' },
  activity: { type: 'string' },
  question: { type: 'string' },
  unasked: { type: 'string' },
  wait: { type: 'string' },
  start: { type: 'string' },
  dollars: { type: 'string' },
  variable: { type: 'string', multiple: true },
  manifest: { type: 'string' },
  verbose: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

/** The folder of the call: npm changes to the package's folder first. */
const calledFrom = process.env.INIT_CWD ?? process.cwd()

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** A shell command in which files of that folder have absolute paths, since it runs in the volume's workspace. */
export function commandFrom(words: readonly string[], folder: string): string | null {
  const [only = ''] = words
  if (words.length === 0) return null
  const inFull = (word: string): string =>
    !isAbsolute(word) && /[./]/.test(word) && existsSync(resolve(folder, word)) ? resolve(folder, word) : word
  // A single word is a whole command line, already quoted by its author.
  if (words.length === 1) return only.replace(/\S+/g, (word) => inFull(word))
  return words.map((word) => quoted(inFull(word))).join(' ')
}

/** A report that a runtime's author may publish. */
export function reportOf(command: string, limits: Limits, outcomes: readonly Outcome[], day: string): string {
  const counts = (result: Outcome['result']) => outcomes.filter((outcome) => outcome.result === result).length
  const dollars = outcomes.reduce((sum, outcome) => sum + outcome.dollars, 0)
  const rows = outcomes.map(({ name, result, because, ms }) => {
    const words = because.replace(/\s+/g, ' ').replaceAll('|', '\\|')
    return `| ${name} | ${result}${words && `: ${words}`} | ${(ms / 1000).toFixed(1)} |`
  })
  return [
    '# Conformance of this runtime to Berth’s machine protocol',
    `\`${command}\`, checked on ${day} with Node ${process.versions.node} on ${process.platform}-${process.arch}: ` +
      `${counts('passed')} passed, ${counts('failed')} failed, ${counts('skipped')} not needed.`,
    `Limits: ${limits.waitSeconds} s per step, ${limits.startSeconds} s to start, $${limits.dollars} in the wallet. Its model calls cost ` +
      `$${dollars.toFixed(6)} by the price list ${priceListVersion}.`,
    ['| requirement | result | seconds |', '| --- | --- | --- |', ...rows].join('\n'),
  ]
    .join('\n\n')
    .concat('\n')
}

/** The optional abilities to check. @throws for an invalid tool call */
export function supportedBy(values: {
  stop?: boolean | undefined
  activity?: string | undefined
  question?: string | undefined
  unasked?: string | undefined
}): Supported | undefined {
  const calls = (['activity', 'question', 'unasked'] as const).flatMap((kind) =>
    values[kind] === undefined ? [] : [[kind, toolCall(kind, values[kind])] as const],
  )
  if (calls.length === 0 && !values.stop) return undefined
  return { ...(values.stop && { stop: true }), ...Object.fromEntries(calls) }
}

function toolCall(option: string, given: string): ToolCall {
  const [, name, written] = /^(\S+)(?:\s+(\{.*\}))?$/s.exec(given.trim()) ?? []
  if (!name) throw new Error(`--${option} is a tool's name and its arguments as JSON`)
  return { name, arguments: JSON.parse(written ?? '{}') }
}

function amount(name: string, given: string | undefined, usual: number): number {
  const value = Number(given ?? usual)
  if (value > 0) return value
  throw new Error(`--${name} is a number above zero`)
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) {
    console.log(help)
    return 0
  }
  const limits: Limits = {
    waitSeconds: amount('wait', values.wait, usualLimits.waitSeconds),
    startSeconds: amount('start', values.start, usualLimits.startSeconds),
    dollars: amount('dollars', values.dollars, usualLimits.dollars),
  }
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort())
  const variables = Object.fromEntries((values.variable ?? []).map((each) => each.split(/=(.*)/s, 2)))
  const supported = supportedBy(values)
  const command = commandFrom(positionals, calledFrom)
  const own = join(import.meta.dirname, '../../agent/runtimes/reference/manifest.json')
  const manifest = values.manifest ? resolve(calledFrom, values.manifest) : command === null ? own : null
  const outcomes = await conform(command, {
    ...{ limits, variables, signal: stopping.signal, say: (line: string) => console.log(line) },
    ...(manifest && { supports: runtimeManifest.parse(JSON.parse(readFileSync(manifest, 'utf8'))).supports }),
    ...(values.only !== undefined && { only: values.only }),
    ...(supported && { supported }),
    ...(values.verbose && { onOutput: (text: string) => process.stdout.write(text) }),
  })
  if (values.report) {
    const day = new Date().toISOString().slice(0, 10)
    const text = reportOf(positionals.join(' ') || 'the reference agent', limits, outcomes, day)
    writeFileSync(resolve(calledFrom, values.report), text)
  }
  const failed = outcomes.filter(({ result }) => result === 'failed').length
  const passed = outcomes.filter(({ result }) => result === 'passed').length
  console.log(`${passed} passed, ${failed} failed, ${outcomes.length - passed - failed} not needed`)
  return failed > 0 || passed === 0 || stopping.signal.aborted ? 1 : 0
}

if (import.meta.main)
  process.exitCode = await main().catch((thrown: unknown) => {
    console.error(`${thrown instanceof Error ? thrown.message : thrown}\n\n${help}`)
    return 2
  })
