// A program in the manner of coding agents: it is started for one prompt, keeps its own session, and reports in JSON
// lines.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const { BASE, KEY, SESSION } = process.env
const [, , words] = process.argv
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)
const session = () => {
  try {
    return JSON.parse(readFileSync(SESSION, 'utf8'))
  } catch {
    return []
  }
}

if (words.endsWith('Hang.')) {
  const tool = spawn('sleep', ['600'])
  writeFileSync('pids.json', JSON.stringify([process.pid, tool.pid]))
  print({ text: 'I begin' })
  await sleep(600_000)
}
if (words.includes('Use tools.'))
  for (let n = 0; n < 45; n++) {
    print({ started: `call_${n}`, tool: 'read', input: { path: `file-${n}.txt` } })
    print({ ended: `call_${n}` })
  }
const messages = [...session(), { role: 'user', content: words }]
for (let tried = 0; ; tried++) {
  const response = await fetch(`${BASE}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'default', messages }),
  })
  const text = await response.text()
  if (response.ok) {
    const { content } = JSON.parse(text).choices[0].message
    if (words.endsWith('Fail.')) process.exit(1)
    writeFileSync(SESSION, JSON.stringify([...messages, { role: 'assistant', content }]))
    print({ text: content })
    process.exit(0)
  }
  if (response.status === 402 || tried === 5) {
    // Programs do not repeat the service’s words.
    console.error('Error: something went wrong')
    process.exit(1)
  }
  await sleep(50)
}
