import { AppError } from '@reeve/contract/errors.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { siteFacts } from '../testing/agent-server.ts'
import { type Panel, type SignedIn, startPanel } from '../testing/panel.ts'
import { mixesScripts } from './domain-checks.ts'

let panel: Panel
let admin: SignedIn
beforeEach(async () => {
  panel = await startPanel({ REEVE_PANEL_DOMAIN: 'panel.example.test', REEVE_HTTPS_PORT: '8443' })
  admin = await panel.signedIn('admin')
})
afterEach(() => panel[Symbol.asyncDispose]())

const wordpress = {
  type: 'wordpress',
  admin_email: 'owner@example.test',
  admin_user: 'owner',
  admin_password: 'a "long" password',
}
const create = (body: object, as: SignedIn = admin) =>
  panel.send('POST', '/api/sites', { cookie: as.cookie, body })
const siteCalls = () => panel.agent.calls.filter((name) => name.startsWith('site.'))
const get = (id: unknown, as: SignedIn = admin) =>
  panel.send('GET', `/api/sites/${String(id)}`, { cookie: as.cookie })
const created = async (body: object, as: SignedIn = admin) => {
  const answer = await create(body, as)
  expect(answer.text).toContain('"task"')
  await panel.context.tasks.idle()
  return answer.json['site'] as { id: string; state: string; url: string }
}

describe('creating a site', () => {
  test('answers 202 with the task, becomes active, and shows what the server reported', async () => {
    const answer = await create({ domain: 'Shop.Example.test', ...wordpress, type: 'woocommerce' })
    expect(answer.status).toBe(202)
    expect(answer.json['site']).toMatchObject({
      domain: 'shop.example.test',
      state: 'creating',
      object_cache: true,
      url: 'https://shop.example.test:8443/',
    })
    await panel.context.tasks.idle()
    const { id } = answer.json['site'] as { id: string }
    expect((await get(id)).json).toMatchObject({
      state: 'active',
      php_workers: 6,
      system_user: 'site-1',
      task_id: null,
    })
    const task = answer.json['task'] as { id: string; steps: { name: string }[] }
    expect(task.steps.map(({ name }) => name)).toContain('database')
    const ended = await panel.send('GET', `/api/tasks/${task.id}`, { cookie: admin.cookie })
    expect(ended.json).toMatchObject({ state: 'succeeded', progress: 1, actor: admin.email })
  })

  test('hands the agent a hash and keeps neither the password nor the hash', async () => {
    await created({ domain: 'blog.example.test', ...wordpress })
    const apply = panel.agent.inputs.find(({ name }) => name === 'site.apply')?.input
    expect(apply).toMatchObject({ admin_password_hash: expect.stringMatching(/^\$P\$B/) })
    expect(JSON.stringify(apply)).not.toContain(wordpress.admin_password.slice(0, 5))
    const rows = await panel.context.db.selectFrom('tasks').selectAll().execute()
    expect(rows[0]?.input).toBeNull()
    const dump = JSON.stringify([rows, await panel.context.db.selectFrom('sites').selectAll().execute()])
    expect(dump).not.toContain('$P$')
  })

  test('that fails leaves nothing, and its name is free again', async () => {
    panel.agent.answer('site.apply', (_input, send) => {
      for (const state of ['running', 'succeeded']) send({ type: 'step', name: 'user', state })
      for (const state of ['running', 'failed']) send({ type: 'step', name: 'files', state })
      throw new AppError('refused', 'No space is left on the disk.')
    })
    const { id } = await created({ domain: 'gone.example.test', type: 'static' })
    expect(siteCalls()).toEqual(['site.apply', 'site.remove'])
    expect((await get(id)).status).toBe(404)
    const { tasks } = (await panel.send('GET', '/api/tasks', { cookie: admin.cookie })).json as {
      tasks: unknown[]
    }
    expect(tasks).toMatchObject([{ state: 'failed', error: 'No space is left on the disk.', site_id: id }])
    const [task] = tasks as { id: string; steps: { name: string; state: string }[] }[]
    const stateOf = (name: string) => task?.steps.find((step) => step.name === name)?.state
    expect([stateOf('user'), stateOf('files'), stateOf('verify')]).toEqual(['undone', 'failed', 'pending'])
    const { log } = (await panel.send('GET', `/api/tasks/${task?.id}`, { cookie: admin.cookie })).json
    expect(String(log).match(/No space is left/g)).toHaveLength(1)
    panel.agent.answer('site.apply', () => siteFacts)
    expect((await create({ domain: 'gone.example.test', type: 'static' })).status).toBe(202)
    await panel.context.tasks.idle()
  })

  test('that can be neither done nor undone leaves a failed site with the reason', async () => {
    for (const name of ['site.apply', 'site.remove']) {
      panel.agent.answer(name, () => {
        throw new AppError('internal', `${name} broke.`)
      })
    }
    const { id } = await created({ domain: 'stuck.example.test', type: 'static' })
    const { json } = await get(id)
    expect(json['state']).toBe('failed')
    expect(json['failure']).toContain('site.remove broke.')
    panel.agent.answer('site.remove', () => ({ removed: true }))
    const removal = await panel.send('DELETE', `/api/sites/${id}`, { cookie: admin.cookie })
    expect(removal.status).toBe(202)
    await panel.context.tasks.idle()
    expect((await get(id)).status).toBe(404)
  }, 20_000)

  test('without the agent is refused within a second and leaves nothing', async () => {
    await panel.agent.stop()
    const started = Date.now()
    expect((await create({ domain: 'down.example.test', type: 'static' })).status).toBe(502)
    expect(Date.now() - started).toBeLessThan(1000)
    expect(await panel.context.db.selectFrom('sites').select('id').execute()).toEqual([])
    expect((await panel.send('GET', '/api/sites', { cookie: admin.cookie })).status).toBe(200)
    await panel.agent.start()
    expect((await create({ domain: 'down.example.test', type: 'static' })).status).toBe(202)
    await panel.context.tasks.idle()
  })

  test('many times at once with one name makes one site', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => create({ domain: 'race.example.test', type: 'static' })),
    )
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(29)
    await panel.context.tasks.idle()
  })
})

