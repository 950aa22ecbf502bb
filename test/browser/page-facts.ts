import type { Page } from 'playwright-core'

/** Obstacles for a keyboard or a screen reader on the current page; empty when there are none. */
export const obstacles = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = []
    const shown = (element: Element) => element.checkVisibility()
    const all = (selector: string) => [...document.querySelectorAll(selector)].filter(shown)
    const nameOf = (element: Element) => element.getAttribute('aria-label') ?? element.textContent?.trim() ?? ''
    const say = (what: string, element: Element) => found.push(`${what}: ${element.outerHTML.slice(0, 120)}`)

    if (all('h1').length !== 1) found.push(`${all('h1').length} first-level headings`)
    if (all('main').length !== 1) found.push(`${all('main').length} main landmarks`)
    if (!document.title.includes('Berth')) found.push(`title "${document.title}"`)
    if (!document.documentElement.lang) found.push('no language')
    for (const field of all('input, select, textarea')) {
      const labelled = field instanceof HTMLElement && 'labels' in field && field.labels instanceof NodeList
      if (!(labelled && (field.labels as NodeList).length > 0) && !field.getAttribute('aria-label')) {
        say('field without a label', field)
      }
    }
    for (const control of all('button, a[href], summary'))
      if (nameOf(control) === '') say('control without a name', control)
    for (const picture of all('img, svg')) {
      const hidden = picture.closest('[aria-hidden="true"]')
      if (!hidden && !picture.getAttribute('alt') && !picture.getAttribute('aria-label'))
        say('unnamed picture', picture)
    }
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
    for (const id of new Set(ids.filter((value, index) => ids.indexOf(value) !== index))) found.push(`id ${id} twice`)
    for (const user of document.querySelectorAll('[aria-labelledby], [aria-describedby]')) {
      const named = `${user.getAttribute('aria-labelledby') ?? ''} ${user.getAttribute('aria-describedby') ?? ''}`
      for (const id of named.split(' ').filter(Boolean))
        if (!document.getElementById(id)) say(`refers to no #${id}`, user)
    }
    if (document.documentElement.scrollWidth > window.innerWidth) found.push('scrolls sideways')
    return found
  })

/** The length of a line that is easy to read, with an allowance for narrow letters. */
const mostCharacters = 95

/**
 * Elements that are too wide on the current page: long lines of text, stretched controls; empty when there are none.
 */
export const stretched = (page: Page): Promise<string[]> =>
  page.evaluate((most) => {
    const found: string[] = []
    const measure = document.createElement('canvas').getContext('2d')
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
    const innerWidth = (element: Element, style: CSSStyleDeclaration) =>
      element.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight)
    for (const element of document.querySelectorAll(
      'p, li, dd, dt, label, legend, figcaption, blockquote, span, div',
    )) {
      const own = [...element.childNodes].flatMap((node) =>
        node.nodeType === Node.TEXT_NODE ? [node.nodeValue ?? ''] : [],
      )
      const text = (element.textContent ?? '').trim()
      if (own.join('').trim().length <= most / 2 || text.length <= most || !element.checkVisibility() || !measure)
        continue
      if (element.closest('pre, table, .visually-hidden, svg, .file-text')) continue
      const style = getComputedStyle(element)
      if (style.display === 'inline') continue
      measure.font = style.font
      const characters = (innerWidth(element, style) / measure.measureText(text).width) * text.length
      if (characters > most) found.push(`${Math.round(characters)} characters a line: ${text.slice(0, 60)}`)
    }
    for (const control of document.querySelectorAll('button, a.button, select, input')) {
      const wide = control.getBoundingClientRect().width / rem
      const most = control.matches('button, a.button') ? 26 : 60
      if (wide > most && !control.matches('.link-button'))
        found.push(`${Math.round(wide)} rem wide: ${control.outerHTML.slice(0, 80)}`)
    }
    return found
  }, mostCharacters)

/** The focused element, as a screen reader would announce it. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const at = document.activeElement
    return at?.getAttribute('aria-label') ?? at?.textContent?.trim() ?? ''
  })

/** Presses Tab until the control with this name has the focus. @throws when it cannot be reached in 60 presses */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if ((await focused(page)) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reached "${name}"`)
}

/** Centred lines of text that are not in the middle of the element around them; empty when there are none. */
export const offCentre = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = []
    for (const element of document.querySelectorAll('p, h1, h2, h3')) {
      const around = element.parentElement
      const style = getComputedStyle(element)
      if (!around || style.textAlign !== 'center' || style.display !== 'block' || !element.checkVisibility()) continue
      const [own, outer] = [element.getBoundingClientRect(), around.getBoundingClientRect()]
      const aside = own.left + own.width / 2 - (outer.left + outer.width / 2)
      if (own.width > 0 && Math.abs(aside) > 2 && style.position !== 'absolute')
        found.push(`${Math.round(aside)} px aside: ${(element.textContent ?? '').slice(0, 60)}`)
    }
    return found
  })

type Scheme = 'light' | 'dark'
const both: readonly Scheme[] = ['light', 'dark']

/** The colour schemes to check at a width: colours do not depend on the width, so one is enough on wide screens. */
export const schemesAt = (width: number): readonly Scheme[] => {
  if (process.env.SHOTS || width < 800) return both
  return width < 1_000 ? ['dark'] : ['light']
}
