import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

const mediaType = (name: string) => `application/vnd.oci.image.${name}`

interface Descriptor {
  mediaType: string
  digest: string
  size: number
}

/**
 * Writes a root as an image of one layer in OCI's layout, as a registry would store it. @returns the layer's bytes,
 * compressed
 */
export async function writeLayout(root: string, layout: string): Promise<number> {
  rmSync(layout, { recursive: true, force: true })
  const blobs = join(layout, 'blobs/sha256')
  mkdirSync(blobs, { recursive: true })
  const blob = (type: string, content: object): Descriptor => {
    const bytes = JSON.stringify(content)
    const digest = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(join(blobs, digest), bytes)
    return { mediaType: mediaType(type), digest: `sha256:${digest}`, size: Buffer.byteLength(bytes) }
  }
  const plain = createHash('sha256')
  const zipped = createHash('sha256')
  const tar = spawn('tar', ['--directory', root, '--numeric-owner', '--create', '.'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const through = (hash: ReturnType<typeof createHash>) =>
    async function* (parts: AsyncIterable<Buffer>) {
      for await (const part of parts) {
        hash.update(part)
        yield part
      }
    }
  const layerPath = join(blobs, 'layer')
  await pipeline(tar.stdout, through(plain), createGzip({ level: 6 }), through(zipped), createWriteStream(layerPath))
  const digest = zipped.digest('hex')
  renameSync(layerPath, join(blobs, digest))
  const { size } = statSync(join(blobs, digest))
  const layer = { mediaType: mediaType('layer.v1.tar+gzip'), digest: `sha256:${digest}`, size }
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const rootfs = { type: 'layers', diff_ids: [`sha256:${plain.digest('hex')}`] }
  const config = blob('config.v1+json', { architecture, os: 'linux', config: {}, rootfs })
  const manifest = blob('manifest.v1+json', {
    schemaVersion: 2,
    mediaType: mediaType('manifest.v1+json'),
    config,
    layers: [layer],
  })
  writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  const platform = { architecture, os: 'linux' }
  const list = { schemaVersion: 2, mediaType: mediaType('index.v1+json'), manifests: [{ ...manifest, platform }] }
  writeFileSync(join(layout, 'index.json'), JSON.stringify(list))
  return size
}

/**
 * Converts a layout as `publish.sh` does. @returns the bytes of its SOCI index; null where the program `soci` is not
 * installed
 */
export function convertToSoci(layout: string): number | null {
  const converted = `${layout}-soci`
  rmSync(converted, { recursive: true, force: true })
  const run = spawnSync('soci', ['convert', '--standalone', '--format', 'oci-dir', layout, converted], {
    encoding: 'utf8',
  })
  if (run.error) return null
  if (run.status !== 0) throw new Error(`soci convert: ${run.stderr}`)
  const read = (digest: string) => JSON.parse(readFileSync(join(converted, 'blobs', digest.replace(':', '/')), 'utf8'))
  const [top] = JSON.parse(readFileSync(join(converted, 'index.json'), 'utf8')).manifests
  const { manifests = [] } = read(top.digest)
  const index = manifests.find(({ artifactType = '' }) => artifactType === 'application/vnd.amazon.soci.index.v2+json')
  if (!index) throw new Error('the converted image has no SOCI index')
  return read(index.digest).layers.reduce((sum: number, { size }: Descriptor) => sum + size, 0)
}