describe('is refused before the agent is asked to do anything', () => {
  const php = { domain: 'a.example.test', type: 'php' }
  test.each<[string, object, number, string]>([
    [
      'WordPress without an e-mail',
      { domain: 'a.example.test', ...wordpress, admin_email: undefined },
      400,
      'admin_email',
    ],
    [
      'WordPress without a user',
      { domain: 'a.example.test', ...wordpress, admin_user: undefined },
      400,
      'admin_user',
    ],
    [
      'WordPress without a password',
      { domain: 'a.example.test', ...wordpress, admin_password: undefined },
      400,
      'admin_password',
    ],
    ['an administrator for a plain site', { ...php, admin_user: 'x' }, 400, 'admin_user'],
    ['a proxy without an upstream', { domain: 'a.example.test', type: 'proxy' }, 400, 'proxy_upstream'],
    [
      'an upstream for something else',
      { ...php, proxy_upstream: 'http://127.0.0.1:3000' },
      400,
      'proxy_upstream',
    ],
    [
      'an object cache without PHP',
      { domain: 'a.example.test', type: 'static', object_cache: true },
      400,
      'object_cache',
    ],
    [
      'PHP workers without PHP',
      { domain: 'a.example.test', type: 'static', php_workers: 2 },
      400,
      'php_workers',
    ],
    ['a PHP version that is not there', { ...php, php_version: '7.4' }, 422, 'php_version'],
    ['the panel', { domain: 'panel.example.test', type: 'static' }, 409, 'domain'],
    ['the panel as an alias', { ...php, aliases: ['panel.example.test'] }, 409, 'aliases'],
    ['a name twice', { ...php, aliases: ['a.example.test'] }, 400, 'aliases'],
    ['localhost', { domain: 'localhost', type: 'static' }, 400, 'domain'],
    ['a reserved name', { domain: 'a.local', type: 'static' }, 422, 'domain'],
    ['an address', { domain: '192.0.2.1', type: 'static' }, 400, 'domain'],
    ['an address in another spelling', { domain: '0x7f.1', type: 'static' }, 400, 'domain'],
    ['a wildcard', { domain: '*.example.test', type: 'static' }, 400, 'domain'],
    ['an nginx expression', { domain: '~^.*$', type: 'static' }, 400, 'domain'],
    ['an underscore', { domain: '_', type: 'static' }, 400, 'domain'],
    ['a trailing dot', { domain: 'a.example.test.', type: 'static' }, 400, 'domain'],
    ['a label that looks like another script', { domain: 'p\u0430ypal.test', type: 'static' }, 422, 'domain'],
    ['254 characters', { domain: `${'a.'.repeat(125)}test`, type: 'static' }, 400, 'domain'],
  ])('%s', async (_name, body, status, field) => {
    const answer = await create(body)
    expect({ status: answer.status, field: answer.json['field'] }).toEqual({ status, field })
    expect(siteCalls()).toEqual([])
    expect(await panel.context.db.selectFrom('sites').select('id').execute()).toEqual([])
  })

  test('and a PHP version that is not there names those that are', async () => {
    const answer = await create({ ...php, php_version: '7.4' })
    expect(answer.json['available']).toEqual(['8.2', '8.4'])
  })

  const hostile = ['\n', '\r', '\t', '{', '}', ';', '#', '"', "'", '\\', '$', '%', '\0', '\u2028', ' ']
  test.each(hostile.map((text) => JSON.stringify(text)))(
    '%s in a field that reaches a template',
    async (text) => {
      const character: unknown = JSON.parse(text)
      const bad = `a${String(character)}b`
      const bodies = [
        { ...php, domain: `${bad}.example.test` },
        { ...php, aliases: [`${bad}.example.test`] },
        { ...php, php_version: `8.2${String(character)}` },
        { domain: 'a.example.test', type: 'proxy', proxy_upstream: `http://${bad}:80` },
        { domain: 'a.example.test', ...wordpress, admin_user: bad },
      ]
      for (const body of bodies) expect((await create(body)).status).toBe(400)
      expect(siteCalls()).toEqual([])
    },
  )
})

