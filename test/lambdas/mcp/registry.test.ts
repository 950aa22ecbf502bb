import { jsonSchema } from '../../../app/mcp/json-schema.ts'
import type { Tool } from '../../../app/ports/mcp.ts'
import { codes } from '../../../domain/errors.ts'
import { prompts } from '../../../domain/mcp/prompts.ts'
import { countTools, readScopes, toolScopes } from '../../../domain/mcp/tool-scopes.ts'
import { errorHints, formatName, nameStyleFor, withUnderscores } from '../../../domain/mcp/tools.ts'
import { tools as toolOperations } from '../../../lambdas/areas.ts'
import { findTool } from '../../../lambdas/mcp/features.ts'

/** Rules of clients and model providers for tool names; a dot breaks each, and one bad name may hide all tools. */
const clientNameRules = {
  /** claude.ai and Claude Desktop reject the whole list: github.com/pydantic/logfire-mcp/issues/58. */
  claude: /^[a-zA-Z0-9_-]{1,64}$/,
  /** Function names of the OpenAI API, and so of Codex and ChatGPT: github.com/openai/codex/issues/8174. */
  openai: /^[a-zA-Z0-9_-]{1,64}$/,
  /** Copilot CLI sends them unchanged and fails: github.com/github/copilot-cli/issues/2581. */
  copilot: /^[a-zA-Z0-9_-]{1,128}$/,
  /** VS Code warns about other names: github.com/microsoft/vscode/issues/308463. */
  vscode: /^[a-z0-9_-]+$/i,
  /** Cursor drops names that are not a word: github.com/webstudio-is/webstudio/issues/5960. */
  cursor: /^[a-zA-Z0-9_]{1,64}$/,
} as const

type Row = [string, Omit<Tool, 'call'>]
const tools = toolOperations.flatMap(({ tool, input, output }): Row[] =>
  tool ? [[tool.name, { ...tool, input, output }]] : [],
)
const toolNamed = (name: string) => findTool(toolOperations, name)

/** Every schema inside a schema, including itself; property names are not mistaken for keywords. */
function schemasIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(schemasIn)
  const { properties, const: _, enum: __, examples: ___, default: ____, ...rest } = value as Record<string, unknown>
  return [
    value as Record<string, unknown>, // safe because it is an object and no array
    ...schemasIn(Object.values(rest)),
    ...schemasIn(Object.values(properties ?? {})),
  ]
}

