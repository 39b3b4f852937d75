import { CreateSite } from '@reeve/contract/sites.ts'
import { describe, expect, it } from 'vitest'
import {
  aliasesOf,
  bodyOf,
  chooseType,
  hasObjectCache,
  startForm,
  typedDomain,
  userNameFrom,
} from './new-site-form.ts'
import { siteTypes } from './type-facts.ts'

const filled = {
  ...startForm('ada@example.com', 'a-long-password', undefined),
  domain: ' example.com ',
  aliases: 'www.example.com\n\nshop.example.com',
  phpWorkers: '3',
  upstream: 'http://127.0.0.1:3000',
}

describe('chooseType', () => {
  const choose = (form: typeof filled, type: (typeof siteTypes)[number]) => ({
    ...form,
    ...chooseType(form, type),
  })
  it('gives a shop its profile and takes it back with the type', () => {
    const shop = choose(filled, 'woocommerce')
    expect(shop.profile).toBe('commerce')
    expect(choose(shop, 'static').profile).toBe('balanced')
  })
  it('leaves a profile that was chosen', () => {
    expect(choose({ ...filled, profile: 'commerce' }, 'php').profile).toBe('commerce')
    expect(choose({ ...choose(filled, 'woocommerce'), profile: 'maximum' }, 'php').profile).toBe('maximum')
  })
})

it.each([
  [' Shop.Example.com ', 'shop.example.com'],
  ['bücher.example', 'bücher.example'],
  ['', undefined],
  ['exam', undefined],
  ['not a domain', undefined],
  ['a.b/../c', undefined],
])('of %j as a domain shows %j', (domain, shown) => {
  expect(typedDomain({ domain })).toBe(shown)
})

describe('bodyOf', () => {
  it.each(siteTypes)('makes a body the contract accepts for %s', (type) => {
    expect(CreateSite.safeParse(bodyOf({ ...filled, type })).error).toBeUndefined()
  })
  it('sends nothing that does not go with the type', () => {
    expect(Object.keys(bodyOf({ ...filled, type: 'static', objectCache: true }))).toEqual([
      'domain',
      'type',
      'profile',
      'aliases',
    ])
    expect(bodyOf({ ...filled, type: 'proxy' })).toHaveProperty('proxy_upstream', 'http://127.0.0.1:3000')
  })
  it('leaves to the server what was not decided', () => {
    const body = bodyOf({ ...filled, phpWorkers: '' })
    expect(body).not.toHaveProperty('php_workers')
    expect(body).not.toHaveProperty('php_version')
    expect(body).not.toHaveProperty('object_cache')
    expect(body).not.toHaveProperty('title')
  })
})

it('starts again from the values of a failed attempt, with a new password', () => {
  const { admin_password: _, ...draft } = bodyOf({ ...filled, type: 'woocommerce', objectCache: false })
  const again = startForm('other@example.com', 'another-password', draft)
  expect(bodyOf(again)).toEqual({
    ...bodyOf({ ...filled, type: 'woocommerce', objectCache: false }),
    admin_password: 'another-password',
  })
})

it('turns the object cache on for shops unless told otherwise', () => {
  expect(hasObjectCache({ ...filled, type: 'woocommerce' })).toBe(true)
  expect(hasObjectCache({ ...filled, type: 'wordpress', profile: 'commerce' })).toBe(true)
  expect(hasObjectCache({ ...filled, type: 'woocommerce', objectCache: false })).toBe(false)
  expect(hasObjectCache({ ...filled, type: 'static', profile: 'commerce' })).toBe(false)
})

it('reads aliases one a line or separated by commas', () => {
  expect(aliasesOf({ aliases: ' a.test, b.test\nc.test ' })).toEqual(['a.test', 'b.test', 'c.test'])
})

it('offers a user name WordPress accepts', () => {
  expect(userNameFrom('ada.l+blog@example.com')).toBe('ada.lblog')
  expect(userNameFrom('@example.com')).toBe('owner')
})
