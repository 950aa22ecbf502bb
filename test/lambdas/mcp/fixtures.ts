import * as z from 'zod'
import type { Mcp, Resource, ServerFeatures, Tool } from '../../../app/ports/mcp.ts'
import { conflict } from '../../../domain/errors.ts'
import type { Prompt } from '../../../domain/mcp/prompts.ts'

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

const tool = (name: string, call: Tool['call']): Tool => ({
  name,
  title: name,
  description: 'A fixture of the conformance suite.',
  input: z.strictObject({}),
  output: z.object({ text: z.string() }),
  annotations,
  call,
})

const resource = (uri: string): Resource => ({
  uri,
  name: uri,
  title: uri,
  description: 'A fixture of the conformance suite.',
  read: async () => ({ text: `This is ${uri}.` }),
})

const prompt: Prompt = {
  name: 'test_simple_prompt',
  title: 'Simple',
  description: 'A fixture of the conformance suite.',
  needs: [],
  text: () => 'This is a simple prompt for testing.',
}

export const fixtureTools = [
  tool('test_simple_text', async () => ({ text: 'This is a simple text response for testing.' })),
  tool('test_error_handling', async () => {
    throw conflict('This tool intentionally returns an error for testing.')
  }),
  // The suite calls these to check that the server sends no log message or request meanwhile.
  tool('test_logging_tool', async () => ({ text: 'Done.' })),
  tool('test_streaming_elicitation', async () => ({ text: 'Done.' })),
]

/** Features that the conformance suite requests by name, next to the real ones; only for the suite's run. */
const extended = (surface: ServerFeatures): ServerFeatures => ({
  ...surface,
  tools: [...surface.tools, ...fixtureTools],
  resources: async () => [
    ...(await surface.resources()),
    ...['test://static-text', 'test://template/123/data', 'test://watched-resource'].map(resource),
  ],
  prompts: [...surface.prompts, prompt],
})

export const withFixtures = (mcp: Mcp): Mcp => ({
  handle: (request, surface, takes) => mcp.handle(request, extended(surface), takes),
})
