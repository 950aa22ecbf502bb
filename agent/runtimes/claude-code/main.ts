import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseObject } from '../../kit/json.ts'
import { hostRuntime, NoAnswer, type Turn } from '../host.ts'
import { runProgram, writeWhole } from '../program.ts'
import { showToolCalls } from '../tool-calls.ts'

interface Block {
  type: string
  id?: string
  name?: string
  input?: unknown
  tool_use_id?: string
  content?: unknown
  is_error?: boolean
}

/** A line of `--output-format stream-json`. */
interface Event {
  type: string
  session_id: string
  parent_tool_use_id: string | null
  event: { type: string; delta?: { type: string; text?: string } }
  message: { content: Block[] | string }
  is_error: boolean
  result: string
  errors: string[]
}

/** Allowed without asking, because the machine is the user's own. As root, Claude Code refuses to skip all checks. */
const tools = ['Bash', 'Edit', 'Glob', 'Grep', 'NotebookEdit', 'Read', 'Task', 'WebFetch', 'WebSearch', 'Write']

async function answer(turn: Turn): Promise<string> {
  const { session, stopped, folder } = turn
  const calls = showToolCalls(turn)
  const home = join(folder, 'home')
  await writeWhole(turn.volume, join(home, 'CLAUDE.md'), turn.instructions)
  let words = ''
  let result: Partial<Event> | undefined
  let opened: string | undefined

  function line(text: string): void {
    const event = parseObject<Event>(text)
    opened ??= event.session_id
    const isOwn = !event.parent_tool_use_id
    if (event.type === 'stream_event' && isOwn) {
      if (event.event?.type === 'message_start') words = ''
      words += event.event?.delta?.text ?? ''
      if (words) turn.show(words)
    }
    const content = event.message?.content
    for (const block of Array.isArray(content) ? content : []) {
      if (block.type === 'tool_use') calls.started(block.id ?? '', block.name ?? '', block.input)
      if (block.type === 'tool_result') calls.ended(block.tool_use_id ?? '', !block.is_error, block.content)
    }
    if (event.type === 'result') result = event
  }

  const args = ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages']
  args.push('--model', turn.model, '--permission-mode', 'acceptEdits', '--allowedTools', tools.join(','))
  if (session) args.push('--resume', session)
  const env = {
    ANTHROPIC_BASE_URL: turn.baseUrl,
    ANTHROPIC_API_KEY: turn.key,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: turn.model,
    CLAUDE_CONFIG_DIR: home,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }
  // The command line takes only text.
  const input = turn.images.length > 0 ? await messageOf(turn) : undefined
  const { output } = await runProgram({
    command: 'claude',
    args: [...args, ...(input ? ['--input-format', 'stream-json'] : ['--', turn.words])],
    ...(input && { input }),
    env,
    folder,
    stopped,
    line,
  })
  if (result && !result.is_error) {
    if (opened) await turn.setSession(opened)
    return result.result ?? words
  }
  const problem = [result?.result, ...(result?.errors ?? []), output].filter(Boolean).join('\n')
  // A session may be missing after a restore: send the conversation again.
  if (session && /No conversation found/i.test(problem)) {
    await turn.setSession(null)
    return answer({ ...turn, session: null })
  }
  throw new NoAnswer(problem)
}

/** The request as a line of its input, including images. */
async function messageOf({ words, images }: Turn): Promise<string> {
  const blocks = images.map(async ({ path, type }) => {
    const source = { type: 'base64', media_type: type, data: await readFile(path, 'base64') }
    return { type: 'image', source }
  })
  const content = [...(await Promise.all(blocks)), { type: 'text', text: words }]
  return `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`
}

hostRuntime('claude-code', answer)