describe('names and owners', () => {
  test('a domain or alias of another site is taken', async () => {
    await created({ domain: 'one.example.test', type: 'static', aliases: ['www.one.example.test'] })
    for (const domain of ['one.example.test', 'www.one.example.test', 'ONE.example.test']) {
      expect((await create({ domain, type: 'static' })).status).toBe(409)
    }
    const alias = await create({ domain: 'two.example.test', type: 'static', aliases: ['one.example.test'] })
    expect(alias.json).toMatchObject({ code: 'conflict', field: 'aliases' })
  })

  test('an operator cannot take the parent or child of a foreign site, and reads the same as when it is taken', async () => {
    const { id } = await created({ domain: 'mine.example.test', type: 'static' })
    const stranger = await panel.signedIn('operator')
    const owner = await panel.signedIn('operator', [id])
    const sentence = (name: string) => `${name} is not available on this server. Choose another name.`
    for (const domain of ['blog.mine.example.test', 'mine.example.test', 'example.test']) {
      const answer = await create({ domain, type: 'static' }, stranger)
      expect(answer.json).toMatchObject({ code: 'conflict', error: sentence(domain) })
    }
    expect((await create({ domain: 'blog.mine.example.test', type: 'static' }, owner)).status).toBe(202)
    expect((await create({ domain: 'sub.mine.example.test', type: 'static' })).status).toBe(202)
    await panel.context.tasks.idle()
  })

  test('an operator gets the site they create, and sees no other', async () => {
    await created({ domain: 'other.example.test', type: 'static' })
    const operator = await panel.signedIn('operator')
    const { id } = await created({ domain: 'own.example.test', type: 'static' }, operator)
    const list = await panel.send('GET', '/api/sites', { cookie: operator.cookie })
    expect((list.json['sites'] as { id: string }[]).map((site) => site.id)).toEqual([id])
    const tasks = await panel.send('GET', '/api/tasks', { cookie: operator.cookie })
    expect(tasks.json['tasks']).toHaveLength(1)
    expect((await panel.send('GET', '/api/tasks', { cookie: admin.cookie })).json['tasks']).toHaveLength(2)
  })
})

