import { inFolder } from './sources.ts'

/** Each emulator can be copied into another project that has these packages. */
const packages: Record<string, string[]> = {
  'emulators/aws': ['croner', 'ws', 'zod'],
  'emulators/stripe': ['zod'],
  'emulators/discord': ['zod', 'ws', 'discord-api-types/v10'],
  'emulators/slack': ['zod', '@slack/types'],
  'emulators/telegram': ['@grammyjs/types', 'zod'],
}

describe.each(Object.entries(packages))('%s', (folder, needed) => {
  const files = inFolder(folder)
  const programs = files.filter(({ path }) => !path.startsWith(`${folder}/test/`))
  const isOwn = (from: string) => from.startsWith(`${folder}/`) || from.startsWith('emulators/kit/')

  test('imports only itself, Node and its packages', () => {
    expect(files.length).toBeGreaterThan(2)
    const others = programs.flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => !isOwn(from) && !from.startsWith('node:') && !needed.includes(from))
        .map(({ from }) => `${path} → ${from}`),
    )
    expect(others).toEqual([])
  })

  test('contains no name of the product', () => {
    expect(files.filter(({ text }) => /berth/i.test(text)).map(({ path }) => path)).toEqual([])
  })
})
