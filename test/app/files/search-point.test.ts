import fc from 'fast-check'
import { searchNames } from '../../../agent/volume/search.ts'
import { searchPoint } from '../../../app/files/search-point.ts'
import type { StoredPoint } from '../../../domain/files/restore-point.ts'
import { TestVolume } from '../../agent/volume/tree.ts'
import { most, seeded } from '../../counts.ts'

const point = { instanceId: 'ins_1', id: 'rsp_1' } as StoredPoint // safe because the code uses only these fields

/** A point's list of these files, in any order. */
const listOf = (paths: string[]) => ({
  storage: {
    async *lines() {
      for (const p of paths) yield JSON.stringify({ p, s: 1, m: 0, x: 0o600, o: 0 })
    },
  } as never,
})

const name = fc.constantFrom('a', 'b', 'A b', 'tide', 'Tide-2', 'é', 'e\u0301', 'a.b', 'a-b')
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `top/${names.join('/')}/file-${names[0]}`)

it('a search of a restore point returns the same pages as a search of its volume', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(path, { maxLength: 12 }),
      fc.constantFrom('a', 'TIDE', 'é', '-', 'file', 'none'),
      fc.integer({ min: 1, max: 5 }),
      async (found, text, limit) => {
        // A point knows the folder that every test volume has by a file in it.
        const paths = [...found, 'workspace/zz']
        const volume = new TestVolume(Object.fromEntries(paths.map((path) => [path, 'x'])))
        try {
          for (let after: string | null = null, pages = 0; pages === 0 || after !== null; pages++) {
            const found = await searchPoint(listOf(paths), point, text, after, limit)
            const there = await searchNames(volume.path, text, after, limit)
            const shown = (page: typeof found) =>
              page.entries.map(({ path, name, kind, size }) => [path, name, kind, size])
            expect(shown(found)).toEqual(shown(there))
            after = found.next
          }
        } finally {
          volume.close()
        }
      },
    ),
    seeded(most(3_000, 1_000), 60),
  )
}, 300_000)
