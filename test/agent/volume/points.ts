import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Service } from '../../../agent/kit/service.ts'
import { restoreFiles } from '../../../agent/volume/restore.ts'
import { Store } from '../../../agent/volume/store.ts'
import { takeRestorePoint } from '../../../agent/volume/take-restore-point.ts'
import type { ChunkList, IndexLine } from '../../../domain/files/restore-point.ts'
import { until } from '../machine.ts'
import { ProtocolServer } from '../protocol-server.ts'
import { watchReads } from './content-reads.ts'

type Settings = NonNullable<Parameters<typeof takeRestorePoint>[3]>
type PointStore = Parameters<typeof takeRestorePoint>[2]

/**
 * Small pieces, so that small files have many; a file counts as settled as soon as a later write would get another
 * time.
 */
const quick: Settings = { settleMs: 20, cut: { min: 256, max: 4_096, bits: 9 } }

/** A volume, a service that stores its restore points, and the bytes read and sent for each. */
export class Points {
  readonly server = new ProtocolServer()
  readonly around = realpathSync(mkdtempSync(join(tmpdir(), 'berth-points-')))
  readonly volume = join(this.around, 'volume')
  readonly known = join(this.volume, '.berth', 'known-files.gz')
  #reads: Awaited<ReturnType<typeof watchReads>> | undefined

  async open(): Promise<this> {
    await this.server.start()
    this.newFolder('volume')
    this.#reads = await watchReads(this.volume)
    return this
  }

  async close(): Promise<void> {
    this.#reads?.stop()
    await this.server.stop()
    rmSync(this.around, { recursive: true, force: true })
  }

  /** An empty folder outside the volume. */
  newFolder(name: string): string {
    const path = join(this.around, name)
    rmSync(path, { recursive: true, force: true })
    mkdirSync(path)
    return path
  }

  write(path: string, content: string | Buffer): void {
    mkdirSync(join(this.volume, path, '..'), { recursive: true })
    writeFileSync(join(this.volume, path), content)
  }

  /** Waits until the file system's clock has moved on, so that all earlier writes are settled. */
  async settle(): Promise<void> {
    const probe = join(this.around, 'probe')
    const now = () => {
      writeFileSync(probe, 'now')
      return lstatSync(probe).ctimeMs
    }
    const start = now()
    await until(() => now() > start + 2 * (quick.settleMs ?? 0))
  }

  /** Takes a point; returns the result, the files that were read (bytes by path) and the number of pieces sent. */
  async take(settings: Settings = {}, around: (store: Store) => PointStore = (store) => store) {
    this.#reads?.take()
    this.server.stored.length = 0
    const taken = await takeRestorePoint(this.volume, this.newFolder('scratch'), around(this.store()), {
      ...quick,
      ...settings,
    })
    return { ...taken, read: this.#reads?.take() ?? {}, sent: this.server.stored.filter((name) => name.length === 64) }
  }

  /** Bytes of files that were read since the last call. */
  reads = (): Record<string, number> => this.#reads?.take() ?? {}

  store(): Store {
    const { api, tokenMs } = this.server
    return new Store(new Service({ api, tokens: this.server.newGeneration(), tokenMs }, () => {}), 'tsk_1')
  }

  /** The files of the newest point, restored into an empty folder. */
  async restored(): Promise<Record<string, string>> {
    const into = this.newFolder('restored')
    await restoreFiles(into, this.newFolder('scratch'), this.store(), null)
    return contentOf(into)
  }

  present(): Record<string, string> {
    return contentOf(this.volume)
  }

  /** The stored lists of the newest point. */
  lists(): { files: IndexLine[]; chunks: ChunkList } {
    const lines = gunzipSync(this.object('files')).toString().split('\n').filter(Boolean)
    return { files: lines.map((line) => JSON.parse(line)), chunks: JSON.parse(this.object('chunks').toString()) }
  }

  object(name: string): Buffer {
    return this.server.objects.get(name) ?? Buffer.alloc(0)
  }
}

/** Mode and content of every file, by path, without `.berth`. */
function contentOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1)
    if (!entry.isFile() || name.startsWith('.berth/')) continue
    found[name] = `${(lstatSync(path).mode & 0o777).toString(8)} ${readFileSync(path).toString('latin1')}`
  }
  return found
}
