import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemPrompt } from '../../../agent/runtime/system-prompt.ts'
import { maxFileCharacters, maxPersonaCharacters } from '../../../domain/catalogue/persona-limits.ts'
import { root } from '../../../lib/build/bundle.ts'
import { readCatalogue } from '../../../lib/build/catalogue.ts'

const told = (
  persona: { path: string; text: string }[],
  skills: { id: string; name: string; description: string }[] = [],
) => systemPrompt({ persona: { id: 'p', name: 'P', files: persona }, skills }, '', 0)
const countOf = (letter: string, text: string) => text.split(letter).length - 1

describe('the persona in the agent’s prompt', () => {
  test('includes the longest file that can be saved in full, and no more', () => {
    const of = (length: number) => countOf('ß', told([{ path: 'SOUL.md', text: 'ß'.repeat(length) }]))
    expect(of(maxFileCharacters)).toBe(maxFileCharacters)
    expect(of(maxFileCharacters + 1)).toBe(maxFileCharacters)
  })

  test('includes the longest persona that can be saved in full, and no more', () => {
    const files = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ path: `${i}.md`, text: 'ß'.repeat(8_000) }))
    expect(maxPersonaCharacters % 8_000).toBe(0)
    const most = maxPersonaCharacters / 8_000
    expect(countOf('ß', told(files(most)))).toBe(maxPersonaCharacters)
    expect(countOf('ß', told(files(most + 1)))).toBe(maxPersonaCharacters)
  })

  test('matches the machine protocol', () => {
    const words = (count: number) => count.toLocaleString('en').replaceAll(',', ' ')
    expect(readFileSync(join(root, 'docs/agent-protocol.md'), 'utf8')).toContain(
      `${words(maxFileCharacters)} characters each, ${words(maxPersonaCharacters)} in total`,
    )
  })
})

describe('the skills in the agent’s prompt', () => {
  test('include every skill of the catalogue with its full description', () => {
    const { skills } = readCatalogue(join(root, 'catalogue'))
    const text = told([], skills)
    for (const { id, description } of skills) expect(text).toContain(`- ${id}: ${description}`)
  })
})