describe('the registry of tools', () => {
  test('requires the scopes by which the pages count tools', () => {
    const wanted = Object.fromEntries(toolOperations.map(({ tool, scope }) => [tool?.name, scope]))
    expect(wanted).toEqual(toolScopes)
    expect([countTools(['mcp:*']), countTools(['mcp:wallet.read', 'api:llm']), countTools([])]).toEqual([13, 2, 0])
  })

  test('has no changing tool behind a read scope', () => {
    const changing = toolOperations.filter(({ tool }) => !tool?.annotations.readOnlyHint).map(({ scope }) => scope)
    expect(changing.filter((scope) => (readScopes as readonly unknown[]).includes(scope))).toEqual([])
  })

  test('has the thirteen tools of the interface', () => {
    expect(tools.map(([name]) => name).sort()).toEqual([
      'instance.pause',
      'instance.refreshEnv',
      'instance.resume',
      'instance.setModel',
      'instance.status',
      'personas.activate',
      'personas.deactivate',
      'personas.list',
      'skills.list',
      'skills.show',
      'wallet.balance',
      'wallet.checkoutTopUp',
      'wallet.transactions',
    ])
  })

  test.each(tools)('describes %s briefly: purpose, when to use it, and result', (_, tool) => {
    expect(tool.title.length).toBeLessThanOrEqual(40)
    expect(tool.description.length).toBeGreaterThan(80)
    expect(tool.description.length).toBeLessThanOrEqual(400)
    expect(tool.description).toMatch(/\b(Use it|Needs|Takes effect)\b/)
    expect(tool.description).toMatch(/\b(Returns|follow a change)\b/)
  })

  test.each(tools)('has every hint for %s, without contradictions', (_, { annotations }) => {
    const hints = ['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint']
    expect(Object.keys(annotations).sort()).toEqual(hints)
    if (annotations.readOnlyHint)
      expect([annotations.destructiveHint, annotations.idempotentHint]).toEqual([false, true])
  })

  test('has GET routes exactly for its reading tools, and marks the tools that stop the agent', () => {
    for (const operation of toolOperations)
      expect([operation.id, operation.tool?.annotations.readOnlyHint]).toEqual([
        operation.id,
        operation.http.method === 'GET',
      ])
    const destructive = tools.flatMap(([name, tool]) => (tool.annotations.destructiveHint ? [name] : []))
    expect(destructive.sort()).toEqual(['instance.pause', 'instance.refreshEnv'])
    expect(toolNamed('wallet.checkoutTopUp')?.tool?.annotations.openWorldHint).toBe(true)
  })

  test.each(tools)('has output of %s that any client can check: no $ref, no default, no date type', (_, tool) => {
    const all = schemasIn(jsonSchema(tool.output, 'output'))
    for (const schema of all)
      for (const key of ['$ref', '$defs', 'default', 'id']) expect(Object.keys(schema)).not.toContain(key)
    expect(all.length).toBeGreaterThan(1)
    expect(jsonSchema(tool.output, 'output').type).toBe('object')
  })

  test.each(tools)('has input of %s without references, closed, and with its limits described', (_, tool) => {
    const input = jsonSchema(tool.input, 'input')
    for (const schema of schemasIn(input))
      for (const key of ['$ref', '$defs']) expect(Object.keys(schema)).not.toContain(key)
    expect(input).toMatchObject({ type: 'object', additionalProperties: false })
  })

  test('is short enough for a model’s context', () => {
    const told = tools.map(([, tool]) => [tool.title, tool.description, jsonSchema(tool.input, 'input')])
    expect(JSON.stringify(told).length).toBeLessThan(9_000)
  })
})

describe('tool names', () => {
  test.each(Object.entries(clientNameRules))('with underscores follow the rule of %s', (_, rule) => {
    for (const [name] of tools) {
      expect(withUnderscores(name)).toMatch(rule)
      expect(name).not.toMatch(rule)
    }
  })

  test('stay unique, and are found in either nameStyle', () => {
    expect(new Set(tools.map(([name]) => withUnderscores(name))).size).toBe(tools.length)
    for (const [name] of tools)
      for (const spelling of [name, withUnderscores(name)]) expect(toolNamed(spelling)?.tool?.name).toBe(name)
  })

  test.each([
    [undefined, 'Claude-User', 'underscore'],
    [undefined, 'claude-ai', 'underscore'],
    [undefined, 'claude-code/2.1.204 (cli)', 'dots'],
    [undefined, 'openai-mcp/1.0.0', 'underscore'],
    [undefined, 'codex-mcp-client', 'underscore'],
    [undefined, 'GitHub-Copilot-CLI', 'underscore'],
    [undefined, 'cursor-vscode', 'underscore'],
    [undefined, 'Visual Studio Code', 'underscore'],
    [undefined, 'node', 'dots'],
    [undefined, undefined, 'dots'],
    ['dots', 'Claude-User', 'dots'],
    ['underscore', 'node', 'underscore'],
  ] as const)('requested as %s by %s: %s', (asked, client, expected) => {
    expect(nameStyleFor(asked, [undefined, client])).toBe(expected)
  })
})

describe('texts for models', () => {
  test('have a next step for every error code', () => {
    expect(Object.keys(errorHints).sort()).toEqual([...codes].sort())
  })

  test.each(prompts.map((prompt) => [prompt.name, prompt] as const))(
    'in %s name existing tools, whose scopes it requires',
    (_, prompt) => {
      const named: string[] = []
      prompt.text((name) => {
        named.push(name)
        return formatName(name, 'underscore')
      })
      expect(named.length).toBeGreaterThan(0)
      for (const name of named) expect(prompt.needs).toContain(toolNamed(name)?.scope)
      expect(prompt.name).toMatch(clientNameRules.cursor)
    },
  )
})
