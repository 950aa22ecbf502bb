import { createElement, Fragment, type ReactNode } from 'react'

/** A sentence with markup in it: ``marked`Sent to ${<strong>{email}</strong>}.` ``. */
export const marked = (words: TemplateStringsArray, ...nodes: ReactNode[]): ReactNode =>
  createElement(Fragment, null, ...words.flatMap((text, index) => [text, nodes[index]]))
