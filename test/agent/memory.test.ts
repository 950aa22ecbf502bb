import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

test.each(['supervisor/supervisor.ts', 'runtime/turn.ts'])(
  '%s does not load Node’s `fetch`, which takes 12 MB a process',
  (file) => {
    const script = `
    await import(${JSON.stringify(join(import.meta.dirname, '../../agent', file))})
    console.log(process.moduleLoadList.filter((name) => name.endsWith('deps/undici/undici')).length)`
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })).toBe('0\n')
  },
)
