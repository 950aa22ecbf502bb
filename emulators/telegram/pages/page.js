/** A plain app to chat with the bot. What it shows is what the emulator says; it asks again whenever something is new. */
const base = new URL('.', import.meta.url).pathname.replace(/\/$/, '')
const find = (id) => document.getElementById(id)
const chosen = { person: 0, chat: 0, replyTo: null, editing: null }
let state = { bot: {}, people: [], chats: [] }

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}
const action = (label, run, className = 'link') => {
  const button = make('button', { type: 'button', className, textContent: label })
  button.addEventListener('click', run)
  return button
}

async function post(path, body) {
  const response = await fetch(`${base}/${path}`, { method: 'POST', body })
  const answer = await response.json()
  say(answer.error ?? '', Boolean(answer.error))
  return answer
}
const act = (asked) => post('do', JSON.stringify(asked))

function say(text, wrong = false) {
  find('status').textContent = text
  find('status').classList.toggle('wrong', wrong)
}

const here = () => state.chats.find(({ id }) => id === chosen.chat)
const mine = () =>
  state.chats.filter(({ standing }) => ['creator', 'administrator', 'member'].includes(standing[chosen.person]))
const nameOf = (id) => [state.bot, ...state.people].find((person) => person.id === id)?.first_name ?? '?'

function show() {
  if (!state.people.some(({ id }) => id === chosen.person)) chosen.person = state.people[0]?.id ?? 0
  if (!mine().some(({ id }) => id === chosen.chat)) chosen.chat = mine()[0]?.id ?? 0
  find('person').replaceChildren(
    ...state.people.map(({ id, first_name }) =>
      make('option', { value: id, textContent: first_name, selected: id === chosen.person }),
    ),
  )
  find('chats').replaceChildren(...mine().map(chatItem))
  const chat = here()
  find('title').textContent = chat ? (chat.title ?? `${state.bot.first_name} (bot)`) : ''
  const bot = chat?.standing[state.bot.id]
  const inside = bot && bot !== 'kicked' && bot !== 'left'
  find('membership').textContent =
    chat?.type === 'private'
      ? inside
        ? 'Block the bot'
        : 'Unblock the bot'
      : inside
        ? 'Throw the bot out'
        : 'Add the bot'
  find('membership').onclick = () =>
    act({ do: 'bot', chat: chat.id, person: chosen.person, standing: inside ? 'kicked' : 'member' })
  showMessages(chat)
  if (chat?.typing) say(`${state.bot.first_name} is typing …`)
  else if (!find('status').classList.contains('wrong')) say('')
}

function chatItem({ id, type, title }) {
  const button = action(
    type === 'private' ? `${state.bot.first_name} (bot)` : title,
    () => {
      Object.assign(chosen, { chat: id, replyTo: null, editing: null })
      show()
    },
    '',
  )
  button.setAttribute('aria-current', String(id === chosen.chat))
  return make('li', {}, button)
}

function showMessages(chat) {
  const list = find('messages')
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80
  list.replaceChildren(...(chat?.messages ?? []).map((message) => messageItem(chat, message)))
  if (chat?.draft) {
    const stop = chat.draft.canStop ? [action('Stop', () => act({ do: 'stop', chat: chat.id }))] : []
    list.append(
      make(
        'li',
        { className: 'message draft' },
        make('header', { textContent: `${state.bot.first_name} is writing` }),
        make('div', { className: 'text', textContent: chat.draft.text || 'Thinking …' }),
        make('footer', {}, ...stop),
      ),
    )
  }
  if (atEnd) list.scrollTop = list.scrollHeight
}

function messageItem(chat, message) {
  const { id, from, editedAt, replyTo, text, caption, entities, document: file, buttons } = message
  const item = make('li', { className: `message${from === chosen.person ? ' mine' : ''}`, id: `message-${id}` })
  item.append(make('header', { textContent: `${nameOf(from)} · ${id}${editedAt ? ' · edited' : ''}` }))
  const answered = chat.messages.find((other) => other.id === replyTo)
  if (answered)
    item.append(
      make('div', { className: 'answered', textContent: (answered.text ?? answered.caption ?? 'a file').slice(0, 80) }),
    )
  if (file) item.append(fileLink(file))
  const words = make('div', { className: 'text' })
  words.append(...formatted(text ?? caption ?? '', entities ?? []))
  item.append(words)
  const keys = (buttons?.inline_keyboard ?? []).flat().map((key) =>
    action(
      key.text,
      async () => {
        const { answer } = await act({
          do: 'press',
          chat: chat.id,
          person: chosen.person,
          message: id,
          data: key.callback_data,
        })
        if (answer) say(answer)
      },
      '',
    ),
  )
  if (keys.length > 0) item.append(make('div', { className: 'buttons' }, ...keys))
  const footer = make(
    'footer',
    {},
    action('Reply', () => begin({ replyTo: id, editing: null })),
  )
  if (from === chosen.person && text !== undefined)
    footer.append(action('Edit', () => begin({ replyTo: null, editing: id }, text)))
  footer.append(action('Delete', () => act({ do: 'remove', chat: chat.id, message: id })))
  item.append(footer)
  return item
}

