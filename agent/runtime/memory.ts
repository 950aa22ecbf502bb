import { appendFile, lstat, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Characters of notes a prompt carries; the newest of them. */
export const maxNotes = 16_000
const maxFileBytes = 1024 * 1024

/** Every note in `<volume>/memory/*.md`, the file changed last first, cut to the cap. */
export async function readNotes(folder: string): Promise<string> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.md'))
  const files = []
  for (const name of names) {
    const there = await lstat(join(folder, name)).catch(() => null)
    if (there?.isFile() && there.size <= maxFileBytes) files.push({ name, changedMs: there.mtimeMs })
  }
  files.sort((a, b) => b.changedMs - a.changedMs || a.name.localeCompare(b.name))
  let notes = ''
  for (const { name } of files) {
    const room = maxNotes - notes.length
    if (room <= 0) break
    const text = (await readFile(join(folder, name), 'utf8')).trim()
    if (text) notes += `### ${name}\n${text.slice(-room)}\n`
  }
  return notes
}

/** Adds one line to the agent's notes. */
export async function remember(folder: string, note: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const line = note.trim().replace(/\s+/g, ' ').slice(0, 2_000)
  await appendFile(join(folder, 'notes.md'), `- ${new Date().toISOString().slice(0, 10)}: ${line}\n`, { mode: 0o600 })
}
