// A runtime of off-the-shelf SDKs that know only their usual environment variables. Writes their answers to the volume.
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { default: Anthropic } = require('@anthropic-ai/sdk')
const { default: OpenAI } = require('openai')

process.on('SIGTERM', () => process.exit(0))

const openai = new OpenAI()
const plain = await openai.chat.completions.create({ model: 'default', messages: [{ role: 'user', content: 'hi' }] })
const streamed = []
for await (const part of await openai.chat.completions.create({
  model: 'default',
  stream: true,
  messages: [{ role: 'user', content: 'hi' }],
}))
  streamed.push({ at: Date.now(), text: part.choices[0]?.delta.content ?? '' })
const claude = await new Anthropic().messages.create({
  model: 'default',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'hi' }],
})

const ask = (path, key, method = 'GET') =>
  new Promise((resolve, reject) => {
    const target = new URL(process.env.BERTH_LOOPBACK)
    request(
      { host: target.hostname, port: target.port, path, method, headers: { authorization: `Bearer ${key}` } },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      },
    )
      .once('error', reject)
      .end()
  })

const key = process.env.BERTH_LOOPBACK_KEY
const report = {
  env: process.env,
  plain: plain.choices[0].message.content,
  streamed,
  claude: claude.content[0].text,
  wrongKey: await ask('/llm/proxy/v1/models', 'bl_wrong'),
  noKey: await ask('/llm/proxy/v1/models', ''),
  elsewhere: await Promise.all(
    ['/wallet', '/llm/proxy/../../wallet', '/llm/proxy/%2e%2e/wallet', '/agent/files/../../tokens', '//evil/x'].map(
      (path) => ask(path, key),
    ),
  ),
  files: await ask('/agent/files', key),
}
writeFileSync(`${process.env.BERTH_VOLUME}/report.json.next`, JSON.stringify(report))
const { renameSync } = await import('node:fs')
renameSync(`${process.env.BERTH_VOLUME}/report.json.next`, `${process.env.BERTH_VOLUME}/report.json`)

// Then it calls repeatedly, with the key that it read once.
setInterval(() => ask('/llm/proxy/v1/models', key), 100)
