import { filePath } from '../../domain/agent/task.ts'

// https://github.com/haiwen/seafile/issues/1966, https://github.com/open-webui/open-webui/issues/25954
describe('a name on the volume', () => {
  test.each([
    ['of ASCII', 'x'.repeat(255), 'x'.repeat(256)],
    ['of Cyrillic', 'я'.repeat(127), 'я'.repeat(128)],
    ['of CJK', '語'.repeat(85), '語'.repeat(86)],
    ['of emoji', `${'😀'.repeat(63)}abc`, '😀'.repeat(64)],
    ['of invalid UTF-8 bytes', '\\xff'.repeat(255), '\\xff'.repeat(256)],
    ['of backslashes', '\\\\'.repeat(255), '\\\\'.repeat(256)],
  ])('%s may have 255 bytes, and a longer one is refused with this message', (_, most, more) => {
    expect(filePath.parse(`workspace/${most}/${most}`)).toBe(`workspace/${most}/${most}`)
    for (const path of [more, `workspace/${more}`, `workspace/${more}/a.txt`])
      expect(filePath.safeParse(path).error?.issues).toMatchObject([{ message: expect.stringContaining('255 bytes') }])
  })
})
