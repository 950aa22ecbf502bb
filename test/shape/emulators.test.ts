import { inFolder } from './sources.ts'

/** Each emulator can be copied into another project that has these packages. */
const packages: Record<string, string[]> = {
  'local/aws': ['croner', 'ws', 'zod'],
  'local/stripe': ['zod'],
  'local/discord': ['zod', 'ws', 'discord-api-types/v10'],
  'local/slack': ['zod', '@slack/types'],
  'local/telegram': ['@grammyjs/types', 'zod'],
  'local/push-service': [],
}

describe.each(Object.entries(packages))('%s', (folder, needed) => {
  const files = inFolder(folder)

  test('imports only itself, Node and its packages', () => {
    expect(files.length).toBeGreaterThan(2)
    const others = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => !from.startsWith(`${folder}/`) && !from.startsWith('node:') && !needed.includes(from))
        .map(({ from }) => `${path} → ${from}`),
    )
    expect(others).toEqual([])
  })

  test('contains no name of the product', () => {
    expect(files.filter(({ text }) => /berth/i.test(text)).map(({ path }) => path)).toEqual([])
  })
})
