/** Makes the pages below `/docs` handier: copies code, shows one language, and fills in this host. */

const names: Record<string, string> = { sh: 'curl', ts: 'TypeScript', python: 'Python' }
const storageKey = 'docs-language'

/** Examples name a host that does not exist; on a running service they name this one. */
function fillInHost(): void {
  const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.parentElement?.closest('pre') && node.nodeValue?.includes('https://berth.example'))
      node.nodeValue = node.nodeValue.replaceAll('https://berth.example', window.location.origin)
}

function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('main.text pre')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '')
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2_000)
    })
    block.append(button)
    // A long line scrolls, also by keyboard.
    block.tabIndex = 0
  }
}

function show(language: string): void {
  document.documentElement.dataset.language = language
  for (const input of document.querySelectorAll<HTMLInputElement>('.languages input'))
    input.checked = input.value === language
}

/** One choice for all examples of a page, remembered for the next visit. */
function addLanguageChoice(): void {
  const variants = document.querySelectorAll('.variants')
  if (variants.length === 0) return
  const choice = document.createElement('fieldset')
  choice.className = 'languages'
  const legend = document.createElement('legend')
  legend.textContent = 'Language of the examples'
  choice.append(legend)
  for (const [value, name] of Object.entries(names)) {
    const input = document.createElement('input')
    input.type = 'radio'
    input.name = 'language'
    input.value = value
    input.addEventListener('change', () => {
      localStorage.setItem(storageKey, value)
      show(value)
    })
    const label = document.createElement('label')
    label.append(input, name)
    choice.append(label)
  }
  document.querySelector('h1')?.after(choice)
  const last = localStorage.getItem(storageKey) ?? ''
  show(last in names ? last : 'sh')
}

fillInHost()
addLanguageChoice()
addCopyButtons()
const reference = document.getElementById('reference')
if (reference) (await import('./reference.ts')).showReference(reference)
