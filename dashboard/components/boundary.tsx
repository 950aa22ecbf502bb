import { Component, type ReactNode } from 'react'
import { texts } from '../texts/index.ts'
import { Notice } from './notice.tsx'

interface Props {
  children: ReactNode
  /** The fallback; by default a notice with a button that reloads the page. */
  fallback?: ReactNode
}

/** Its children, or the fallback if they fail to render: one broken part never breaks the page. */
export class Boundary extends Component<Props, { thrown: unknown }> {
  override state = { thrown: null }

  static getDerivedStateFromError = (thrown: unknown) => ({ thrown })

  override render() {
    const { thrown } = this.state
    if (thrown === null) return this.props.children
    if (this.props.fallback !== undefined) return this.props.fallback
    return (
      <Notice tone="bad" action={{ label: texts.common.reload, run: () => window.location.reload() }}>
        {isMissingCode(thrown) ? texts.common.newVersion : texts.common.pageBroken}
      </Notice>
    )
  }
}

/** A page's code that cannot be fetched was replaced by a newer deployment's, or nothing is reached at all. */
const isMissingCode = (thrown: unknown): boolean =>
  thrown instanceof TypeError && /dynamically imported module|module script/i.test(thrown.message)
