import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseObject } from '../../../agent/kit/json.ts'
import { hostRuntime, NoAnswer } from '../../../agent/runtimes/host.ts'
import { runProgram } from '../../../agent/runtimes/program.ts'
import { showToolCalls } from '../../../agent/runtimes/tool-calls.ts'

const program = fileURLToPath(new URL('./scripted-program.mjs', import.meta.url))

hostRuntime('scripted', async (turn) => {
  const { folder, stopped, baseUrl, key } = turn
  if (turn.prompt.text === 'Ask me.') {
    await turn.say('note-1', 'I am about to ask.')
    const { given } = await turn.ask({ key: 'ask-1', text: 'May I?', answer: 'approve' })
    return JSON.stringify(given)
  }
  const calls = showToolCalls(turn)
  let words = ''
  const { code, output: said } = await runProgram({
    command: process.execPath,
    args: [program, turn.words],
    env: { BASE: baseUrl, KEY: key, SESSION: join(folder, 'session.json') },
    folder,
    stopped,
    line(text) {
      const line = parseObject<{ text: string; started: string; tool: string; input: object; ended: string }>(text)
      words = line.text ?? words
      turn.show(words)
      if (line.started) calls.started(line.started, line.tool ?? '', line.input)
      if (line.ended) calls.ended(line.ended, true, 'done')
    },
  })
  if (code !== 0) throw new NoAnswer(said)
  await turn.setSession('session')
  return words
})
