/** The reference of the API: Swagger UI, with the parts hidden that this page has itself. */
import showSpecification, { type Plugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'
import './reference.css'

interface Operation {
  security?: Record<string, string[]>[]
}
interface Specification {
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes: Record<string, object> }
}

const address = '/openapi.json'
/** The one way to authorize that a reader can try here. The text of each operation says who else may call it. */
const scheme = 'pat'

const plugin: Plugin = {
  wrapComponents: {
    // The page has a title, a text and a `main` of its own, and there is one server.
    BaseLayout:
      (_, { React: { createElement } }) =>
      ({ getComponent }) =>
        createElement(
          'div',
          { className: 'swagger-ui' },
          createElement(getComponent('SvgAssets')),
          createElement(getComponent('AuthorizeBtnContainer', true)),
          createElement(getComponent('FilterContainer', true)),
          createElement(getComponent('operations', true)),
        ),
    // A link in a button cannot be reached by keyboard. The button opens the operation and changes the address.
    DeepLink:
      (_, { React: { createElement } }) =>
      ({ text }) =>
        createElement('span', null, text),
  },
}

function withTokenOnly(specification: Specification): Specification {
  const { components, paths } = specification
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path)))
    operation.security = (operation.security ?? []).filter((each) => scheme in each)
  const { [scheme]: pat = {} } = components.securitySchemes
  return { ...specification, components: { ...components, securitySchemes: { [scheme]: pat } } }
}

/** The viewer gives an id to an element and to its field. */
function withUniqueIds(place: HTMLElement): void {
  const seen = new Set<string>()
  for (const each of place.querySelectorAll('[id]')) {
    if (seen.has(each.id)) each.id += '-field'
    seen.add(each.id)
  }
}

function nameOfField(field: HTMLElement): string {
  const parameter = field.closest('tr')?.querySelector('.parameter__name')?.textContent
  if (parameter) return parameter
  if (field.tagName !== 'SELECT') return field.getAttribute('placeholder') ?? 'Value'
  return field.closest('.responses-wrapper') ? 'Media type of the response' : 'Media type of the request'
}

/** Adds what the viewer leaves out for keyboards and screen readers. */
function makeAccessible(place: HTMLElement): void {
  withUniqueIds(place)
  const all = (selector: string) => place.querySelectorAll<HTMLElement>(selector)
  for (const field of all(':is(select, input, textarea):not([aria-label])'))
    if (!field.closest('label')) field.setAttribute('aria-label', nameOfField(field))
  for (const button of all('button[title]')) button.setAttribute('aria-label', button.title)
  for (const button of all('.close-modal')) button.setAttribute('aria-label', 'Close')
  for (const button of all('.modal-btn')) button.removeAttribute('aria-label')
  for (const heading of all('.modal-ux h6')) Object.assign(heading, { role: 'heading', ariaLevel: '5' })
  for (const picture of all('.svg-assets')) picture.ariaHidden = 'true'
  for (const block of all('pre, .table-container, .responses-inner')) block.tabIndex = 0
}

export async function showReference(place: HTMLElement): Promise<void> {
  const response = await fetch(address)
  const specification = (await response.json()) as Specification // safe because the service serves its own document
  showSpecification({
    domNode: place,
    spec: withTokenOnly(specification),
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    filter: true,
    validatorUrl: null,
    syntaxHighlight: { activated: false },
    plugins: [plugin],
    // A request that somebody tries here has the token that they entered, and never their session.
    requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
  })
  new MutationObserver(() => makeAccessible(place)).observe(place, { childList: true, subtree: true })
}