describe('deleting a site', () => {
  test('removes it, keeps the log of its task, and frees the name', async () => {
    const { id } = await created({ domain: 'old.example.test', type: 'static' })
    panel.agent.answer('site.remove', (_input, send) => {
      send({ type: 'log', text: 'user removed' })
      return { removed: true }
    })
    const answer = await panel.send('DELETE', `/api/sites/${id}`, { cookie: admin.cookie })
    expect(answer.status).toBe(202)
    await panel.context.tasks.idle()
    expect((await get(id)).status).toBe(404)
    const { id: taskId } = answer.json['task'] as { id: string }
    const task = await panel.send('GET', `/api/tasks/${taskId}`, { cookie: admin.cookie })
    expect(task.json).toMatchObject({
      state: 'succeeded',
      site_domain: 'old.example.test',
      log: 'user removed\n',
    })
    expect((await create({ domain: 'old.example.test', type: 'static' })).status).toBe(202)
    await panel.context.tasks.idle()
  })

  test('that did not finish leaves a site that can only be deleted again', async () => {
    const { id } = await created({ domain: 'half.example.test', type: 'php' })
    const remove = async () => {
      expect((await panel.send('DELETE', `/api/sites/${id}`, { cookie: admin.cookie })).status).toBe(202)
      await panel.context.tasks.idle()
    }
    panel.agent.answer('site.remove', () => {
      throw new AppError('internal', 'The database server does not answer.')
    })
    await remove()
    const failure = 'Deleting it did not finish. The database server does not answer. Delete it again.'
    expect((await get(id)).json).toMatchObject({ state: 'failed', failure, system_user: null })
    const before = siteCalls()
    const changes = [
      ['PUT', 'config', { hsts: true }],
      ['PUT', 'php', { memory_limit_mb: 256 }],
      ['POST', 'certificate', undefined],
      ['POST', 'purge', { all: true }],
      ['POST', 'warm', undefined],
      ['POST', 'connector/rotate', undefined],
      ['POST', 'cron', { schedule: '@daily', command: 'true' }],
      ['POST', 'sftp', { enabled: true }],
    ] as const
    for (const [method, path, body] of changes) {
      const answer = await panel.send(method, `/api/sites/${id}/${path}`, { cookie: admin.cookie, body })
      const error = `half.example.test cannot be changed now. ${failure}`
      expect([path, answer.status, answer.json['error']]).toEqual([path, 409, error])
    }
    expect(siteCalls()).toEqual(before)
    panel.agent.answer('site.remove', () => ({ removed: true }))
    await remove()
    expect((await get(id)).status).toBe(404)
  })

  test('while another task works on it is a conflict that names the first and changes nothing', async () => {
    const release = Promise.withResolvers<void>()
    panel.agent.answer('site.apply', async () => {
      await release.promise
      return siteFacts
    })
    const answer = await create({ domain: 'busy.example.test', type: 'static' })
    const { id } = answer.json['site'] as { id: string }
    const refused = await panel.send('DELETE', `/api/sites/${id}`, { cookie: admin.cookie })
    expect(refused.status).toBe(409)
    expect(refused.json['task_id']).toBe((answer.json['task'] as { id: string }).id)
    expect((await get(id)).json['state']).toBe('creating')
    release.resolve()
    await panel.context.tasks.idle()
    expect((await get(id)).json['state']).toBe('active')
  })
})

test.each([
  ['xn--pypal-4ve.test', true],
  ['example.test', false],
  ['xn--e1afmkfd.xn--p1ai', false],
  ['xn--mnchen-3ya.test', false],
])('%s mixes scripts: %s', (name, mixes) => expect(mixesScripts(name)).toBe(mixes))
