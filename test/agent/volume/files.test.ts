import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { summarize } from '../../../agent/volume/files.ts'
import { full } from '../../counts.ts'

it('many small files are walked with little memory', async () => {
  const volume = mkdtempSync(join(tmpdir(), 'berth-many-'))
  try {
    const count = full ? 1_000_000 : 2_000
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
