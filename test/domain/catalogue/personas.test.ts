import { type PersonaVersion, personaDraft } from '../../../domain/catalogue/persona.ts'
import { maxIdCharacters, personaIdFor } from '../../../domain/catalogue/persona-id.ts'
import { maxFileCharacters } from '../../../domain/catalogue/persona-limits.ts'
import { compareVersions } from '../../../domain/catalogue/persona-versions.ts'

describe('the id of a new persona', () => {
  test.each([
    ['Night editor', 'night-editor'],
    ['  Ümit’s Straße №5 ', 'umit-s-strasse-no5'],
    ['Ærø – Łódź', 'aero-lodz'],
    ['夜の編集者', 'persona'],
    ['محرر الليل', 'persona'],
    ['🌙', 'persona'],
    ['夜 2', '2'],
    ['\u202e', 'persona'],
  ])('for the name %j is %s', (name, id) => {
    expect(personaIdFor(name, [])).toBe(id)
  })

  test('is valid for every name, and differs from existing ids', () => {
    const taken: string[] = []
    for (const name of ['夜', '夜', '', 'x'.repeat(200), 'x'.repeat(200), '-', `${'a'.repeat(56)} b`, 'İstanbul']) {
      const id = personaIdFor(name, taken)
      expect(personaDraft.shape.id.safeParse(id).success).toBe(true)
      expect(id.length).toBeLessThanOrEqual(maxIdCharacters)
      expect(taken).not.toContain(id)
      taken.push(id)
    }
    expect(taken.slice(0, 3)).toEqual(['persona', 'persona-2', 'persona-3'])
  })
})

describe('a diff of two versions', () => {
  const version = (number: number, text: string): PersonaVersion => ({
    id: 'mine',
    name: 'Mine',
    description: '',
    version: number,
    savedAt: '2026-11-23T00:00:00.000Z',
    files: [{ path: 'SOUL.md', text }],
    copiedFrom: null,
  })
  const linesOf = (before: string, after: string) =>
    compareVersions([version(2, after), version(1, before)], 2, 1).diff[0]?.lines ?? []
  const sides = (before: string, after: string) => {
    const lines = linesOf(before, after)
    const side = (not: string) => lines.flatMap(({ kind, text }) => (kind === not ? [] : [text])).join('\n')
    return [side('added'), side('removed')]
  }

  test('contains both texts in full', () => {
    const texts = ['a', 'a\nb', 'b\na', 'a\nb\nc\nd', 'x\nb\ny\nd', 'a\n\n\na', 'c']
    for (const before of texts)
      for (const after of texts) if (before !== after) expect(sides(before, after)).toEqual([before, after])
  })

  test('between texts at the maximum length stays within memory and loses no line', () => {
    const long = (letter: string) => Array.from({ length: maxFileCharacters / 2 }, () => letter).join('\n')
    const before = process.memoryUsage().arrayBuffers
    expect(sides(`same\n${long('a')}`, `same\n${long('b')}`)).toEqual([`same\n${long('a')}`, `same\n${long('b')}`])
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20e6)
    expect(linesOf(`same\n${long('a')}`, `same\n${long('b')}`)[0]).toEqual({ kind: 'same', text: 'same' })
  })
})
