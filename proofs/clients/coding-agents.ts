/** Coding agents, each driven from a script as its users drive it, with a user's token at the service's own address. */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Programs } from './programs.ts'
import { readWish } from './upstream.ts'

/** The parameters of a run. */
interface Ask {
  /** The service's address. */
  berth: string
  token: string
  words: string
  /** Sent with the prompt. */
  image?: string
  /** The schema of the answer. */
  schema?: object
  interrupted?: Promise<unknown>
}

export interface CodingAgent {
  name: string
  version: string
  /** For a reader to paste, with BERTH and BERTH_TOKEN set. */
  line: string
  /** Features that the program does not have without a terminal, with the reason. */
  lacks: Record<string, string>
  run(ask: Ask): Promise<string>
}

const noSchema = { json: 'takes no schema' }
const [gpt, claude] = ['openai/gpt-5-mini', 'anthropic/claude-sonnet-4-6']
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
const limits = { contextWindow: 400_000, maxTokens: 16_000 }

/** @param versions of the programs, by package name */
export function codingAgents({ inside, output }: Programs, versions: Record<string, string>): CodingAgent[] {
  const bin = (name: string) => inside('node_modules/.bin', name)
  const folder = inside('work')
  mkdirSync(folder, { recursive: true })
  /** @returns its path */
  const put = (path: string, content: object | string) => {
    mkdirSync(inside(path, '..'), { recursive: true })
    writeFileSync(inside(path), typeof content === 'string' ? content : JSON.stringify(content))
    return inside(path)
  }
  const versionOf = (name: string) => versions[name] ?? ''

  const claudeCode = (name: string, model: string): CodingAgent => ({
    name,
    version: versionOf('@anthropic-ai/claude-code'),
    line: `ANTHROPIC_BASE_URL=$BERTH ANTHROPIC_AUTH_TOKEN=$BERTH_TOKEN ANTHROPIC_MODEL=${model} claude`,
    lacks: {},
    run: async ({ berth, token, words, image, schema, interrupted }) => {
      // The program reads an image with its read tool.
      const args = ['-p', image ? readWish(image) : words]
      if (schema) args.push('--output-format', 'json', '--json-schema', JSON.stringify(schema))
      const env = {
        ANTHROPIC_BASE_URL: berth,
        ANTHROPIC_AUTH_TOKEN: token,
        ANTHROPIC_MODEL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      }
      return output(bin('claude'), args, env, folder, interrupted)
    },
  })

  const codex = (name: string, model: string): CodingAgent => ({
    name,
    version: versionOf('@openai/codex'),
    line: `codex exec -m ${model} -c model_provider=berth -c 'model_providers.berth={name="Berth",base_url="'$BERTH'/v1",env_key="BERTH_TOKEN",wire_api="responses"}'`,
    lacks: {},
    run: async ({ berth, token, words, image, schema, interrupted }) => {
      const provider = `{name="Berth",base_url="${berth}/v1",env_key="BERTH_TOKEN",wire_api="responses"}`
      const configured = ['-m', model, '-c', 'model_provider=berth', '-c', `model_providers.berth=${provider}`]
      const args = ['exec', ...configured, '--skip-git-repo-check', words]
      if (image) args.push('--image', image)
      if (schema) args.push('--output-schema', put('work/schema.json', schema))
      return output(bin('codex'), args, { BERTH_TOKEN: token }, folder, interrupted)
    },
  })

  const opencode: CodingAgent = {
    name: 'opencode',
    version: versionOf('opencode-ai'),
    line: `opencode.json\`: \`{"model": "berth/${claude}", "provider": {"berth": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "$BERTH/v1", "apiKey": "{env:BERTH_TOKEN}"}, "models": {"${claude}": {"attachment": true, "modalities": {"input": ["text", "image"], "output": ["text"]}}}}}}`,
    lacks: noSchema,
    run: async ({ berth, token, words, image, interrupted }) => {
      const options = { baseURL: `${berth}/v1`, apiKey: '{env:BERTH_TOKEN}' }
      const model = { attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } }
      const provider = { npm: '@ai-sdk/openai-compatible', options, models: { [claude]: model } }
      put('work/opencode.json', { model: `berth/${claude}`, provider: { berth: provider } })
      const args = ['run', words, ...(image ? ['--file', image] : [])]
      return output(bin('opencode'), args, { BERTH_TOKEN: token }, folder, interrupted)
    },
  }

  const openclaw: CodingAgent = {
    name: 'OpenClaw',
    version: versionOf('openclaw'),
    line: `openclaw agent exec --config openclaw.json --code-mode direct --model berth/${gpt}\` with in openclaw.json \`{"models": {"mode": "merge", "providers": {"berth": {"baseUrl": "$BERTH/v1", "apiKey": "$BERTH_TOKEN", "api": "openai-completions", "models": [{"id": "${gpt}", "name": "GPT", "reasoning": false, "input": ["text", "image"], "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}, "contextWindow": 400000, "maxTokens": 16000}]}}}}`,
    lacks: noSchema,
    run: async ({ berth, token, words, image, interrupted }) => {
      const model = { id: gpt, name: 'GPT', reasoning: false, input: ['text', 'image'], cost, ...limits }
      const provider = { baseUrl: `${berth}/v1`, apiKey: token, api: 'openai-completions', models: [model] }
      const config = put('openclaw.json', { models: { mode: 'merge', providers: { berth: provider } } })
      const args = [
        'agent',
        'exec',
        '--config',
        config,
        '--cwd',
        folder,
        '--model',
        `berth/${gpt}`,
        '--code-mode',
        'direct',
      ]
      return output(bin('openclaw'), [...args, image ? readWish(image) : words], {}, folder, interrupted)
    },
  }

  const aider: CodingAgent = {
    name: 'aider',
    version: versionOf('pypi:aider-chat'),
    line: `OPENAI_API_BASE=$BERTH/v1 OPENAI_API_KEY=$BERTH_TOKEN aider --model openai/${gpt}`,
    lacks: { ...noSchema, tools: 'edits by text, has no tools' },
    run: async ({ berth, token, words, image, interrupted }) => {
      const unasked = ['--no-git', '--yes-always', '--no-show-model-warnings']
      const known = put('aider-models.json', { [`openai/${gpt}`]: { supports_vision: true, mode: 'chat' } })
      const args = ['--model', `openai/${gpt}`, ...unasked, '--model-metadata-file', known, '--message', words]
      const env = { OPENAI_API_BASE: `${berth}/v1`, OPENAI_API_KEY: token }
      const quiet = { AIDER_ANALYTICS: 'false', AIDER_CHECK_UPDATE: 'false' }
      return output(
        inside('aider/bin/aider'),
        [...args, ...(image ? [image] : [])],
        { ...env, ...quiet },
        folder,
        interrupted,
      )
    },
  }

  const pi: CodingAgent = {
    name: 'pi',
    version: versionOf('@mariozechner/pi-coding-agent'),
    line: `pi --provider berth --model ${gpt}\` with in ~/.pi/agent/models.json \`{"providers": {"berth": {"baseUrl": "$BERTH/v1", "api": "openai-completions", "apiKey": "BERTH_TOKEN", "models": [{"id": "${gpt}", "name": "GPT", "reasoning": true, "input": ["text", "image"], "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}, "contextWindow": 400000, "maxTokens": 16000}]}}}`,
    lacks: noSchema,
    run: async ({ berth, token, words, image, interrupted }) => {
      const model = { id: gpt, name: 'GPT', reasoning: true, input: ['text', 'image'], cost, ...limits }
      const provider = { baseUrl: `${berth}/v1`, api: 'openai-completions', apiKey: 'BERTH_TOKEN', models: [model] }
      put('home/.pi/agent/models.json', { providers: { berth: provider } })
      const args = ['--provider', 'berth', '--model', gpt, '-p', ...(image ? [`@${image}`] : []), words]
      return output(bin('pi'), args, { BERTH_TOKEN: token }, folder, interrupted)
    },
  }

  return [
    claudeCode('Claude Code', 'claude-sonnet-4-6'),
    claudeCode('Claude Code, a GPT', gpt),
    codex('Codex', 'gpt-5-mini'),
    codex('Codex, a Claude', claude),
    opencode,
    openclaw,
    aider,
    pi,
  ]
}
