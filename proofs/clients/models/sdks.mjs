// The libraries for Node whose names begin with the argument, each used for its purpose. Prints one line of JSON per
// check.

import { readFileSync } from 'node:fs'
import * as anthropic6 from '@ai-sdk/anthropic'
import * as openai6 from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
import * as agents from '@openai/agents'
import * as ai6 from 'ai'
import * as ai7 from 'ai7'
import * as anthropic7 from 'ai7-anthropic'
import * as openai7 from 'ai7-openai'
import OpenAI from 'openai'
import { z } from 'zod'

const { BASE, KEY, WISHES, CHECKS } = process.env
const wishes = JSON.parse(WISHES)
const png = readFileSync(new URL('pixel.png', import.meta.url)).toString('base64')
const [claude, gpt] = ['claude-sonnet-4-6', 'openai/gpt-5-mini']
const schema = {
  type: 'object',
  properties: { answer: { type: 'number' } },
  required: ['answer'],
  additionalProperties: false,
}
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

const openai = new OpenAI({ baseURL: `${BASE}/v1`, apiKey: KEY, maxRetries: 0 })
const anthropic = new Anthropic({ baseURL: BASE, authToken: KEY, apiKey: null, maxRetries: 0 })
const url = `data:image/png;base64,${png}`
const chat = (more) => ({ model: gpt, messages: [{ role: 'user', content: wishes.say }], ...more })
const message = (more) => ({
  model: claude,
  max_tokens: 500,
  messages: [{ role: 'user', content: wishes.say }],
  ...more,
})
const joined = async (stream, text) => {
  let all = ''
  for await (const event of stream) all += text(event) ?? ''
  return all
}
/** Disconnects after the first word. */
const left = async (stream, leave) => {
  let came = false
  try {
    for await (const _ of await stream) {
      came = true
      leave()
    }
  } catch (error) {
    if (!came) throw error
  }
  return came ? 'left' : 'nothing came'
}
const say = (content) => ({ messages: [{ role: 'user', content }] })

const sdk = {
  'openai, chat completions': {
    text: async () => (await openai.chat.completions.create(chat())).choices[0].message.content,
    stream: async () =>
      joined(await openai.chat.completions.create(chat({ stream: true })), (chunk) => chunk.choices[0]?.delta.content),
    tools: async () =>
      (
        await openai.chat.completions.create(
          chat({ ...say(wishes.tool), tools: [{ type: 'function', function: { name: 'weather', parameters: city } }] }),
        )
      ).choices[0].message.tool_calls[0].function.arguments,
    json: async () =>
      (
        await openai.chat.completions.create(
          chat({
            ...say(wishes.json),
            response_format: { type: 'json_schema', json_schema: { name: 'a', schema, strict: true } },
          }),
        )
      ).choices[0].message.content,
    image: async () =>
      (
        await openai.chat.completions.create(
          chat(
            say([
              { type: 'text', text: wishes.say },
              { type: 'image_url', image_url: { url } },
            ]),
          ),
        )
      ).choices[0].message.content,
    cancel: async () => {
      const stream = await openai.chat.completions.create(chat({ ...say(wishes.long), stream: true }))
      return left(stream, () => stream.controller.abort())
    },
  },
  'openai, responses': {
    text: async () => (await openai.responses.create({ model: gpt, input: wishes.say })).output_text,
    stream: async () =>
      joined(await openai.responses.create({ model: gpt, input: wishes.say, stream: true }), (event) =>
        event.type === 'response.output_text.delta' ? event.delta : '',
      ),
    tools: async () =>
      (
        await openai.responses.create({
          model: gpt,
          input: wishes.tool,
          tools: [{ type: 'function', name: 'weather', parameters: city, strict: false }],
        })
      ).output[0].arguments,
    json: async () =>
      (
        await openai.responses.create({
          model: gpt,
          input: wishes.json,
          text: { format: { type: 'json_schema', name: 'a', schema, strict: true } },
        })
      ).output_text,
    image: async () =>
      (
        await openai.responses.create({
          model: gpt,
          input: [
            {
              role: 'user',
              content: [
                { type: 'input_text', text: wishes.say },
                { type: 'input_image', image_url: url, detail: 'auto' },
              ],
            },
          ],
        })
      ).output_text,
    cancel: async () => {
      const stream = await openai.responses.create({ model: gpt, input: wishes.long, stream: true })
      return left(stream, () => stream.controller.abort())
    },
  },
  '@anthropic-ai/sdk': {
    text: async () => (await anthropic.messages.create(message())).content[0].text,
    stream: async () => (await anthropic.messages.stream(message()).finalMessage()).content[0].text,
    tools: async () =>
      JSON.stringify(
        (
          await anthropic.messages.create(
            message({ ...say(wishes.tool), tools: [{ name: 'weather', input_schema: city }] }),
          )
        ).content[0].input,
      ),
    json: async () =>
      (
        await anthropic.messages.create(
          message({ ...say(wishes.json), output_config: { format: { type: 'json_schema', schema } } }),
        )
      ).content[0].text,
    image: async () =>
      (
        await anthropic.messages.create(
          message(
            say([
              { type: 'text', text: wishes.say },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
            ]),
          ),
        )
      ).content[0].text,
    cancel: async () => {
      const stream = anthropic.messages.stream(message(say(wishes.long)))
      return left(stream, () => stream.abort())
    },
  },
}

