import { reserved } from './files.ts'
import { namesOf } from './names.ts'
import { emptyState, type JournalState, type KeptFile, kept, maxChanges, type TurnRecord } from './turn-record.ts'

export const journalBounds = {
  files: 10_000,
  /** Bytes kept of one file, and of all together. */
  fileBytes: 4 * 1024 * 1024,
  bytes: 64 * 1024 * 1024,
  /** Longer than any file system's time resolution, ms: files changed later before a look are read again. */
  settleMs: 2_000,
}

/** Programs' own files, not the work: undoing a reply must not make the agent forget the reply. */
export const leftOut: ReadonlySet<string> = new Set([...reserved, 'home', 'inbox', 'memory', 'state'])

/** Prompts of one turn, and characters of each text. */
const most = { prompts: 1_000, idCharacters: 100, problemCharacters: 200, stampCharacters: 22 }

/**
 * Parses a journal that the agent may have written. One that the supervisor could not have written counts as empty: it
 * might name files outside the work or cause excessive reading.
 */
export function parseJournal(text: string): JournalState {
  try {
    const { version, files, open, turns } = record(JSON.parse(text))
    if (version !== 1) throw unsound()
    return {
      version,
      files: files === null ? null : parseFiles(record(files)),
      open: ids(open),
      turns: list(turns, kept.turns).map(parseTurn),
    }
  } catch {
    return emptyState()
  }
}

const unsound = () => new Error('the journal is not one of ours')

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unsound()
  return Object.assign(Object.create(null), value)
}

function list(value: unknown, longest: number): unknown[] {
  if (!Array.isArray(value) || value.length > longest) throw unsound()
  return value
}

function text(value: unknown, longest: number): string {
  if (typeof value !== 'string' || value.length > longest) throw unsound()
  return value
}

function whole(value: unknown, greatest: number): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > greatest) throw unsound()
  return value
}

const ids = (value: unknown): string[] => list(value, most.prompts).map((id) => text(id, most.idCharacters))

/** A path of the work. @throws Error for one that leads elsewhere */
function workPath(value: unknown): string {
  const path = text(value, 4_096)
  namesOf(path)
  if (path === '' || leftOut.has(path.split('/', 1)[0] ?? '')) throw unsound()
  return path
}

/** The latest time that JavaScript can write, ms. */
export const latestMs = 8_640_000_000_000_000

function parseFile(value: unknown): KeptFile {
  const { size, m, x, sha256, stamp } = record(value)
  if (sha256 !== null && !/^[0-9a-f]{64}$/.test(String(sha256))) throw unsound()
  return {
    size: whole(size, sha256 === null ? Number.MAX_SAFE_INTEGER : journalBounds.fileBytes),
    m: whole(m, latestMs),
    x: whole(x, 0o777),
    sha256: sha256 === null ? null : String(sha256),
    stamp: text(stamp, most.stampCharacters),
  }
}

/** @throws Error for files of more bytes than are kept */
function checkBytes(files: Iterable<KeptFile | null>): void {
  let bytes = 0
  for (const file of files) if (file?.sha256) bytes += file.size
  if (bytes > journalBounds.bytes) throw unsound()
}

function parseFiles(value: Record<string, unknown>): Record<string, KeptFile> {
  const entries = Object.entries(value)
  if (entries.length > journalBounds.files) throw unsound()
  const files: Record<string, KeptFile> = Object.create(null)
  for (const [path, file] of entries) files[workPath(path)] = parseFile(file)
  checkBytes(Object.values(files))
  return files
}

function parseTurn(value: unknown): TurnRecord {
  const { promptIds, endedAt, changes, problem } = record(value)
  const parsed = list(changes, maxChanges).map((change) => {
    const { path, before, after } = record(change)
    const [was, is] = [before === null ? null : parseFile(before), after === null ? null : parseFile(after)]
    if (!was && !is) throw unsound()
    return { path: workPath(path), before: was, after: is }
  })
  if (new Set(parsed.map(({ path }) => path)).size < parsed.length) throw unsound()
  checkBytes(parsed.map(({ before }) => before))
  checkBytes(parsed.map(({ after }) => after))
  const ended = text(endedAt, 30)
  if (new Date(ended).toISOString() !== ended) throw unsound()
  return {
    promptIds: ids(promptIds),
    endedAt: ended,
    changes: parsed,
    problem: problem === null ? null : text(problem, most.problemCharacters),
  }
}
