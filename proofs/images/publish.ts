import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { debianRelease, versions } from '../../agent/image/flavours.ts'
import { freePort } from '../../local/kit/child-process.ts'
import { bareDebian, must, project, seed } from './root.ts'

const programs = ['buildah', 'skopeo', 'docker-registry', 'soci']

/** Tools that `publish.sh` needs here and this machine lacks. */
export const missingToPublish = (): string[] =>
  programs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0)

const trusted = '/etc/ssl/certs/ca-certificates.crt'

/**
 * Runs `agent/image/publish.sh` unchanged for the flavour `node`, with buildah in place of docker, the bare Debian and
 * the project's Node as the base images of the Dockerfile, and a registry of this machine. @returns the files of the
 * image in the registry, and whether it has a SOCI index
 */
export async function publishHere(scratch: string): Promise<{ files: string[]; isIndexed: boolean }> {
  const port = await freePort()
  const storage = join(scratch, 'buildah')
  const settings = (name: string, text: string): string => {
    writeFileSync(join(scratch, name), text)
    return join(scratch, name)
  }
  mkdirSync(storage)
  const home = join(scratch, 'home')
  mkdirSync(join(home, '.config/containers'), { recursive: true })
  const registries = `[[registry]]\nlocation = "127.0.0.1:${port}"\ninsecure = true\n`
  settings('home/.config/containers/registries.conf', registries)
  const env = {
    ...process.env,
    PATH: `${import.meta.dirname}:${process.env.PATH}`,
    PLATFORM: `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`,
    CONTAINERS_STORAGE_CONF: settings(
      'storage.conf',
      `[storage]\ndriver = "vfs"\ngraphroot = "${storage}/root"\nrunroot = "${storage}/run"\n`,
    ),
    HOME: home,
  }
  const shell = (script: string): string => {
    const { status, stdout, stderr } = spawnSync('sh', ['-euc', script], { env, encoding: 'utf8', maxBuffer: 2 ** 28 })
    if (status !== 0) throw new Error(`${script}: ${stderr.slice(-2_000)}`)
    return stdout
  }
  // The build trusts the certificates that the host trusts.
  shell(`from=$(buildah from scratch); buildah add -q $from '${bareDebian()}' / ; buildah add -q $from ${trusted} /run/trusted.crt
    buildah config --env NODE_EXTRA_CA_CERTS=/run/trusted.crt $from; buildah commit -q --rm $from docker.io/library/debian:${debianRelease}-slim
    from=$(buildah from scratch); buildah add -q $from '${seed()}' /usr/local
    buildah commit -q --rm $from docker.io/library/node:${versions.node}-${debianRelease}-slim`)
  const config = settings(
    'registry.yml',
    `version: 0.1\nstorage: {filesystem: {rootdirectory: ${storage}/registry}}\nhttp: {addr: 127.0.0.1:${port}}\n`,
  )
  const registry = spawn('docker-registry', ['serve', config], { stdio: 'ignore' })
  try {
    must(join(project, 'agent/image/publish.sh'), [`127.0.0.1:${port}/berth:1`], env)
    const address = `docker://127.0.0.1:${port}/berth:1`
    const { manifests } = JSON.parse(shell(`skopeo inspect --raw ${address}`))
    const isIndexed = manifests.some(
      ({ annotations = {} }: { annotations?: object }) => 'com.amazon.soci.index-digest' in annotations,
    )
    const pulled = `from=$(buildah from --pull-always ${address}); cd "$(buildah mount $from)"; find . -type f | sort`
    return { files: shell(pulled).trim().split('\n'), isIndexed }
  } finally {
    registry.kill()
    shell('buildah rm --all >/dev/null; buildah rmi --all --force >/dev/null')
  }
}
