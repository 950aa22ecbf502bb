import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasContent, writeFile } from '../../../agent/volume/edit.ts'
import { emptySummary, summarize } from '../../../agent/volume/files.ts'
import { full, most } from '../../counts.ts'
import { outcomeOf, still } from './tree.ts'

it('a walk over many small files takes little memory', async () => {
  const volume = mkdtempSync(join(tmpdir(), 'berth-many-'))
  try {
    const count = full ? most(1_000_000, 200_000) : 2_000
    mkdirSync(join(volume, 'many'))
    for (let i = 0; i < count; i++) writeFileSync(join(volume, 'many', `file-${i}`), '')
    globalThis.gc?.()
    const before = process.memoryUsage.rss()
    expect(await summarize(volume)).toMatchObject({ files: count, bytes: 0 })
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1024 * 1024)
  } finally {
    rmSync(volume, { recursive: true, force: true })
  }
}, 600_000)

it('a huge sparse file is skipped and counted, without the time to read it', async () => {
  const volume = mkdtempSync(join(tmpdir(), 'berth-hollow-'))
  try {
    writeFileSync(join(volume, 'hollow'), 'a few bytes')
    truncateSync(join(volume, 'hollow'), 8 * 1024 ** 4)
    writeFileSync(join(volume, 'small'), 'x')
    truncateSync(join(volume, 'small'), 1024 ** 2)
    const summary = await summarize(volume)
    expect(summary).toMatchObject({ files: 1, bytes: 1024 ** 2, skipped: { unreadable: 1 } })
  } finally {
    rmSync(volume, { recursive: true, force: true })
  }
})

it('huge sparse files are skipped when together they are too large', async () => {
  const volume = mkdtempSync(join(tmpdir(), 'berth-hollow-'))
  try {
    for (let i = 0; i < 40; i++) {
      writeFileSync(join(volume, `hollow-${i}`), 'a few bytes')
      truncateSync(join(volume, `hollow-${i}`), 30 * 1024 ** 3)
    }
    writeFileSync(join(volume, 'whole'), Buffer.alloc(1024 ** 2, 'x'))
    expect(await summarize(volume)).toEqual({
      ...emptySummary(),
      files: 3,
      bytes: 60 * 1024 ** 3 + 1024 ** 2,
      skipped: { ...emptySummary().skipped, unreadable: 38 },
    })
  } finally {
    rmSync(volume, { recursive: true, force: true })
  }
})

it('a huge sparse file is not hashed', async () => {
  const volume = mkdtempSync(join(tmpdir(), 'berth-hollow-'))
  try {
    writeFileSync(join(volume, 'hollow'), 'a few bytes')
    truncateSync(join(volume, 'hollow'), 8 * 1024 ** 4)
    const edit = writeFile(volume, 'hollow', [Buffer.from('new')], 'a'.repeat(64), still)
    expect(await outcomeOf(edit)).toBe('validation')
    expect(await outcomeOf(hasContent(volume, 'hollow', 'a'.repeat(64)))).toBe('validation')
  } finally {
    rmSync(volume, { recursive: true, force: true })
  }
})
