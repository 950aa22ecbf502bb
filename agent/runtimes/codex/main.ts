import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseObject } from '../../kit/json.ts'
import { hostRuntime, NoAnswer, type Turn } from '../host.ts'
import { runProgram, writeWhole } from '../program.ts'
import { showToolCalls } from '../tool-calls.ts'

interface Item {
  id: string
  type: string
  text?: string
  command?: string
  aggregated_output?: string
  tool?: string
  query?: string
  arguments?: unknown
  status?: string
}

/** A line of `codex exec --json`. */
interface Event {
  type: string
  thread_id: string
  item: Item
  message: string
  error: { message: string }
}

/** Tool names shown to the user, by item type. */
const done: Record<string, string> = {
  command_execution: 'shell',
  file_change: 'apply_patch',
  mcp_tool_call: 'mcp',
  web_search: 'web_search',
}

async function answer(turn: Turn): Promise<string> {
  const { folder, session, stopped, model } = turn
  const calls = showToolCalls(turn)
  const home = join(folder, 'home')
  await mkdir(home, { recursive: true, mode: 0o700 })
  await writeWhole(turn.volume, join(home, 'AGENTS.md'), turn.instructions)
  let words = ''
  let problem = ''
  let opened: string | undefined

  function line(text: string): void {
    const { type, item, thread_id, message, error } = parseObject<Event>(text)
    opened ??= thread_id
    if (type === 'error' || type === 'turn.failed') problem = error?.message ?? message ?? problem
    if (type === 'turn.completed') problem = ''
    if (item?.type === 'agent_message') {
      words = item.text ?? ''
      turn.show(words)
    }
    const tool = item && (item.tool ?? done[item.type])
    if (!item || !tool || !done[item.type]) return
    calls.started(item.id, tool, item.command ?? item.query ?? item.arguments)
    if (type === 'item.completed') calls.ended(item.id, item.status === 'completed', item.aggregated_output)
  }

  const provider = `{name="Berth",base_url="${turn.baseUrl}/v1",env_key="BERTH_TURN_KEY",wire_api="responses"}`
  const settings = ['-m', model, '-c', 'model_provider=berth', '-c', `model_providers.berth=${provider}`]
  // The machine is the sandbox, and is the user's own.
  // A login shell would replace the machine's path.
  settings.push('-c', 'allow_login_shell=false')
  const args = ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', ...settings]
  args.push(...turn.images.map(({ path }) => `--image=${path}`))
  const { code, output } = await runProgram({
    command: 'codex',
    args: ['exec', ...(session ? ['resume', ...args, session] : args), '--', turn.words],
    env: { CODEX_HOME: home, BERTH_TURN_KEY: turn.key },
    folder,
    stopped,
    line,
  })
  if (code === 0 && !problem) {
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

hostRuntime('codex', answer)
