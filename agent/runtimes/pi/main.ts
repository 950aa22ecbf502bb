import { join } from 'node:path'
import { parseObject } from '../../kit/json.ts'
import { sessionOf } from '../../kit/session.ts'
import { hostRuntime, NoAnswer, type Turn } from '../host.ts'
import { runProgram, writeWhole } from '../program.ts'
import { showToolCalls } from '../tool-calls.ts'

/** A line of `--mode json`. */
interface Event {
  type: string
  assistantMessageEvent: { type: string; delta?: string }
  message: { role: string; content: { type: string; text?: string }[]; stopReason?: string; errorMessage?: string }
  toolCallId: string
  toolName: string
  args: unknown
  result: unknown
  isError: boolean
}

async function answer(turn: Turn): Promise<string> {
  const { folder, stopped } = turn
  const calls = showToolCalls(turn)
  const home = join(folder, 'home')
  const session = turn.session ?? sessionOf(turn.prompt.conversation)
  await writeWhole(turn.volume, join(home, 'models.json'), { providers: { berth: providerOf(turn) } })
  let words = ''
  let last: Partial<Event['message']> = {}

  function line(text: string): void {
    const event = parseObject<Event>(text)
    const update = event.assistantMessageEvent
    if (event.type === 'message_start') words = ''
    if (update?.type === 'text_delta') {
      words += update.delta ?? ''
      turn.show(words)
    }
    if (event.type === 'message_end' && event.message?.role === 'assistant') last = event.message
    const { toolCallId = '', toolName = '', args, result, isError } = event
    if (event.type === 'tool_execution_start') calls.started(toolCallId, toolName, args)
    if (event.type === 'tool_execution_end') calls.ended(toolCallId, !isError, result)
  }

  const args = ['--mode', 'json', '-p', '--provider', 'berth', '--model', turn.model, '--session-id', session]
  if (turn.instructions) args.push('--append-system-prompt', turn.instructions)
  const env = { PI_CODING_AGENT_DIR: home, PI_OFFLINE: '1', BERTH_TURN_KEY: turn.key }
  args.push('--', ...turn.images.map(({ path }) => `@${path}`), turn.words)
  const { output } = await runProgram({ command: 'pi', args, env, folder, stopped, line })
  if (last.stopReason !== 'stop') throw new NoAnswer(last.errorMessage ?? output)
  await turn.setSession(session)
  return (last.content ?? []).flatMap(({ text }) => text ?? []).join('\n')
}

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

const providerOf = ({ baseUrl, model }: Turn) => ({
  baseUrl: `${baseUrl}/v1`,
  api: 'openai-completions',
  apiKey: '$BERTH_TURN_KEY',
  models: [
    {
      id: model,
      name: model,
      reasoning: false,
      input: ['text', 'image'],
      cost,
      contextWindow: 200_000,
      maxTokens: 16_000,
    },
  ],
})

hostRuntime('pi', answer)
