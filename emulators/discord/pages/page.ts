/** The page, which needs no build step. */
const style = `
:root{color-scheme:light dark;--back:#f4f5f7;--card:#fff;--ink:#16181d;--soft:#5a6070;--line:#d9dce3;--act:#4752c4;--act-ink:#fff;--own:#eceffd}
@media(prefers-color-scheme:dark){:root{--back:#0e1014;--card:#171a21;--ink:#eceef3;--soft:#a3a9b8;--line:#2c313c;--act:#8c9bff;--act-ink:#10131c;--own:#20263c}}
*{box-sizing:border-box}
body{margin:0;height:100vh;display:grid;grid-template:auto 1fr/14rem 1fr;background:var(--back);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
header{grid-column:1/-1;display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.6rem 1rem;background:var(--card);border-bottom:1px solid var(--line)}
h1{margin:0 auto 0 0;font-size:1rem}
nav{overflow:auto;padding:.75rem;border-right:1px solid var(--line)}
nav p{margin:.75rem 0 .25rem;font-size:.8rem;color:var(--soft)}
nav button{display:block;width:100%;margin:0 0 .25rem;text-align:left;background:none;color:inherit;border-color:transparent}
nav button[aria-current=true]{background:var(--own);border-color:var(--act)}
main{display:grid;grid-template-rows:1fr auto auto;min-height:0;background:var(--card)}
ol{margin:0;padding:1rem;overflow:auto;list-style:none}
li{margin:0 0 .9rem;max-width:48rem;overflow-wrap:anywhere}
li.own{background:var(--own);border-radius:8px;padding:.4rem .6rem}
.who{font-weight:600}.when,.note{font-size:.8rem;color:var(--soft)}
.text{white-space:pre-wrap}
pre{margin:.25rem 0;padding:.5rem;overflow:auto;border:1px solid var(--line);border-radius:6px;font-size:.85rem}
img{display:block;max-width:16rem;max-height:12rem;border-radius:6px}
.row{display:flex;flex-wrap:wrap;gap:.4rem;margin-top:.3rem}
form{display:flex;flex-wrap:wrap;gap:.5rem;padding:.75rem 1rem;border-top:1px solid var(--line)}
textarea{flex:1 1 16rem;min-height:2.6rem;padding:.5rem;resize:vertical}
textarea,select,input,button{font:inherit;color:inherit;background:none;border:1px solid var(--line);border-radius:6px}
select,button{padding:.3rem .7rem;cursor:pointer}option{background:var(--card)}
button.main{background:var(--act);color:var(--act-ink);border-color:transparent;font-weight:600}
button.small{padding:0 .4rem;font-size:.75rem;color:var(--soft)}
:focus-visible{outline:3px solid var(--act);outline-offset:1px}
#status{min-height:1.5rem;margin:0;padding:0 1rem;font-size:.85rem;color:var(--soft)}
@media(max-width:40rem){body{grid-template:auto auto 1fr/1fr}nav{border-right:0;max-height:9rem}}
`

/** @param base the page's own path, without a slash at the end */
export const html = (base: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>Discord emulator</title><style>${style}</style>
<script type="module" src="${base}/page.js"></script></head>
<body data-base="${base}"><header><h1>Discord emulator</h1><label>You are <select id="user"></select></label>
<span id="listening" class="note"></span><button id="toggle" type="button"></button></header>
<nav aria-label="Chats" id="channels"></nav>
<main><ol id="messages" aria-live="polite" aria-label="Messages" tabindex="0"></ol><p id="status" role="status"></p>
<form id="form"><textarea id="text" aria-label="Message" placeholder="Message, /command or @name; Enter sends"></textarea>
<input id="file" type="file" multiple aria-label="Files"><button class="main">Send</button></form></main></body></html>`

export const script =
  String.raw`
const base = document.body.dataset.base
const at = (id) => document.getElementById(id)
let state = { version: 0, channels: [] }
let shown = ''
let channelId = sessionStorage.getItem('channel')
let userId = sessionStorage.getItem('user') ?? ''
let editing = null
let answers = null
let notice = ''

function make(tag, { className, text, ...rest } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), rest)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  made.append(...children)
  return made
}

async function ask(action, fields, files = []) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ user: userId, channel: channelId, ...fields })) form.set(name, value)
  for (const file of files) form.append('file', file)
  const answer = await fetch(base + '/' + action, { method: 'POST', body: form }).then((each) => each.json())
  notice = answer.notice ?? answer.message ?? ''
  await refresh(true)
}

async function refresh(always = false) {
  const answer = await fetch(base + '/state?user=' + encodeURIComponent(userId)).catch(() => null)
  if (!answer?.ok) return
  state = await answer.json()
  userId = state.user
  if (!state.channels.some(({ id }) => id === channelId)) channelId = state.channels[0]?.id
  sessionStorage.setItem('user', userId)
  sessionStorage.setItem('channel', channelId)
  const next = JSON.stringify([state, channelId, editing, answers, notice])
  if (!always && next === shown) return
  shown = next
  draw()
}

