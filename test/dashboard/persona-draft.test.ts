import { blankDraft, isSameText, pairsOf, parseDraft, withoutEmpty } from '../../dashboard/catalogue/persona-draft.ts'

const draft = { ...blankDraft, id: 'mine', name: 'Mine', files: [{ path: 'SOUL.md', text: 'be kind' }] }

describe('a stored draft', () => {
  test('is restored unchanged', () => {
    expect(parseDraft(JSON.parse(JSON.stringify(draft)))).toEqual(draft)
    expect(parseDraft({ ...draft, copiedFrom: 'default' })?.copiedFrom).toBe('default')
  })

  test.each([
    ['nothing', null],
    ['text', 'draft'],
    ['no files', { ...draft, files: [] }],
    ['a file without text', { ...draft, files: [{ path: 'SOUL.md' }] }],
    ['an invalid name', { ...draft, name: 3 }],
    ['no version', { ...draft, basedOn: '1' }],
    ['an invalid origin', { ...draft, copiedFrom: {} }],
  ])('that is %s is ignored', (_, value) => {
    expect(parseDraft(value)).toBeNull()
  })
})

describe('equality of drafts', () => {
  test('matches what the service would store as equal', () => {
    expect(isSameText(draft, { ...draft, basedOn: 7, files: [{ path: 'SOUL.md', text: ' be kind\n' }] })).toBe(true)
    expect(isSameText(draft, { ...draft, files: [...draft.files, { path: 'STYLE.md', text: ' ' }] })).toBe(true)
    expect(isSameText({ ...draft, name: 'U\u0308' }, { ...draft, name: '\u00dc' })).toBe(true)
    for (const other of [{ name: 'Other' }, { description: 'x' }, { files: [{ path: 'SOUL.md', text: 'be bold' }] }])
      expect(isSameText(draft, { ...draft, ...other })).toBe(false)
  })

  test('ignores empty files', () => {
    expect(withoutEmpty({ ...draft, files: [...draft.files, { path: 'A.md', text: ' \n' }] })).toEqual(draft)
  })

  test('compares the paths of both drafts', () => {
    expect(pairsOf([{ path: 'B.md', text: 'b' }], [{ path: 'A.md', text: 'a' }])).toEqual([
      { path: 'A.md', before: '', after: 'a' },
      { path: 'B.md', before: 'b', after: '' },
    ])
  })
})
