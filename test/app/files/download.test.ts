import { attachment, downloadHeaders } from '../../../app/files/download.ts'

// https://github.com/getpaseo/paseo/issues/1954, https://github.com/jshttp/content-disposition/issues/30
describe('the name of a download', () => {
  test.each([
    ['plan.txt', 'plan.txt', 'plan.txt'],
    ['plan 😀.txt', 'plan _.txt', 'plan%20%F0%9F%98%80.txt'],
    ['𠮷野家.pdf', '___.pdf', '%F0%A0%AE%B7%E9%87%8E%E5%AE%B6.pdf'],
    ['👩‍👩‍👧.png', '_____.png', '%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7.png'],
    ['Grüße "für" Ada.md', 'Gr__e _f_r_ Ada.md', 'Gr%C3%BC%C3%9Fe%20%22f%C3%BCr%22%20Ada.md'],
    ["Ada's (1)*.txt", 'Ada_s _1__.txt', 'Ada%27s%20%281%29%2A.txt'],
    ['cut \ud83d.txt', 'cut _.txt', 'cut%20%EF%BF%BD.txt'],
    ['a\r\nX: y', 'a__X_ y', 'a%0D%0AX%3A%20y'],
  ])('%j is complete, and its plain version fits a header', (name, plain, encoded) => {
    expect(attachment(name)).toBe(`attachment; filename="${plain}"; filename*=UTF-8''${encoded}`)
    const [, there = ''] = /filename\*=UTF-8''(.*)$/.exec(attachment(name)) ?? []
    expect(decodeURIComponent(there)).toBe(name.toWellFormed())
  })

  test('is the last part of its path', () => {
    expect(downloadHeaders('workspace/notes/😀.md', 1)['Content-Disposition']).toContain(
      "filename*=UTF-8''%F0%9F%98%80.md",
    )
  })
})
