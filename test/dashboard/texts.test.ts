import { readdirSync } from 'node:fs'

const folder = '../../dashboard/texts'
const filesOf = (language: string) => readdirSync(new URL(`${folder}/${language}`, import.meta.url)).sort()
const areas = filesOf('en').filter((file) => file !== 'index.ts')
const read = (language: string, file: string): Promise<object> => import(`${folder}/${language}/${file}`)

const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shapeOf(part)]))
    : typeof value

const pairs = (a: object, b: object): [string, string][] =>
  Object.entries(a).flatMap(([key, mine]) => {
    const theirs: unknown = Object.entries(b).find(([name]) => name === key)?.[1]
    if (typeof mine === 'string' && typeof theirs === 'string') return [[mine, theirs]]
    return typeof mine === 'object' && typeof theirs === 'object' && theirs ? pairs(mine, theirs) : []
  })

describe('every language', () => {
  test('has every area', () => expect(filesOf('de')).toEqual(filesOf('en')))

  test.each(areas)('has each text of %s, and says none in English that is a sentence', async (file) => {
    const [en, de] = await Promise.all([read('en', file), read('de', file)])
    expect(shapeOf(de)).toEqual(shapeOf(en))
    expect(pairs(en, de).filter(([mine, theirs]) => mine === theirs && mine.split(' ').length > 3)).toEqual([])
  })
})
