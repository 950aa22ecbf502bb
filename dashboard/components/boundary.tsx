import { Component, type ReactNode } from 'react'

/** What is inside, or the fallback when that cannot be shown: one broken part never takes the page with it. */
export class Boundary extends Component<{ children: ReactNode; fallback: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError = () => ({ broken: true })

  override render() {
    return this.state.broken ? this.props.fallback : this.props.children
  }
}
