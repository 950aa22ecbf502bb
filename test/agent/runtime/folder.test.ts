import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolFolder } from '../../../agent/runtime/folder.ts'
import { VolumeError } from '../../../agent/volume/folder.ts'

let volume: string
let root: string
let folder: ToolFolder
beforeEach(() => {
  volume = mkdtempSync(join(tmpdir(), 'berth-folder-'))
  root = join(volume, 'workspace')
  mkdirSync(root)
  folder = new ToolFolder(root)
  writeFileSync(join(volume, 'secret'), 'treasure')
})
afterEach(() => rmSync(volume, { recursive: true, force: true }))

describe('a folder', () => {
  it('reads, writes and lists its files', async () => {
    await folder.write('a/b/c.txt', 'one')
    await folder.write('a/b/c.txt', 'two')
    expect(await folder.read('./a//b/c.txt')).toBe('two')
    expect(await folder.list('')).toEqual(['a/'])
    expect(await folder.list('a/b')).toEqual(['c.txt'])
  })

  const outside = ['../secret', 'a/../../secret', '/etc/passwd', '..', 'a/..', '\0', '']
  it.each(outside)('refuses %j', async (path) => {
    mkdirSync(join(root, 'a'))
    await expect(folder.read(path)).rejects.toThrow(VolumeError)
    await expect(folder.write(path, 'x')).rejects.toThrow(VolumeError)
    expect(readFileSync(join(volume, 'secret'), 'utf8')).toBe('treasure')
  })

  it('follows no symbolic link at any place of a path', async () => {
    symlinkSync(join(volume, 'secret'), join(root, 'link'))
    symlinkSync(volume, join(root, 'up'))
    await folder.write('real.txt', 'x')
    symlinkSync(join(root, 'real.txt'), join(root, 'inside'))
    for (const path of ['link', 'up/secret', 'inside', 'up/new', 'up/new/deep']) {
      await expect(folder.read(path)).rejects.toThrow(VolumeError)
      await expect(folder.write(path, 'x')).rejects.toThrow(VolumeError)
    }
    await expect(folder.list('up')).rejects.toThrow(VolumeError)
    expect(existsSync(join(volume, 'new'))).toBe(false)
    expect(readFileSync(join(volume, 'secret'), 'utf8')).toBe('treasure')
  })

  it('opens no pipe, socket or folder as a file, and does not wait on them', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')])
    mkdirSync(join(root, 'sub'))
    const server = createServer().listen(join(root, 'socket'))
    await new Promise((resolve) => server.once('listening', resolve))
    for (const path of ['pipe', 'socket', 'sub']) {
      await expect(folder.read(path)).rejects.toThrow(VolumeError)
      await expect(folder.write(path, 'x')).rejects.toThrow(VolumeError)
    }
    server.close()
  })

  it('shortens a file that is too large, and says so', async () => {
    writeFileSync(join(root, 'big'), 'x'.repeat(100_000))
    expect(await folder.read('big')).toMatch(/\[cut: the first 65536 of 100000 bytes\]$/)
    await expect(folder.write('huge', 'x'.repeat(1024 * 1024 + 1))).rejects.toThrow(VolumeError)
  })
})
