import type { Told } from './works-with.ts'

interface Library extends Told {
  /** The package whose version is shown; a package of PyPI begins with `pypi:`. */
  package: string
}

const [gpt, claude] = ['openai/gpt-5-mini', 'claude-sonnet-4-6']
const openai = 'new OpenAI({ baseURL: BERTH + "/v1", apiKey: BERTH_TOKEN })'
const openaiPython = 'OpenAI(base_url=f"{BERTH}/v1", api_key=BERTH_TOKEN)'
const asyncPython = `Async${openaiPython}`
const aiSdk = (name: string): Record<string, Library> => ({
  [`${name}, @ai-sdk/anthropic`]: {
    package: name,
    line: `createAnthropic({ baseURL: BERTH + "/v1", apiKey: BERTH_TOKEN })("${claude}")`,
  },
  [`${name}, @ai-sdk/openai responses`]: {
    package: name,
    line: `createOpenAI({ baseURL: BERTH + "/v1", apiKey: BERTH_TOKEN })("${gpt}")`,
  },
  [`${name}, @ai-sdk/openai chat`]: {
    package: name,
    line: `createOpenAI({ baseURL: BERTH + "/v1", apiKey: BERTH_TOKEN }).chat("${gpt}")`,
  },
})

/** The libraries of sdks.mjs, sdks.py and frameworks.py. */
export const libraries: Record<string, Library> = {
  'openai, chat completions': { package: 'openai', line: openai },
  'openai, responses': { package: 'openai', line: openai },
  '@anthropic-ai/sdk': {
    package: '@anthropic-ai/sdk',
    line: 'new Anthropic({ baseURL: BERTH, authToken: BERTH_TOKEN, apiKey: null })',
  },
  ...aiSdk('ai'),
  ...aiSdk('ai7'),
  '@langchain/anthropic': {
    package: '@langchain/anthropic',
    line: `new ChatAnthropic({ model: "${claude}", apiKey: BERTH_TOKEN, clientOptions: { baseURL: BERTH } })`,
  },
  '@langchain/openai': {
    package: '@langchain/openai',
    line: `new ChatOpenAI({ model: "${gpt}", apiKey: BERTH_TOKEN, configuration: { baseURL: BERTH + "/v1" } })`,
  },
  '@openai/agents, responses': {
    package: '@openai/agents',
    line: `new OpenAIResponsesModel(${openai}, "${gpt}")`,
  },
  '@openai/agents, chat': {
    package: '@openai/agents',
    line: `new OpenAIChatCompletionsModel(${openai}, "${gpt}")`,
  },
  'openai (Python), chat': { package: 'pypi:openai', line: openaiPython },
  'openai (Python), responses': { package: 'pypi:openai', line: openaiPython },
  'anthropic (Python)': { package: 'pypi:anthropic', line: 'Anthropic(base_url=BERTH, auth_token=BERTH_TOKEN)' },
  litellm: {
    package: 'pypi:litellm',
    line: `litellm.completion(model="openai/${gpt}", api_base=f"{BERTH}/v1", api_key=BERTH_TOKEN, messages=messages)`,
  },
  instructor: {
    package: 'pypi:instructor',
    line: `instructor.from_openai(${openaiPython}, mode=instructor.Mode.JSON_SCHEMA)`,
    lacks: { text: 'makes objects alone', tools: 'makes objects alone' },
  },
  'pydantic-ai, chat': {
    package: 'pypi:pydantic-ai-slim',
    line: `OpenAIChatModel("${gpt}", provider=OpenAIProvider(base_url=f"{BERTH}/v1", api_key=BERTH_TOKEN))`,
  },
  'pydantic-ai, responses': {
    package: 'pypi:pydantic-ai-slim',
    line: `OpenAIResponsesModel("${gpt}", provider=OpenAIProvider(base_url=f"{BERTH}/v1", api_key=BERTH_TOKEN))`,
  },
  'langchain-openai (Python)': {
    package: 'pypi:langchain-openai',
    line: `ChatOpenAI(model="${gpt}", base_url=f"{BERTH}/v1", api_key=BERTH_TOKEN)`,
  },
  'langchain-anthropic (Python)': {
    package: 'pypi:langchain-anthropic',
    line: `ChatAnthropic(model="${claude}", base_url=BERTH, api_key=BERTH_TOKEN)`,
  },
  'openai-agents (Python), responses': {
    package: 'pypi:openai-agents',
    line: `OpenAIResponsesModel("${gpt}", openai_client=${asyncPython})`,
  },
  'openai-agents (Python), chat': {
    package: 'pypi:openai-agents',
    line: `OpenAIChatCompletionsModel("${gpt}", openai_client=${asyncPython})`,
  },
}