function draw() {
  const channel = state.channels.find(({ id }) => id === channelId)
  at('user').replaceChildren(...state.people.map(({ id, name }) => make('option', { value: id, text: name, selected: id === userId })))
  at('listening').textContent = state.listening ? 'The bot hears plain messages.' : 'The bot hears commands only: /ask talks to it.'
  const groups = Map.groupBy(state.channels, ({ server }) => server ?? 'Direct messages')
  at('channels').replaceChildren(
    ...[...groups].flatMap(([name, channels]) => [make('p', { text: name }), ...channels.map((each) => {
      const button = make('button', { type: 'button', text: each.name, onclick: () => { channelId = each.id; editing = answers = null; notice = ''; refresh(true) } })
      button.setAttribute('aria-current', String(each.id === channelId))
      return button
    })]),
  )
  if (!channel) return
  at('toggle').textContent = channel.server ? (channel.open ? 'Throw the bot out' : 'Bring the bot back') : channel.open ? 'Block the bot' : 'Let the bot write'
  const list = at('messages')
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80
  list.replaceChildren(...channel.messages.map((message) => show(message)))
  if (atEnd) list.scrollTop = list.scrollHeight
  at('status').textContent = notice || (editing ? 'You are changing a message. Escape keeps it.' : answers ? 'You are answering a message. Escape stops that.' : channel.typing ? state.bot + ' is typing …' : '')
}

function show(message) {
  const own = message.author.id === userId
  const small = (text, onclick) => make('button', { type: 'button', className: 'small', text, onclick })
  const who = make('div', {}, make('span', { className: 'who', text: message.author.global_name ?? message.author.username }), ' ',
    make('span', { className: 'when', text: new Date(message.timestamp).toLocaleTimeString() + (message.edited_timestamp ? ' (edited)' : '') }), ' ',
    small('Answer', () => { answers = message.id; editing = null; draw(); at('text').focus() }),
    ...(own ? [small('Edit', () => { editing = message.id; at('text').value = message.content; draw(); at('text').focus() }), small('Delete', () => ask('delete', { message: message.id }))] : []))
  const used = message.interaction_metadata ? [make('div', { className: 'note', text: 'to a command of ' + nameOf(message.interaction_metadata.user.id) })] : []
  const quoted = message.referenced_message ? [make('div', { className: 'note', text: '↪ ' + message.referenced_message.content.slice(0, 80) })] : []
  const thinking = message.flags & 128
  return make('li', { className: own ? 'own' : '' }, who, ...used, ...quoted,
    thinking ? make('div', { className: 'note', text: state.bot + ' is thinking …' }) : written(message.content),
    ...message.attachments.map((file) => make('a', { href: base + '/file/' + file.id, download: file.filename },
      ...(/^image\/(png|jpeg|gif|webp)$/.test(file.content_type) ? [make('img', { src: base + '/file/' + file.id, alt: file.filename })] : [file.filename + ' (' + file.size + ' bytes)']))),
    ...message.components.map((row) => make('div', { className: 'row' }, ...row.components.map((each) =>
      make('button', { type: 'button', text: each.label ?? each.custom_id, disabled: each.disabled ?? false, onclick: () => ask('press', { message: message.id, data: each.custom_id }) })))))
}

const nameOf = (id) => state.users.find((each) => each.id === id)?.name ?? id

function written(content) {
  const text = content.replaceAll(/<@!?(\d+)>/g, (_, id) => '@' + nameOf(id))
  const parts = text.split(/` +
  '```' +
  String.raw`[\w+#.-]*\n?([\s\S]*?)` +
  '```' +
  String.raw`/)
  return make('div', { className: 'text' }, ...parts.flatMap((part, index) => index % 2 ? [make('pre', { text: part })]
    : part.split(/\*\*(.+?)\*\*/).map((inner, bold) => bold % 2 ? make('strong', { text: inner }) : inner)))
}

async function send() {
  const text = at('text').value
  const files = [...at('file').files]
  if (text.trim() === '' && files.length === 0) return
  at('text').value = ''
  at('file').value = ''
  const [message, answered] = [editing, answers]
  editing = answers = null
  if (message) await ask('edit', { message, text })
  else if (text.startsWith('/')) await ask('command', { text }, files)
  else await ask('say', { text, ...(answered && { answers: answered }) }, files)
}

at('form').addEventListener('submit', (event) => { event.preventDefault(); send() })
at('text').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); send() }
  if (event.key === 'Escape') { editing = answers = null; at('text').value = ''; draw() }
})
at('user').addEventListener('change', (event) => { userId = event.target.value; channelId = null; notice = ''; refresh(true) })
at('toggle').addEventListener('click', () => ask('toggle', {}))
setInterval(() => { if (!document.hidden) refresh() }, 700)
refresh(true)
`
