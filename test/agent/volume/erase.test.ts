import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eraseVolume } from '../../../agent/volume/erase.ts'

describe('erasing a volume', () => {
  test('removes everything, whatever its names, modes, kinds and depth, and touches nothing next to the volume', async () => {
    const around = mkdtempSync(join(tmpdir(), 'berth-erase-'))
    try {
      const volume = join(around, 'volume')
      mkdirSync(join(around, 'outside'))
      writeFileSync(join(around, 'outside', 'kept'), 'not yours')
      mkdirSync(join(volume, 'shut', 'inner'), { recursive: true })
      writeFileSync(join(volume, 'shut', 'inner', 'x'), 'x')
      writeFileSync(Buffer.concat([Buffer.from(`${volume}/`), Buffer.from([0x66, 0xff, 0x5c])]), 'raw')
      const made = [
        'mkfifo pipe && ln -s ../outside link && ln -s ../outside/kept file-link && ln -s . loop && : > .hidden',
        'mkdir many && cd many && seq 1 700 | xargs touch && cd ..',
        // Deeper than a path may be long.
        'n=$(printf "d%.0s" $(seq 200)); for i in $(seq 40); do mkdir $n && cd $n || exit 1; done; : > bottom',
      ]
      execFileSync('/bin/bash', ['-c', made.join(' && ')], { cwd: volume })
      chmodSync(join(volume, 'shut'), 0)
      await eraseVolume(volume)
      expect(readdirSync(volume)).toEqual([])
      expect(existsSync(join(around, 'outside', 'kept'))).toBe(true)
      await eraseVolume(volume)
    } finally {
      rmSync(around, { recursive: true, force: true })
    }
  })
})
