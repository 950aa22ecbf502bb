import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { receiveMessage } from '../../app/chat/receive-message.ts'
import type { Audience } from '../../domain/actor.ts'
import { agentFilesAnswer } from '../../domain/agent/files.ts'
import { polledWork } from '../../domain/agent/task.ts'
import { agentContext } from '../../domain/agent/turn.ts'
import { clientMessages, machineMessage } from '../../domain/socket/message.ts'
import { createAgentAttachment } from '../../lambdas/agent/create-agent-attachment.ts'
import { getAgentQuestion } from '../../lambdas/agent/get-agent-question.ts'
import { getAgentSecrets } from '../../lambdas/agent/get-agent-secrets.ts'
import { giveAgentFeedback } from '../../lambdas/agent/give-agent-feedback.ts'
import { agentArea } from '../../lambdas/agent/index.ts'
import { errorsOf, statusOf } from '../../lambdas/kit/errors.ts'
import { llmArea } from '../../lambdas/llm/index.ts'
import { signCallBody } from '../../lambdas/llm/sign-call-body.ts'
import { llmLargeArea } from '../../lambdas/llm-large/index.ts'
import { modelsOver } from '../lambdas/llm/ports.ts'
import { answering, startUpstream, usage } from '../lambdas/llm/upstream.ts'
import { openWorld, type World } from '../world.ts'

const document = readFileSync(join(import.meta.dirname, '../../docs/agent-protocol.md'), 'utf8')

/** Fenced examples of one kind, in order. */
const examples = (kind: string): string[] =>
  [...document.matchAll(new RegExp(`^\`\`\`${kind}\\n([^]*?)\\n\`\`\`$`, 'gm'))].map(([, text = '']) => text)

let world: World
let upstream: Awaited<ReturnType<typeof startUpstream>>
beforeAll(async () => {
  upstream = await startUpstream()
  upstream.use(answering(200, { choices: [{ message: { content: 'At 14:10.' } }], usage: usage(100, 10) }))
  world = await openWorld({
    areas: [agentArea, llmArea, llmLargeArea],
    ports: ['restorePoints', 'metrics'],
    replace: () => ({ models: modelsOver(upstream.url) }),
  })
})
afterAll(async () => {
  await world.close()
  await upstream.close()
})

const audienceOf = (path: string): Audience =>
  path.startsWith('/llm') ? 'llm' : path.startsWith('/agent/files') ? 'files' : 'agent'

describe('the machine’s protocol', () => {
  test('shows answers that the service’s own schemas accept', () => {
    const sent = z.union([
      z.strictObject({ action: z.literal('ping') }),
      clientMessages.text.extend({ action: z.literal('text') }),
    ])
    const pushed = Array.from({ length: 5 }, () => machineMessage)
    const schemas = [
      agentFilesAnswer,
      polledWork,
      agentContext,
      giveAgentFeedback.output,
      signCallBody.output,
      polledWork,
      ...pushed,
      sent,
      sent,
      z.strictObject({ stopped: z.boolean() }),
      getAgentQuestion.output,
      getAgentSecrets.output,
      polledWork,
      createAgentAttachment.output,
    ]
    const shown = examples('json')
    expect(shown).toHaveLength(schemas.length)
    shown.forEach((text, i) => {
      const example = JSON.parse(text)
      expect(schemas[i]?.parse(example)).toEqual(example)
    })
  })

  test('is followed by its own examples, in their order', async () => {
    const tenant = await world.tenant()
    const at = new Date(world.clock.nowMs).toISOString()
    await world.ports.wallets.creditOnce(tenant.userId, 'gift', 5_000_000, 'adjustment', 'Gift', at)
    await receiveMessage(
      world.ports,
      tenant.userId,
      { text: 'When is the tide?', conversation: 'main', channel: 'web' },
      world.clock.nowMs,
    )
    /** Ids in the examples, with the service's actual ids in their place. */
    const said = new Map<string, string>()
    const asked = examples('http')
    expect(asked.length).toBeGreaterThanOrEqual(8)
    // The prompt is closed last, even if an earlier chapter closes it.
    const closing = asked.filter((text) => text.includes('/agent/feedback'))
    for (const text of [...asked.filter((text) => !closing.includes(text)), ...closing]) {
      const [head = '', ...rest] = [...said].reduce((whole, [from, to]) => whole.replaceAll(from, to), text).split('\n')
      const [method = '', path = ''] = head.split(' ')
      const headers = rest.filter((line) => /^[\w-]+: /.test(line)).map((line) => line.split(': '))
      const body = rest.filter((line) => !/^[\w-]+: /.test(line)).join('\n')
      const answer = await world.request({
        method,
        path,
        headers: { ...(await world.machine(tenant, audienceOf(path))), ...Object.fromEntries(headers) },
        ...(body && { body: JSON.parse(body) }),
      })
      expect([head, answer.status, answer.body?.details]).toEqual([head, 200, undefined])
      if (answer.body.upload) {
        const { url, headers } = answer.body.upload
        expect((await fetch(url, { method: 'PUT', headers, body: 'hello' })).status).toBe(200)
        said.set('att_01KAHB2N3P4Q5R6S7T8V9WXYZ0', answer.body.attachment.id)
      }
      if (answer.body.prompt) said.set('prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0', answer.body.prompt.id)
      if (answer.body.question) said.set('qst_01KAHB2N3P4Q5R6S7T8V9WXYZ0', answer.body.question.id)
      if (typeof answer.body.turn === 'string') said.set('bmt_turn.eyJ1IjoidXNyIn0.c2lnbmF0dXJl', answer.body.turn)
    }
    const { items } = await world.ports.wallets.transactions(tenant.userId, { after: null, limit: 1, type: 'usage' })
    expect(items[0]?.receipt?.trigger).toBe('chat')
  })

  test('names every error code that a machine can get, with its status', () => {
    const operations = [agentArea, llmArea, llmLargeArea]
      .flatMap(({ operations }) => operations)
      .filter(({ auth }) => auth !== 'pat')
    const rows = document.split('\n').filter((line) => /^\| [45]\d\d \|/.test(line))
    for (const code of new Set(operations.flatMap(errorsOf))) {
      expect([
        code,
        rows.some((row) => row.startsWith(`| ${statusOf[code]} |`) && row.includes(`\`${code}\``)),
      ]).toEqual([code, true])
    }
  })

  test('names every address of a model call', () => {
    const documented = /^\/llm\/proxy($|\/v1\/(?!v1\/))/
    for (const { http } of [...llmArea.operations, ...llmLargeArea.operations])
      for (const path of [http.path, ...(http.aliases ?? [])].filter((each) => documented.test(each)))
        expect(document).toContain(`${http.method} ${path}\``)
  })
})