function fileLink({ path, file_name, mime_type, file_size }) {
  const href = `${base}/file/${path}`
  if (/^image\/(png|jpeg|gif|webp)$/.test(mime_type)) return make('img', { src: href, alt: file_name })
  return make('a', { href, download: file_name, textContent: `${file_name} (${file_size} bytes)` })
}

const tags = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
  text_link: 'a',
}

/** The text as nodes: each entity an element around what lies in it. */
function formatted(text, entities, from = 0, to = text.length) {
  const nodes = []
  let at = from
  for (const [index, entity] of entities.entries()) {
    const end = entity.offset + entity.length
    if (entity.offset < at || end > to) continue
    if (entity.offset > at) nodes.push(text.slice(at, entity.offset))
    const inner = entities
      .slice(index + 1)
      .filter((other) => other.offset >= entity.offset && other.offset + other.length <= end)
    const element = make(tags[entity.type] ?? 'span', {}, ...formatted(text, inner, entity.offset, end))
    if (entity.type === 'text_link' && /^https?:/.test(entity.url))
      Object.assign(element, { href: entity.url, rel: 'noreferrer', target: '_blank' })
    nodes.push(element)
    at = end
  }
  if (at < to) nodes.push(text.slice(at, to))
  return nodes
}

function begin(what, text) {
  Object.assign(chosen, what)
  if (text !== undefined) find('text').value = text
  const about = chosen.editing ?? chosen.replyTo
  find('context').hidden = about === null
  find('context').firstElementChild.textContent =
    about === null ? '' : `${chosen.editing === null ? 'Answers' : 'Changes'} message ${about}`
  find('text').focus()
}

async function send() {
  const chat = here()
  const text = find('text').value.trim()
  const [file] = find('file').files
  if (!chat || (!text && !file)) return
  const { editing, replyTo, person } = chosen
  const query = new URLSearchParams({ chat: chat.id, person, name: file?.name ?? '', type: file?.type ?? '', text })
  const answer = await (file
    ? post(`file?${query}`, file)
    : act(
        editing === null
          ? { do: 'say', chat: chat.id, person, text, ...(replyTo !== null && { replyTo }) }
          : { do: 'edit', chat: chat.id, message: editing, text },
      ))
  if (answer.error) return
  find('text').value = ''
  find('file').value = ''
  begin({ replyTo: null, editing: null })
}

find('composer').addEventListener('submit', (event) => {
  event.preventDefault()
  void send()
})
find('text').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  void send()
})
find('cancel').addEventListener('click', () => begin({ replyTo: null, editing: null }, ''))
find('person').addEventListener('change', (event) => {
  Object.assign(chosen, { person: Number(event.target.value), chat: 0, replyTo: null, editing: null })
  show()
})
for (const [id, asked] of [
  ['new-person', (value) => ({ do: 'person', name: value })],
  ['new-group', (value) => ({ do: 'group', title: value, owner: chosen.person })],
])
  find(id).addEventListener('submit', async (event) => {
    event.preventDefault()
    const input = event.target.querySelector('input')
    await act(asked(input.value))
    input.value = ''
  })

// As a link of the kind t.me/<bot>?start=<code> does.
const start = new URLSearchParams(location.search).get('start')
if (start) find('text').value = `/start ${start}`

let asked = 0
async function refresh() {
  asked += 1
  if (asked > 1) return
  // What changed while it was asked is asked for again.
  for (let seen = 0; seen < asked; ) {
    seen = asked
    state = await (await fetch(`${base}/state`)).json()
    show()
  }
  asked = 0
}
new EventSource(`${base}/events`).addEventListener('message', refresh)
// Typing and drafts end by themselves.
setInterval(() => {
  if (here()?.typing || here()?.draft) void refresh()
}, 2_000)
