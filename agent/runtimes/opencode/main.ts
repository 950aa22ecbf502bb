import { join } from 'node:path'
import { parseObject } from '../../kit/json.ts'
import { hostRuntime, NoAnswer, type Turn } from '../host.ts'
import { runProgram, writeWhole } from '../program.ts'
import { showToolCalls } from '../tool-calls.ts'

interface ToolState {
  status: string
  input?: unknown
  output?: string
  time?: { start: number; end: number }
}

/** A line of `opencode run --format json`. */
interface Event {
  type: string
  sessionID: string
  part: { text?: string; callID?: string; tool?: string; state?: ToolState; reason?: string }
  error: unknown
}

async function answer(turn: Turn): Promise<string> {
  const { folder, session, stopped, model } = turn
  const calls = showToolCalls(turn)
  const config = join(folder, 'opencode.json')
  const instructions = join(folder, 'instructions.md')
  await writeWhole(turn.volume, instructions, turn.instructions)
  await writeWhole(turn.volume, config, configOf(turn, instructions))
  let words = ''
  let problem = ''
  let opened: string | undefined

  function line(text: string): void {
    const { type, sessionID, part, error } = parseObject<Event>(text)
    opened ??= sessionID
    if (type === 'error') problem = JSON.stringify(error)
    if (type === 'step_start') words = ''
    if (type === 'text' && part?.text) {
      words += part.text
      turn.show(words)
    }
    const { callID, tool, state } = part ?? {}
    // The program reports a call only when it is over.
    if (type !== 'tool_use' || !callID || !tool || !state) return
    calls.started(callID, tool, state.input)
    calls.ended(callID, state.status === 'completed', state.output, state.time && state.time.end - state.time.start)
  }

  const args = ['run', '--format', 'json', '--auto', '--model', `berth/${model}`]
  // A given title avoids a model call for one, which the user would pay for.
  args.push(...(session ? ['--session', session] : ['--title', turn.prompt.conversation]))
  args.push(...turn.images.map(({ path }) => `--file=${path}`))
  const env = {
    BERTH_TURN_KEY: turn.key,
    OPENCODE_CONFIG: config,
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CACHE_HOME: join(folder, 'cache'),
  }
  const { output } = await runProgram({
    command: 'opencode',
    args: [...args, '--', turn.words],
    env,
    folder,
    stopped,
    line,
  })
  if (words && !problem) {
    if (opened) await turn.setSession(opened)
    return words
  }
  // A session may be missing after a restore: send the conversation again.
  if (session && opened === undefined) {
    await turn.setSession(null)
    return answer({ ...turn, session: null })
  }
  throw new NoAnswer(problem || output)
}

function configOf({ baseUrl, model }: Turn, instructions: string) {
  const options = { baseURL: `${baseUrl}/v1`, apiKey: '{env:BERTH_TURN_KEY}' }
  const modalities = { input: ['text', 'image'], output: ['text'] }
  const models = { [model]: { attachment: true, tool_call: true, modalities } }
  const provider = { berth: { npm: '@ai-sdk/openai-compatible', options, models } }
  const own = `berth/${model}`
  return { model: own, small_model: own, autoupdate: false, share: 'disabled', instructions: [instructions], provider }
}

hostRuntime('opencode', answer)
