import { copyFile, mkdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseObject } from '../../kit/json.ts'
import { sessionOf } from '../../kit/session.ts'
import { hostRuntime, NoAnswer, type Turn } from '../host.ts'
import { runProgram, writeWhole } from '../program.ts'
import { showToolCalls } from '../tool-calls.ts'

/** The output of `openclaw agent --json`. */
interface Result {
  payloads: { text?: string | null; isError?: boolean }[]
  meta: {
    aborted?: boolean
    stopReason?: string
    error?: { message?: string }
    agentMeta?: { terminalReceipt?: { successfulToolNames?: string[] } }
  }
}

const ownedByAnother = /failed to acquire gateway state ownership/
const [retryMs, maxTries] = [5_000, 12]

async function answer(turn: Turn): Promise<string> {
  const { folder, stopped, model } = turn
  const config = join(folder, 'openclaw.json')
  const session = turn.session ?? sessionOf(turn.prompt.conversation)
  await writeWhole(turn.volume, config, configOf(turn))
  let printed = ''
  const line = (text: string) => {
    printed += `${text}\n`
  }
  const args = ['agent', '--local', '--json', '--session-id', session, '--model', `berth/${model}`]
  const env = {
    BERTH_TURN_KEY: turn.key,
    OPENCLAW_CONFIG_PATH: config,
    OPENCLAW_STATE_DIR: join(folder, 'state'),
  }
  const message = [turn.words, ...(await mediaOf(turn))].join('\n')
  const words = turn.instructions && !turn.session ? `${turn.instructions}\n\n${message}` : message
  const run = { command: 'openclaw', args: [...args, `--message=${words}`], env, folder, stopped, line }
  let { code, output } = await runProgram(run)
  // After a crash, the killed process owns the state for a while.
  for (let tried = 0; code !== 0 && ownedByAnother.test(output) && !stopped.aborted && tried < maxTries; tried++) {
    await sleep(retryMs)
    printed = ''
    ;({ code, output } = await runProgram(run))
  }
  const { payloads = [], meta } = parseObject<Result>(printed)
  const text = payloads.flatMap((each) => each.text ?? []).join('\n\n')
  if (code !== 0 || meta?.error || payloads.some(({ isError }) => isError))
    throw new NoAnswer([text, meta?.error?.message, output].filter(Boolean).join('\n'))
  // The program reports its tool calls only at the end.
  const calls = showToolCalls(turn)
  for (const [index, tool] of (meta?.agentMeta?.terminalReceipt?.successfulToolNames ?? []).entries()) {
    calls.started(`${turn.prompt.id}-${index}`, tool, undefined)
    calls.ended(`${turn.prompt.id}-${index}`, true)
  }
  await turn.setSession(session)
  return text
}

/** The program shows images to the model only from its own media folder. */
async function mediaOf({ images, folder, prompt }: Turn): Promise<string[]> {
  const media = join(folder, 'state', 'media', 'inbound')
  if (images.length > 0) await mkdir(media, { recursive: true, mode: 0o700 })
  return Promise.all(
    images.map(async ({ path }, index) => {
      const copy = join(media, `${prompt.messageId}-${index}${extname(path)}`)
      await copyFile(path, copy)
      return copy
    }),
  )
}

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

function configOf({ baseUrl, model, volume }: Turn) {
  const limits = { contextWindow: 200_000, maxTokens: 16_000 }
  const offered = { id: model, name: model, reasoning: false, input: ['text', 'image'], cost, ...limits }
  const provider = {
    baseUrl: `${baseUrl}/v1`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it reads the key from its environment, so that none is on the volume.
    apiKey: '${BERTH_TURN_KEY}',
    api: 'openai-completions',
    models: [offered],
  }
  const defaults = { model: { primary: `berth/${model}` }, workspace: join(volume, 'workspace'), skipBootstrap: true }
  return { models: { mode: 'merge', providers: { berth: provider } }, agents: { defaults } }
}

hostRuntime('openclaw', answer)
