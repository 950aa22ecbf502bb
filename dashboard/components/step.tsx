import type { ReactNode } from 'react'
import { texts } from '../texts/index.ts'
import { CheckIcon } from './icons.tsx'

interface StepProps {
  done: boolean
  next: boolean
  number: number
  title: string
  children: ReactNode
}

export const Step = ({ done, next, number, title, children }: StepProps) => (
  <li className={done ? 'step done' : next ? 'step next' : 'step'} aria-current={next ? 'step' : undefined}>
    <span className="step-mark" aria-hidden="true">
      {done ? <CheckIcon /> : number}
    </span>
    <div>
      <h3>
        {title}
        {done && <span className="visually-hidden"> {texts.common.done}</span>}
      </h3>
      <div className="step-text">{children}</div>
    </div>
  </li>
)
