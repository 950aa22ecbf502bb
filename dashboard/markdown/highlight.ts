import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'

const all = { bash, css, diff, go, ini, java, javascript, json, python, rust, sql, typescript, xml, yaml }
const lowlight = createLowlight(all)

export interface Piece {
  text: string
  /** For example `hljs-keyword`; empty for unnamed parts. */
  name: string
}

/** Null for an unknown language. */
export function piecesOf(code: string, language: string): Piece[] | null {
  if (!lowlight.registered(language)) return null
  const pieces: Piece[] = []
  const walk = (nodes: ReturnType<typeof lowlight.highlight>['children'], name: string) => {
    for (const node of nodes) {
      if (node.type === 'text') pieces.push({ text: node.value, name })
      else if (node.type === 'element') walk(node.children, [node.properties.className].flat().join(' '))
    }
  }
  walk(lowlight.highlight(language, code).children, '')
  return pieces
}
