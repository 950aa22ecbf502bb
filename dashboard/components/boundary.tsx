import { Component, type ReactNode } from 'react'
import { texts } from '../texts/index.ts'
import { MissingCode } from './missing-code.tsx'
import { Notice } from './notice.tsx'

/** Shows the fallback when its children fail to render, so that the rest of the page works. */
export class Boundary extends Component<{ children: ReactNode; fallback?: ReactNode }, { thrown: unknown }> {
  override state = { thrown: null }

  static getDerivedStateFromError = (thrown: unknown) => ({ thrown })

  override render() {
    const { thrown } = this.state
    if (thrown === null) return this.props.children
    if (this.props.fallback !== undefined) return this.props.fallback
    if (isMissingCode(thrown)) return <MissingCode />
    return (
      <Notice tone="bad" action={{ label: texts.common.reload, run: () => window.location.reload() }}>
        {texts.common.pageBroken}
      </Notice>
    )
  }
}

/** The code of a page is missing after a newer deployment, or without a connection. */
const isMissingCode = (thrown: unknown): boolean =>
  thrown instanceof Error && /dynamically imported module|module script|preload CSS/i.test(thrown.message)
