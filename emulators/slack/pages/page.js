/** Shows what the emulator knows, once a second while somebody looks, and does what is asked for. */
const base = document.body.dataset.base
const byId = (id) => document.getElementById(id)
const [user, channel, list, input, files] = ['user', 'channel', 'messages', 'text', 'files'].map(byId)
let shown = ''
let thread = null

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

async function act(what) {
  const body = JSON.stringify({ user: user.value, channel: channel.value, ...what })
  const response = await fetch(`${base}/act`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  byId('problem').textContent = (await response.json()).problem ?? ''
  await refresh()
}

const small = (label, onclick) => element('button', { type: 'button', className: 'small', textContent: label, onclick })

function messageOf({ ts, who, mine, text, thread: inThread, note, buttons, files: attached }) {
  const item = element('li', { className: inThread ? 'thread' : '' })
  const time = new Date(Number(ts) * 1000).toLocaleTimeString()
  item.append(element('p', { className: 'who', textContent: `${who}, ${time}${note ? ` (${note})` : ''} ` }))
  item.append(element('p', { textContent: text }))
  for (const { id, name, size } of attached)
    item.append(element('p', {}, element('a', { href: `${base}/file/${id}`, textContent: `${name} (${size} bytes)` })))
  const actions = buttons.map(({ data, label }) =>
    element('button', { type: 'button', textContent: label, onclick: () => act({ do: 'press', ts, data }) }),
  )
  actions.push(small('Answer in its thread', () => setThread(inThread ?? ts)))
  if (mine) {
    const edit = () => {
      const changed = prompt('The message', text)
      if (changed !== null) act({ do: 'edit', ts, text: changed })
    }
    actions.push(
      small('Edit', edit),
      small('Delete', () => act({ do: 'remove', ts })),
    )
  }
  item.append(element('div', {}, ...actions.flatMap((button) => [button, ' '])))
  return item
}

function setThread(ts) {
  thread = ts
  byId('thread').hidden = ts === null
  byId('thread').firstElementChild.textContent = ts
    ? `In the thread of ${new Date(Number(ts) * 1000).toLocaleTimeString()}`
    : ''
  if (ts) input.focus()
}

function fill(select, options, chosen) {
  const wanted = JSON.stringify([options, chosen])
  if (select.dataset.shown === wanted) return
  select.replaceChildren(...options.map(({ id, name }) => element('option', { value: id, textContent: name })))
  select.value = chosen
  select.dataset.shown = wanted
}

async function refresh() {
  const query = new URLSearchParams({ user: user.value, channel: channel.value })
  const response = await fetch(`${base}/state?${query}`).catch(() => null)
  if (!response?.ok) {
    byId('status').textContent = 'The emulator does not answer.'
    return
  }
  const state = await response.json()
  fill(user, state.people, state.user)
  fill(channel, state.channels, state.channel)
  byId('status').textContent = state.statuses.join(', ')
  byId('place').textContent = state.installed ? '' : 'This workspace does not have the app.'
  byId('membership').textContent = state.hasApp ? 'Remove the app here' : 'Add the app here'
  byId('membership').onclick = () => act({ do: state.hasApp ? 'expel' : 'invite' })
  byId('uninstall').hidden = !state.installed
  const now = JSON.stringify([state.user, state.channel, state.messages])
  if (now === shown) return
  shown = now
  const main = list.parentElement
  const below = main.scrollHeight - main.scrollTop - main.clientHeight < 80
  list.replaceChildren(...state.messages.map(messageOf))
  if (below) main.scrollTop = main.scrollHeight
}

const base64Of = async (file) => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

async function send(event) {
  event.preventDefault()
  const attached = await Promise.all(
    [...files.files].map(async (file) => ({ name: file.name, base64: await base64Of(file) })),
  )
  const text = input.value
  if (text.trim() === '' && attached.length === 0) return
  input.value = ''
  files.value = ''
  await act({ do: 'say', text, thread, files: attached })
}

byId('form').onsubmit = send
byId('thread').lastElementChild.onclick = () => setThread(null)
byId('uninstall').onclick = () => act({ do: 'uninstall' })
input.onkeydown = (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event)
}
user.onchange = () => {
  channel.value = ''
  setThread(null)
  refresh()
}
channel.onchange = () => {
  setThread(null)
  refresh()
}
await refresh()
setInterval(() => document.hidden || refresh(), 1000)
