import type { ReactNode } from 'react'
import { marked } from './marked.ts'

export const modelsTexts = {
  title: 'Set up a model',
  now: (models: ReactNode) => marked`Your agent can reply with: ${models}`,
  onlyStandIn:
    'There is only the stand-in, which repeats what you say and needs no key. For real replies, choose one of the ways below.',
  local: 'On your computer',
  localLead:
    'Stop the service with Ctrl + C, and start it again with one of these lines. Your conversations stay. In PowerShell, set the variable first, for example: $env:OPENAI_API_KEY = "sk-…"; npm start',
  vendors: 'A key of Anthropic or OpenAI',
  vendorsHint: 'You pay the provider. Its console makes the key.',
  openRouter: 'OpenRouter: many models with one key',
  openRouterHint:
    'Make a key at openrouter.ai/keys. The menu next to the message field then lists its models with their prices.',
  ollama: 'Ollama: a model on your own computer, free of charge',
  ollamaHint:
    'Install Ollama from ollama.com. The first line downloads a model of 2 GB, the second starts the service with it. Any other server with an OpenAI-compatible API works as well.',
  ollamaPull: 'Download a model',
  start: 'Start the service',
  cloud: 'On a stage in the cloud',
  cloudLead:
    'The keys are in the secret “providers” of the stage. Write them to a file, check the file, and store it. New keys are used within five minutes.',
  cloudFile: 'The file, providers.json',
  cloudCheck: 'Check and store it',
  next: 'Then choose the model in the menu below the message field, for one conversation or for all.',
  toChat: 'Go to the chat',
}
