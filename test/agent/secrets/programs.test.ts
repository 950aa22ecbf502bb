import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openSecretsWorld, type SecretsWorld, value } from './secrets-world.ts'

const run = promisify(execFile)

let world: SecretsWorld
const folder = mkdtempSync(join(tmpdir(), 'berth-secrets-'))
beforeAll(async () => {
  world = await openSecretsWorld()
})
afterAll(() => {
  world.close()
  rmSync(folder, { recursive: true, force: true })
})

const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' }).toString()

describe('programs that know nothing of secrets', () => {
  test('include curl, which uses a secret by its address, and sees the mask', async () => {
    const address = `${world.address}/secrets/github/https/api.echo.test/user`
    const { stdout } = await run('curl', ['-sS', '-H', `Authorization: Bearer ${world.key}`, address])
    expect(world.heard.at(-1)?.headers.authorization).toBe(`Bearer ${value}`)
    expect(JSON.parse(stdout)).toMatchObject({ url: '/user', headers: { authorization: 'Bearer [secret github]' } })
  })

  test('include git, which clones and pushes with the password of a host that requires one', async () => {
    const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
    git('init', '-q', '--bare', '-b', 'main', 'notes.git')
    git('-C', 'notes.git', 'config', 'http.receivepack', 'true')
    const program = join(git('--exec-path').trim(), 'git-http-backend')
    if (!existsSync(program)) throw new Error('this git has no http-backend')
    world.answerWith(({ method, url, headers }, response, asked) => {
      const right = `Basic ${Buffer.from('x-access-token:the-password-of-git').toString('base64')}`
      if (headers.authorization !== right) return void response.writeHead(401).end()
      const [path = '', query = ''] = url.split('?')
      const backend = spawn(program, {
        env: {
          ...env,
          ...{ GIT_PROJECT_ROOT: folder, GIT_HTTP_EXPORT_ALL: '1', REMOTE_USER: 'me', REQUEST_METHOD: method },
          ...{ PATH_INFO: path, QUERY_STRING: query, CONTENT_TYPE: headers['content-type'] ?? '' },
          HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
          GIT_PROTOCOL: `${headers['git-protocol'] ?? ''}`,
        },
      })
      // The backend may close its input before it has read everything.
      backend.stdin.on('error', () => {}).end(world.bodies.get(asked))
      const parts: Buffer[] = []
      backend.stdout.on('data', (part) => parts.push(part))
      backend.once('close', () => {
        const all = Buffer.concat(parts)
        const at = all.indexOf('\r\n\r\n')
        const lines = all.subarray(0, at).toString().split('\r\n')
        const told = lines.map((line) => line.split(': ') as [string, string]) // safe because CGI writes headers in this form
        const status = Number(told.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200)
        response.writeHead(status, Object.fromEntries(told.filter(([name]) => name !== 'Status')))
        response.end(all.subarray(at + 4))
      })
    })
    const { port } = new URL(world.address)
    const remote = `http://git:${world.key}@127.0.0.1:${port}/secrets/basic/https/api.echo.test/notes.git`
    const as = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=main']
    const asked = (...args: string[]) => run('git', args, { cwd: folder, env })
    await asked(...as, 'clone', '-q', remote, 'mine')
    writeFileSync(join(folder, 'mine', 'tide.txt'), 'High tide is at 14:10.\n')
    await asked(...as, '-C', 'mine', 'add', '.')
    await asked(...as, '-C', 'mine', 'commit', '-q', '-m', 'Note the tide')
    await asked(...as, '-C', 'mine', 'push', '-q', 'origin', 'HEAD:main')
    await asked(...as, 'clone', '-q', remote, 'again')
    expect(readFileSync(join(folder, 'again', 'tide.txt'), 'utf8')).toBe('High tide is at 14:10.\n')
  })
})
