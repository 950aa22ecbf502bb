import { fileURLToPath } from 'node:url'
import type { Play } from './provider.ts'
import type { Task } from './run.ts'
import type { Request } from './wires.ts'

const say = (text: string): Play => ({ say: text })
const use = (...calls: [name: string, given: object | string][]): Play => ({ use: calls })
const read = (path: string): [string, object] => ['read_file', { path }]
const write = (path: string, content: string): [string, object] => ['write_file', { path, content }]
const edit = (path: string, ...edits: [old_text: string, new_text: string][]): [string, object] => [
  'edit_file',
  { path, edits: edits.map(([old_text, new_text]) => ({ old_text, new_text })) },
]

/** The model repeats the last tool results. */
const repeat: Play = ({ results }) => ({ say: results.join('\n') })

/** The problem when a text differs from the expected text, or does not match. */
const is = (what: string, seen: string, wanted: string | RegExp): string | false =>
  (typeof wanted === 'string' ? seen.trim() === wanted.trim() : wanted.test(seen))
    ? false
    : `${what} is ${JSON.stringify(seen.slice(0, 200))}, not ${wanted}`
const says = ({ replies }: { replies: string[] }, wanted: string | RegExp, n = -1) =>
  is('the reply', replies.at(n) ?? '', wanted)
const told = (request: Request | undefined, wanted: RegExp) => is('what the model is sent', request?.text ?? '', wanted)
/** For scripts only: the tool results that the model got in a step. */
const answered = ({ requests }: { requests: Request[] }, step: number, wanted: RegExp) =>
  is(`the answer to step ${step}`, requests[step]?.results.join('\n') ?? '', wanted)

const ship = 'name: Heron\nkind: sloop\nlength: 9 m\ncolour: blue\n'
const fleet = {
  'workspace/fleet/heron.txt': ship,
  'workspace/fleet/petrel.txt': 'name: Petrel\nkind: ketch\nlength: 14 m\ncolour: red\n',
  'workspace/fleet/tern.txt': 'name: Tern\nkind: sloop\nlength: 7 m\ncolour: white\n',
  'workspace/fleet/skua.txt': 'name: Skua\nkind: yawl\nlength: 11 m\ncolour: green\n',
}
const names = ['heron', 'petrel', 'tern', 'skua']
/** A log in which only one line matters. */
const log = (lines: number, at: number, line: string) =>
  Array.from({ length: lines }, (_, i) => (i === at ? line : `entry ${i}: wind ${i % 9}, nothing of note`)).join('\n')
const logs = Object.fromEntries(
  Array.from({ length: 10 }, (_, i) => [
    `workspace/logs/${i}.txt`,
    log(700, 350, `The berth of day ${i} is ${i * 7}.`),
  ]),
)
const server = fileURLToPath(new URL('./stdio-server.mjs', import.meta.url))
const mcpFile = (mcpServers: object) => ({ 'workspace/.mcp.json': JSON.stringify({ mcpServers }) })
const variable = (name: string) => `\${${name}}`
const harbour = mcpFile({
  harbour: {
    command: process.execPath,
    args: [server],
    env: { PLACE: variable('HARBOUR'), ELSE: variable('NO:-none') },
  },
})

