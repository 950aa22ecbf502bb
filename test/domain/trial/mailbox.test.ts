import fc from 'fast-check'
import { mailboxOf, mailDomainOf } from '../../../domain/trial/mailbox.ts'

describe('the mailbox of an address', () => {
  test.each([
    ['ada@example.com', 'ada@example.com'],
    ['Ada+news@Example.com', 'ada@example.com'],
    ['ada+a+b@example.com', 'ada@example.com'],
    ['a.d.a@example.com', 'a.d.a@example.com'],
    ['a.d.a+x@gmail.com', 'ada@gmail.com'],
    ['A.da@GoogleMail.com', 'ada@gmail.com'],
    ['+ada@example.com', '+ada@example.com'],
  ])('%s is %s', (email, mailbox) => expect(mailboxOf(email)).toBe(mailbox))

  test('is canonical: it is its own mailbox, and no alias changes it', () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9.]{0,12}[a-z0-9]$/)
    const domain = fc.constantFrom('gmail.com', 'googlemail.com', 'example.com', 'mail.example.co.uk')
    fc.assert(
      fc.property(name, domain, fc.stringMatching(/^[a-z0-9+.]{0,6}$/), (local, at, alias) => {
        const mailbox = mailboxOf(`${local}@${at}`)
        expect(mailboxOf(mailbox)).toBe(mailbox)
        expect(mailboxOf(`${local.toUpperCase()}+${alias}@${at}`)).toBe(mailbox)
      }),
    )
  })
})

describe('the mail domain of an address', () => {
  test.each([
    ['ada@example.com', 'example.com'],
    ['ada@a.b.example.com', 'example.com'],
    ['ada@googlemail.com', 'gmail.com'],
    ['ada@example.co.uk', 'example.co.uk'],
    ['ada@mail.example.co.uk', 'example.co.uk'],
    ['ada@example.de', 'example.de'],
    ['ada@x.example.de', 'example.de'],
  ])('%s is %s', (email, domain) => expect(mailDomainOf(email)).toBe(domain))
})