const modelsOf = (name, { createAnthropic }, { createOpenAI }) => ({
  [`${name}, @ai-sdk/anthropic`]: createAnthropic({ baseURL: `${BASE}/v1`, apiKey: KEY })(claude),
  [`${name}, @ai-sdk/openai responses`]: createOpenAI({ baseURL: `${BASE}/v1`, apiKey: KEY })(gpt),
  [`${name}, @ai-sdk/openai chat`]: createOpenAI({ baseURL: `${BASE}/v1`, apiKey: KEY }).chat(gpt),
})
const models = [
  ...Object.entries(modelsOf('ai', anthropic6, openai6)).map((entry) => [...entry, ai6]),
  ...Object.entries(modelsOf('ai7', anthropic7, openai7)).map((entry) => [...entry, ai7]),
]
for (const [name, model, { generateObject, generateText, streamText, tool }] of models) {
  const once = { model, maxRetries: 0 }
  const weather = tool({
    description: 'The weather',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => city,
  })
  sdk[name] = {
    text: async () => (await generateText({ ...once, prompt: wishes.say })).text,
    stream: async () => {
      let failed
      const text = await joined(
        streamText({ ...once, prompt: wishes.say, onError: ({ error }) => (failed = error) }).textStream,
        (part) => part,
      )
      if (failed) throw failed
      return text
    },
    tools: async () => (await generateText({ ...once, prompt: wishes.tool, tools: { weather } })).toolResults[0].output,
    cancel: async () => {
      const leaving = new AbortController()
      let failed
      const onError = ({ error }) => (failed = error)
      const { textStream } = streamText({ ...once, prompt: wishes.long, abortSignal: leaving.signal, onError })
      for await (const _ of textStream) leaving.abort()
      if (!leaving.signal.aborted) throw failed
      return 'left'
    },
    json: async () =>
      JSON.stringify(
        (await generateObject({ ...once, prompt: wishes.json, schema: z.object({ answer: z.number() }) })).object,
      ),
    image: async () =>
      (
        await generateText({
          ...once,
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: wishes.say },
                { type: 'image', image: Buffer.from(png, 'base64') },
              ],
            },
          ],
        })
      ).text,
  }
}

const chains = {
  '@langchain/anthropic': new ChatAnthropic({
    model: claude,
    apiKey: KEY,
    maxRetries: 0,
    clientOptions: { baseURL: BASE },
  }),
  '@langchain/openai': new ChatOpenAI({
    model: gpt,
    apiKey: KEY,
    maxRetries: 0,
    configuration: { baseURL: `${BASE}/v1` },
  }),
}
for (const [name, model] of Object.entries(chains)) {
  const human = (content) => [{ role: 'user', content }]
  sdk[name] = {
    text: async () => (await model.invoke(wishes.say)).text,
    stream: async () => joined(await model.stream(wishes.say), (chunk) => chunk.text),
    tools: async () => {
      const tools = [{ type: 'function', function: { name: 'weather', description: 'The weather', parameters: city } }]
      return JSON.stringify((await model.bindTools(tools).invoke(wishes.tool)).tool_calls)
    },
    image: async () =>
      (
        await model.invoke(
          human([
            { type: 'text', text: wishes.say },
            { type: 'image_url', image_url: { url } },
          ]),
        )
      ).text,
    json: async () =>
      JSON.stringify(await model.withStructuredOutput(z.object({ answer: z.number() })).invoke(wishes.json)),
    cancel: () => {
      const leaving = new AbortController()
      return left(model.stream(wishes.long, { signal: leaving.signal }), () => leaving.abort())
    },
  }
}

const agentModels = {
  '@openai/agents, responses': new agents.OpenAIResponsesModel(openai, gpt),
  '@openai/agents, chat': new agents.OpenAIChatCompletionsModel(openai, gpt),
}
agents.setTracingDisabled(true)
for (const [name, model] of Object.entries(agentModels)) {
  const agent = (more) => new agents.Agent({ name: 'prove', model, ...more })
  const weather = agents.tool({
    name: 'weather',
    description: 'The weather',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => city,
  })
  sdk[name] = {
    text: async () => (await agents.run(agent(), wishes.say)).finalOutput,
    stream: async () => {
      const answer = await agents.run(agent(), wishes.say, { stream: true })
      const text = await joined(answer.toTextStream(), (part) => part)
      await answer.completed
      return text
    },
    tools: async () => (await agents.run(agent({ tools: [weather] }), wishes.tool)).finalOutput,
    json: async () =>
      JSON.stringify(
        (await agents.run(agent({ outputType: z.object({ answer: z.number() }) }), wishes.json)).finalOutput,
      ),
    image: async () => {
      const content = [
        { type: 'input_text', text: wishes.say },
        { type: 'input_image', image: url },
      ]
      return (await agents.run(agent(), [{ role: 'user', content }])).finalOutput
    },
    cancel: async () => {
      const leaving = new AbortController()
      const answer = await agents.run(agent(), wishes.long, { stream: true, signal: leaving.signal })
      answer.completed.catch(() => {})
      const said = await left(answer.toTextStream(), () => leaving.abort())
      if (answer.error && said !== 'left') throw answer.error
      return said
    },
  }
}

for (const [client, checks] of Object.entries(sdk).filter(([name]) => name.startsWith(process.argv[2]))) {
  for (const [check, run] of Object.entries(checks).slice(0, CHECKS === 'first' ? 1 : undefined)) {
    const said = await run().catch((error) => `${error.message} ${error.responseBody ?? ''}`)
    console.log(JSON.stringify({ client, check, said }))
  }
}