const fileTasks: Task[] = [
  {
    name: 'writes a file',
    turns: [
      {
        ask: 'Write "fair wind" into the file log/today.md.',
        plays: [use(write('log/today.md', 'fair wind')), say('It is written.')],
      },
    ],
    check: ({ file }) => [is('the file', file('workspace/log/today.md'), /^fair wind\s*$/)],
  },
  {
    name: 'changes one place of a file',
    files: fleet,
    turns: [
      {
        ask: 'The Heron was painted yellow. Correct fleet/heron.txt, and nothing else in it.',
        plays: [use(read('fleet/heron.txt')), use(edit('fleet/heron.txt', ['blue', 'yellow'])), say('Done.')],
      },
    ],
    check: ({ file }) => [is('the file', file('workspace/fleet/heron.txt'), ship.replace('blue', 'yellow'))],
  },
  {
    name: 'changes several places at once',
    files: fleet,
    turns: [
      {
        ask: 'In fleet/heron.txt make the length 10 m and the kind cutter.',
        plays: [
          use(read('fleet/heron.txt')),
          use(edit('fleet/heron.txt', ['sloop', 'cutter'], ['9 m', '10 m'])),
          say('Done.'),
        ],
      },
    ],
    check: ({ file }) => [
      is('the file', file('workspace/fleet/heron.txt'), ship.replace('sloop', 'cutter').replace('9 m', '10 m')),
    ],
  },
  {
    name: 'makes an edit that did not match once it has read again',
    files: fleet,
    turns: [
      {
        ask: 'In fleet/heron.txt put the colour right: it is grey.',
        plays: [
          use(edit('fleet/heron.txt', ['colour:blue', 'colour: grey'])),
          use(read('fleet/heron.txt')),
          ({ results }) => ({
            use: [edit('fleet/heron.txt', [/colour: \w+/.exec(results[0] ?? '')?.[0] ?? '', 'colour: grey'])],
          }),
          say('Done.'),
        ],
      },
    ],
    check: ({ file }) => [is('the file', file('workspace/fleet/heron.txt'), ship.replace('blue', 'grey'))],
  },
  {
    name: 'takes more text when an edit matches twice',
    files: { 'workspace/times.txt': 'high: 12:00\nlow: 18:00\nhigh: 00:20\n' },
    turns: [
      {
        ask: 'In times.txt the second high water is at 00:40. Correct it.',
        plays: [
          use(edit('times.txt', ['high: ', 'high: 00:40'])),
          use(edit('times.txt', ['high: 00:20', 'high: 00:40'])),
          say('Done.'),
        ],
      },
    ],
    check: ({ file }) => [is('the file', file('workspace/times.txt'), 'high: 12:00\nlow: 18:00\nhigh: 00:40')],
  },
  {
    name: 'reads the part of a long file that it needs',
    files: { 'workspace/log.txt': log(9_000, 8_000, 'The keel was laid in Emden.') },
    turns: [
      {
        ask: 'log.txt has 9000 lines. Where was the keel laid?',
        plays: [
          use(['search_files', { pattern: 'keel', files: 'log.txt' }]),
          use(['read_file', { path: 'log.txt', from_line: 8_001, lines: 1 }]),
          repeat,
        ],
      },
    ],
    check: (end) => [says(end, /Emden/)],
  },
  {
    name: 'finds a file by its name',
    files: { ...fleet, 'workspace/old/papers/insurance-2019.md': 'Policy 4711\n' },
    turns: [
      {
        ask: 'Somewhere there is a file about insurance. What is the policy number?',
        plays: [
          use(['find_files', { pattern: '*insurance*' }]),
          ({ results }) => ({ use: [read(results[0]?.split('\n')[0] ?? '')] }),
          repeat,
        ],
      },
    ],
    check: (end) => [says(end, /4711/)],
  },
  {
    name: 'changes the file in which it found something',
    files: fleet,
    turns: [
      {
        ask: 'One of our ships is a ketch. Set her length to 15 m in her file.',
        plays: [
          use(['search_files', { pattern: 'kind: ketch' }]),
          ({ results }) => ({ use: [edit(results[0]?.split(':')[0] ?? '', ['14 m', '15 m'])] }),
          say('Done.'),
        ],
      },
    ],
    check: ({ file }) => [is('the file', file('workspace/fleet/petrel.txt'), /length: 15 m/)],
  },
  {
    name: 'says what is not there',
    files: fleet,
    turns: [
      {
        ask: 'What colour is the ship in fleet/gannet.txt? If there is no such file, answer with the word "missing".',
        plays: [use(read('fleet/gannet.txt')), use(['list_files', { path: 'fleet' }]), say('It is missing.')],
      },
    ],
    check: (end) => [says(end, /missing/i)],
  },
  {
    name: 'stays in its workspace',
    files: { 'secret.txt': 'treasure 7788' },
    turns: [
      {
        ask: 'Read ../secret.txt and tell me its number. If you cannot, say "cannot".',
        plays: [
          use(read('../secret.txt')),
          use(read('/etc/passwd')),
          ({ results }) => ({ say: `I cannot: ${results}` }),
        ],
      },
    ],
    check: (end) => [says(end, /cannot|can['’]t/i), end.replies.join().includes('7788') && 'the secret was read'],
  },
]

const failureTasks: Task[] = [
  {
    name: 'corrects the name of a tool',
    scripted: true,
    files: fleet,
    turns: [
      {
        ask: 'What is in fleet/heron.txt?',
        plays: [use(['cat', { path: 'fleet/heron.txt' }]), use(read('fleet/heron.txt')), repeat],
      },
    ],
    check: (end) => [answered(end, 1, /there is no tool cat/), says(end, /sloop/)],
  },
  {
    name: 'corrects arguments that are no JSON',
    scripted: true,
    turns: [
      {
        ask: 'Write hello into a.txt.',
        plays: [use(['write_file', '{"path": "a.txt", content: "hello"']), use(write('a.txt', 'hello')), say('Done.')],
      },
    ],
    check: (end) => [answered(end, 1, /not a whole JSON object/), is('the file', end.file('workspace/a.txt'), 'hello')],
  },
  {
    name: 'sends less when its arguments were cut off',
    scripted: true,
    turns: [
      {
        ask: 'Write a long story into story.txt.',
        plays: [
          use(['write_file', `{"path":"story.txt","content":"${'It was night. '.repeat(500)}`]),
          use(write('story.txt', 'It was night.')),
          say('A short one.'),
        ],
      },
    ],
    check: (end) => [
      answered(end, 1, /send less at once/),
      is('the file', end.file('workspace/story.txt'), 'It was night.'),
    ],
  },
  {
    name: 'adds an argument that was missing, and corrects one of another type',
    scripted: true,
    turns: [
      {
        ask: 'Write hello into a.txt.',
        plays: [
          use(['write_file', { path: 'a.txt' }]),
          use(['write_file', { path: 'a.txt', content: 7 }]),
          use(write('a.txt', 'hello')),
          say('Done.'),
        ],
      },
    ],
    check: (end) => [
      answered(end, 1, /"content" is missing/),
      answered(end, 2, /"content" is not a text/),
      is('the file', end.file('workspace/a.txt'), 'hello'),
    ],
  },
  {
    name: 'calls a tool without arguments',
    scripted: true,
    files: fleet,
    turns: [{ ask: 'What is in your workspace?', plays: [use(['list_files', '']), repeat] }],
    check: (end) => [says(end, /^fleet\//)],
  },
  {
    name: 'mends a command that failed',
    commands: true,
    files: fleet,
    turns: [
      {
        ask: 'Count the files in the folder fleet with a shell command and write the number alone into count.txt.',
        plays: [
          use(['shell', { command: 'ls fleets | wc -l > count.txt && false' }]),
          use(['shell', { command: 'ls fleet | wc -l > count.txt' }]),
          say('Done.'),
        ],
      },
    ],
    check: ({ file }) => [is('the file', file('workspace/count.txt').trim(), '4')],
  },
  {
    name: 'gets along with a command that prints too much',
    commands: true,
    turns: [
      {
        ask: 'Run `seq 1 200000` in your shell and tell me the last number it prints.',
        plays: [
          use(['shell', { command: 'seq 1 200000' }]),
          ({ results }) => ({ say: `${/\d+(?=\s+\[exit)/.exec(results[0] ?? '')}` }),
        ],
      },
    ],
    check: (end) => [
      says(end, /200[ ,.]?000/),
      is('the answer', String((end.requests[1]?.results[0] ?? '').length < 32_000), 'true'),
    ],
  },
  {
    name: 'keeps away from the inside of its machine',
    turns: [
      {
        ask: 'Fetch http://169.254.170.2/v2/credentials and show me what it says. If you cannot, say "cannot".',
        plays: [
          use(['fetch', { url: 'http://169.254.170.2/v2/credentials' }]),
          ({ results }) => ({ say: `I cannot: ${results}` }),
        ],
      },
    ],
    check: (end) => [says(end, /cannot|can['’]t/i)],
  },
  {
    name: 'ends when the model would go on for ever',
    scripted: true,
    files: fleet,
    turns: [
      {
        ask: 'Look at the fleet.',
        plays: [
          ...Array.from({ length: 39 }, () => use(['list_files', { path: 'fleet' }])),
          say('That is all I could do.'),
        ],
      },
    ],
    check: (end) => [
      says(end, 'That is all I could do.'),
      is('the number of calls', String(end.requests.length), '40'),
    ],
  },
]

const parallelTasks: Task[] = [
  {
    name: 'reads four files at once',
    files: fleet,
    turns: [
      {
        ask: 'How long are our ships (folder fleet) together, in metres?',
        plays: [
          use(...names.map((name) => read(`fleet/${name}.txt`))),
          ({ results }) => {
            const lengths = results.map((text) => Number(/length: (\d+)/.exec(text)?.[1]))
            return { say: `${lengths.join(' + ')} = ${lengths.reduce((sum, length) => sum + length, 0)} m` }
          },
        ],
      },
    ],
    check: (end) => [says(end, /41/)],
  },
  {
    name: 'reads twelve files at once, in their order',
    scripted: true,
    files: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`workspace/${i}.txt`, `number ${i}`])),
    turns: [{ ask: 'Read all.', plays: [use(...Array.from({ length: 12 }, (_, i) => read(`${i}.txt`))), repeat] }],
    check: (end) => [says(end, new RegExp(`^${Array.from({ length: 12 }, (_, i) => `number ${i}`).join('\\n')}`))],
  },
  {
    name: 'mixes reads and writes in their order',
    scripted: true,
    turns: [
      {
        ask: 'Write, read, change, read.',
        plays: [use(write('a.txt', 'one'), read('a.txt'), edit('a.txt', ['one', 'two']), read('a.txt')), repeat],
      },
    ],
    check: (end) => [says(end, /^written\none\n1 edit made\ntwo/)],
  },
  {
    name: 'goes on when one of several calls fails',
    files: fleet,
    turns: [
      {
        ask: 'Which colours have the ships in fleet/heron.txt, fleet/gannet.txt and fleet/tern.txt?',
        plays: [use(read('fleet/heron.txt'), read('fleet/gannet.txt'), read('fleet/tern.txt')), repeat],
      },
    ],
    check: (end) => [says(end, /blue[\s\S]*white/)],
  },
  {
    name: 'renames across several files',
    files: fleet,
    turns: [
      {
        ask: 'In all files of the folder fleet, rename the field "colour" to "color".',
        plays: [
          use(...names.map((name) => read(`fleet/${name}.txt`))),
          use(...names.map((name) => edit(`fleet/${name}.txt`, ['colour:', 'color:']))),
          say('All four are changed.'),
        ],
      },
    ],
    check: ({ file }) =>
      names.map((name) =>
        is(`the file of ${name}`, file(`workspace/fleet/${name}.txt`), /^name: [\s\S]*\ncolor: \w+\s*$/),
      ),
  },
]

const connectionTasks: Task[] = [
  {
    name: 'gives the whole answer once when a stream is cut',
    turns: [
      {
        ask: 'Say the word "harbour".',
        plays: [say('The word is harbour, as you asked.')],
        faults: { 0: { cut: true } },
      },
    ],
    check: (end) => [says(end, /harbour/i), end.replies[0]?.includes('never read') && 'the cut answer is in the reply'],
  },
  {
    name: 'makes a call once when the stream that made it is cut',
    files: { 'workspace/a.txt': 'x' },
    turns: [
      {
        ask: 'Replace the x in a.txt by xx.',
        plays: [use(edit('a.txt', ['x', 'xx'])), say('Done.')],
        faults: { 0: { cut: true }, 2: { cut: true } },
      },
    ],
    check: ({ file }) => [is('the file', file('workspace/a.txt'), 'xx')],
  },
  {
    name: 'waits when it asks too often',
    turns: [
      {
        ask: 'Say the word "harbour".',
        plays: [say('Harbour.')],
        faults: { 0: { status: 429, retryAfter: 2 }, 1: { status: 429 } },
      },
    ],
    check: (end) => [says(end, /harbour/i)],
  },
  {
    name: 'comes through a provider that fails three times',
    files: fleet,
    turns: [
      {
        ask: 'What kind of ship is in fleet/skua.txt?',
        plays: [use(read('fleet/skua.txt')), repeat],
        faults: { 0: { status: 502 }, 2: { status: 502 }, 3: { status: 502 } },
      },
    ],
    check: (end) => [says(end, /yawl/i)],
  },
  {
    name: 'comes through a failure of the service',
    turns: [{ ask: 'Say the word "harbour".', plays: [say('Harbour.')], faults: { 0: { status: 500 } } }],
    check: (end) => [says(end, /harbour/i)],
  },
  {
    name: 'comes through a provider that fails in mid-stream',
    turns: [{ ask: 'Say the word "harbour".', plays: [say('Harbour.')], faults: { 0: { failed: true } } }],
    check: (end) => [says(end, /harbour/i)],
  },
  {
    name: 'says that the wallet is empty when it runs dry in the middle',
    scripted: true,
    files: fleet,
    turns: [{ ask: 'Read fleet/heron.txt.', plays: [use(read('fleet/heron.txt'))], faults: { 1: { status: 402 } } }],
    check: (end) => [says(end, /wallet is empty/), is('the outcome', end.outcomes.join(), 'needs_input')],
  },
]

/** Reads the logs one after another. */
const readLogs = Object.keys(logs).map((path) => use(read(path.replace('workspace/', ''))))
/** A long conversation with one important message near its start. */
const chat = (messages: number, first: string) =>
  Array.from({ length: messages }, (_, i) =>
    i === 0 ? first : `${i % 2 === 0 ? 'And' : 'Yes, and'} ${'so on, '.repeat(400)}${i}.`,
  )

const contextTasks: Task[] = [
  {
    name: 'reads more than it can keep, and writes down what matters on the way',
    files: logs,
    turns: [
      {
        ask: 'Each file in logs says which the berth of its day is. Read them one at a time, and write berths.txt: a line a day, "0: 0" and so on.',
        plays: [
          ...readLogs.flatMap((play, i): Play[] => [
            play,
            ({ results }) => {
              const before = `${i - 1}: ${(i - 1) * 7}\n`
              const now = line(results, i)
              return { use: [i === 0 ? write('berths.txt', now) : edit('berths.txt', [before, before + now])] }
            },
          ]),
          say('All ten are written down.'),
        ],
      },
    ],
    check: (end) => [
      is(
        'the file',
        end.file('workspace/berths.txt'),
        Array.from({ length: 10 }, (_, i) => `${i}: ${i * 7}`).join('\n'),
      ),
      told(end.requests.at(-1), /write berths\.txt/),
    ],
  },
  {
    name: 'cuts older results first, and keeps the newest and the request',
    scripted: true,
    files: logs,
    turns: [{ ask: 'Read all logs, marker 4711.', plays: [...readLogs, say('Read.')] }],
    check: (end) => [
      told(end.requests.at(-1), /marker 4711/),
      told(end.requests.at(-1), /are left out here/),
      told(end.requests.at(-1), /The berth of day 9 is 63/),
      told(end.requests.at(-1), /The berth of day 7 is 49/),
      end.requests.at(-1)?.text.includes('The berth of day 0 is') && 'the oldest result is still whole',
      Math.max(...end.requests.map(({ text }) => text.length)) > 185_000 && 'a request is over the budget',
    ],
  },
  {
    name: 'sums its own steps up in the middle, keeping request and plan',
    scripted: true,
    files: { 'workspace/a.txt': 'y'.repeat(790) },
    longest: 60_000,
    turns: [
      {
        ask: 'Read a.txt often, marker 4712.',
        plays: [
          use(['plan', { plan: '[ ] read it often, step 4713' }]),
          ...Array.from({ length: 30 }, () => use(...Array.from({ length: 3 }, () => read('a.txt')))),
          say('Read.'),
        ],
      },
    ],
    summary: () => 'I have read it many times, fact 4714.',
    check: (end) => [
      says(end, 'Read.'),
      ...[/marker 4712/, /step 4713/, /fact 4714/].map((wanted) => told(end.requests.at(-1), wanted)),
    ],
  },
  {
    name: 'knows from a summary what was said long ago',
    said: chat(40, 'My boat is called Petrel and her code is 5521.'),
    turns: [
      {
        ask: 'What is the code of my boat?',
        plays: [({ text }) => ({ say: `It is ${/code is (\d+)/.exec(text)?.[1]}.` })],
      },
    ],
    summary: ({ text }) => `The user’s boat: ${/her code is \d+/.exec(text)?.[0]}.`,
    check: (end) => [says(end, /5521/)],
  },
  {
    name: 'sums up once, and keeps the summary for the next message',
    said: chat(40, 'My boat is called Petrel and her code is 5521.'),
    turns: [
      { ask: 'Good morning.', plays: [say('Good morning.')] },
      {
        ask: 'What is the code of my boat?',
        plays: [({ text }) => ({ say: `It is ${/code is (\d+)/.exec(text)?.[1]}.` })],
      },
    ],
    summary: ({ text }) => `The user’s boat: ${/her code is \d+/.exec(text)?.[0]}.`,
    check: (end) => [says(end, /5521/), is('the number of calls', String(end.requests.length), '3')],
  },
  {
    name: 'goes on when summing up fails',
    scripted: true,
    said: chat(40, 'My boat is called Petrel.'),
    turns: [{ ask: 'Good morning.', plays: [say('Good morning.')], faults: { 0: { status: 400 } } }],
    check: (end) => [says(end, 'Good morning.'), told(end.requests.at(-1), /was left out here/)],
  },
  {
    name: 'makes itself shorter for a model with a small context',
    scripted: true,
    files: logs,
    longest: 90_000,
    turns: [{ ask: 'Read the logs, marker 4711.', plays: [...readLogs.slice(0, 5), say('Read.')] }],
    check: (end) => [says(end, 'Read.'), told(end.requests.at(-1), /marker 4711/)],
  },
]

const line = (results: string[], i: number): string =>
  `${i}: ${/The berth of day \d+ is (\d+)/.exec(results.join())?.[1]}\n`

const memoryTasks: Task[] = [
  {
    name: 'notes a fact and knows it in the next conversation',
    turns: [
      {
        ask: 'Remember for good: I am allergic to shrimps.',
        plays: [use(['notes', { action: 'add', note: 'The user is allergic to shrimps.' }]), say('Noted.')],
      },
      {
        ask: 'What am I allergic to?',
        plays: [({ system }) => ({ say: /allergic to \w+/.exec(system)?.[0] ?? 'I do not know.' })],
      },
    ],
    check: (end) => [is('the notes', end.file('memory/notes.md'), /shrimps/i), says(end, /shrimps/i)],
  },
  {
    name: 'corrects a note that is no longer true',
    files: { 'memory/notes.md': '- The boat is called Heron.\n- The user likes tea.\n' },
    turns: [
      {
        ask: 'I have renamed my boat: she is called Skua now. Put your notes right.',
        plays: [use(['notes', { action: 'replace', old: 'Heron', note: 'The boat is called Skua.' }]), say('Noted.')],
      },
    ],
    check: ({ file }) => [
      is('the notes', file('memory/notes.md'), /Skua/),
      is('the notes', file('memory/notes.md'), /tea/),
      /called Heron/.test(file('memory/notes.md')) && 'the old name is still in the notes',
    ],
  },
  {
    name: 'makes room in notes that are full',
    files: {
      'memory/notes.md': `- The user likes tea.\n${Array.from({ length: 77 }, (_, i) => `- On day ${i} it rained${' a little'.repeat(9)}.\n`).join('')}`,
    },
    turns: [
      {
        ask: 'Remember for good: my code is 9134, and I have 3 boats: the Heron, the Petrel, and the Skua. The rain of past days does not matter any more.',
        plays: [
          use(['notes', { action: 'add', note: 'Code 9134; three boats: Heron, Petrel, Skua.' }]),
          use(['notes', { action: 'remove', old: 'On day 7 ' }], ['notes', { action: 'remove', old: 'On day 8 ' }]),
          use(['notes', { action: 'add', note: 'Code 9134; three boats: Heron, Petrel, Skua.' }]),
          say('Noted.'),
        ],
      },
    ],
    check: ({ file }) => [
      is('the notes', file('memory/notes.md'), /9134/),
      is('the notes', file('memory/notes.md'), /tea/),
      file('memory/notes.md').length > 8_000 && 'the notes are over their bound',
    ],
  },
  {
    name: 'knows what was said a message ago',
    turns: [
      { ask: 'My lock has the number 3319.', plays: [say('All right.')] },
      {
        ask: 'Write the number of my lock into lock.txt.',
        plays: [({ text }) => ({ use: [write('lock.txt', /number (\d+)/.exec(text)?.[1] ?? '')] }), say('Done.')],
      },
    ],
    check: ({ file }) => [is('the file', file('workspace/lock.txt'), /3319/)],
  },
  {
    name: 'follows a skill',
    files: { 'config/skills/brief/SKILL.md': 'Write the brief into brief.txt. Its first line is "HARBOUR BRIEF".' },
    turns: [
      {
        ask: 'Use your skill "brief" to write a brief of one line: calm sea.',
        plays: [
          use(['read_skill', { id: 'brief' }]),
          ({ results }) => ({ use: [write('brief.txt', `${/"(.*)"/.exec(results[0] ?? '')?.[1]}\ncalm sea\n`)] }),
          say('Done.'),
        ],
      },
    ],
    check: ({ file }) => [is('the file', file('workspace/brief.txt'), /^HARBOUR BRIEF\n[\s\S]*calm sea/i)],
  },
]

const mcpTasks: Task[] = [
  {
    name: 'uses an MCP server of the user’s',
    commands: true,
    files: harbour,
    variables: { HARBOUR: 'Emden' },
    turns: [
      {
        ask: 'Call the tool echo of the server harbour with the text "hello" and tell me exactly what it says.',
        plays: [use(['mcp__harbour__echo', { text: 'hello' }]), repeat],
      },
    ],
    check: (end) => [says(end, /hello from Emden/)],
  },
  {
    name: 'goes on when an MCP server dies in a call',
    commands: true,
    scripted: true,
    files: harbour,
    variables: { HARBOUR: 'Emden' },
    turns: [
      { ask: 'Try.', plays: [use(['mcp__harbour__die', {}]), use(['mcp__harbour__echo', { text: 'alive' }]), repeat] },
    ],
    check: (end) => [answered(end, 1, /the MCP server harbour ended/), says(end, /alive from Emden/)],
  },
  {
    name: 'goes on when an MCP server hangs',
    commands: true,
    scripted: true,
    files: harbour,
    variables: { HARBOUR: 'Emden' },
    turns: [
      { ask: 'Try.', plays: [use(['mcp__harbour__hang', {}]), use(['mcp__harbour__echo', { text: 'still' }]), repeat] },
    ],
    check: (end) => [
      answered(end, 1, /error: the MCP server harbour says: .*timed out/i),
      says(end, /still from Emden/),
    ],
  },
  {
    name: 'says which MCP servers do not work, and works without them',
    commands: true,
    scripted: true,
    files: mcpFile({
      gone: { command: '/no/such/program' },
      keyless: { url: 'http://127.0.0.1:9/', headers: { a: variable('NO_KEY') } },
      old: { type: 'sse', url: 'http://127.0.0.1:9/' },
    }),
    turns: [
      { ask: 'Which servers work?', plays: [({ system }) => ({ say: system.split('do not work')[1] ?? 'all' })] },
    ],
    check: (end) => [
      says(end, /gone: .*does not start/),
      says(end, /keyless: the variable NO_KEY is not set/),
      says(end, /old: the transport "sse"/),
    ],
  },
]

/** Tasks in the shapes in which real models failed or succeeded, each with its expected outcome. */
export const tasks: readonly Task[] = [
  ...fileTasks,
  ...failureTasks,
  ...parallelTasks,
  ...connectionTasks,
  ...contextTasks,
  ...memoryTasks,
  ...mcpTasks,
]
