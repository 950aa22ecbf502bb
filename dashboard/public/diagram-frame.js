// Runs in a sandboxed frame of its own (dashboard/markdown/diagram-frame.ts): draws a diagram and returns it as SVG.
// The dashboard's policy allows no inline styles, also here. Mermaid's styles are therefore applied as objects.
;(() => {
  const svgNamespace = 'http://www.w3.org/2000/svg'
  const createElement = document.createElement.bind(document)
  document.createElement = (name, options) => (name === 'style' ? styleElement() : createElement(name, options))

  /** Stands for a `<style>`: keeps the text for the drawing, and applies it to this document. */
  function styleElement() {
    const element = document.createElementNS(svgNamespace, 'desc')
    const sheet = new CSSStyleSheet()
    document.adoptedStyleSheets.push(sheet)
    Object.defineProperty(element, 'innerHTML', {
      set(css) {
        sheet.replaceSync(css)
        element.textContent = `css:${css}`
      },
    })
    return element
  }

  const setAttribute = Element.prototype.setAttribute
  Element.prototype.setAttribute = function (name, value) {
    if (name === 'style' && this.style) this.style.cssText = value
    else setAttribute.call(this, name, value)
  }

  async function draw(text, isDark) {
    window.mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      theme: isDark ? 'dark' : 'default',
      fontFamily: 'sans-serif',
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      suppressErrorRendering: true,
      maxTextSize: 20_000,
      maxEdges: 300,
      // A diagram may not change these.
      secure: [
        'secure',
        'securityLevel',
        'startOnLoad',
        'maxTextSize',
        'maxEdges',
        'suppressErrorRendering',
        'htmlLabels',
        'flowchart',
        'themeCSS',
        'fontFamily',
        'altFontFamily',
      ],
    })
    const { svg } = await window.mermaid.render('diagram', text)
    document.adoptedStyleSheets = []
    const template = createElement('template')
    template.innerHTML = svg
    const drawing = template.content.querySelector('svg')
    for (const desc of drawing.querySelectorAll('desc')) {
      if (!desc.textContent.startsWith('css:')) continue
      const style = document.createElementNS(svgNamespace, 'style')
      style.textContent = desc.textContent.slice('css:'.length)
      desc.replaceWith(style)
    }
    const [, , width, height] = (drawing.getAttribute('viewBox') ?? '0 0 800 600').split(/[\s,]+/).map(Number)
    setAttribute.call(drawing, 'width', width)
    setAttribute.call(drawing, 'height', height)
    return { svg: new XMLSerializer().serializeToString(drawing), width, height }
  }

  window.addEventListener('message', async ({ source, data: { text, isDark } }) => {
    if (source !== window.parent) return
    const drawn = await draw(text, isDark).catch(() => null)
    window.parent.postMessage(drawn, '*')
  })
})()
