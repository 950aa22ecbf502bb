import type { ComponentProps } from 'react'
import { Button } from './button.tsx'
import { Problem } from './notice.tsx'

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  onSubmit: () => unknown
}

/** `noValidate={false}` lets the browser judge the fields first. */
export const Form = ({ onSubmit, ...form }: FormProps) => (
  <form
    noValidate
    {...form}
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  />
)

interface ActionFormProps extends Omit<FormProps, 'action'> {
  action: { busy: boolean; problem: string | null }
  /** The text of the button that submits the form. */
  button: string
  variant?: 'primary' | 'plain'
  disabled?: boolean
}

/** Fields, the reason of a failure, and the button. */
export const ActionForm = ({ action, button, variant = 'primary', disabled, children, ...form }: ActionFormProps) => (
  <Form {...form}>
    {children}
    <Problem text={action.problem} />
    <Button submit variant={variant} busy={action.busy} disabled={disabled}>
      {button}
    </Button>
  </Form>
)
