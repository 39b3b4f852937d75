import type { Task } from '@reeve/contract/tasks.ts'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { applyEvent, mergeTask } from './events.ts'

const task = (id: string, state: Task['state']): Task => ({
  id,
  kind: 'site.create',
  site_id: 'saaaaaaaaaaaaaaa',
  site_domain: 'a.test',
  state,
  progress: 0,
  steps: [],
  error: null,
  actor: 'a@a.test',
  created_at: '2026-03-01T12:00:00Z',
  started_at: null,
  finished_at: null,
})

describe('mergeTask', () => {
  it('replaces a known task where it stands', () => {
    const merged = mergeTask([task('t1', 'running'), task('t2', 'running')], task('t2', 'failed'))
    expect(merged.map((t) => [t.id, t.state])).toEqual([
      ['t1', 'running'],
      ['t2', 'failed'],
    ])
  })
  it('puts a new task first', () => {
    expect(mergeTask([task('t1', 'running')], task('t2', 'queued')).map((t) => t.id)).toEqual(['t2', 't1'])
  })
})

describe('applyEvent', () => {
  it('asks again when the first answer was under way as the event came, for it may be older', async () => {
    const client = new QueryClient()
    const states: Task['state'][] = ['running', 'succeeded']
    const first = Promise.withResolvers<void>()
    const observer = new QueryObserver(client, {
      queryKey: ['tasks', 't1'],
      queryFn: async () => {
        const state = states.shift() ?? 'failed'
        await first.promise
        return { ...task('t1', state), log: '', log_offset: 0 }
      },
    })
    const stop = observer.subscribe(() => {})
    applyEvent(client, { name: 'task', data: task('t1', 'succeeded') })
    first.resolve()
    await expect.poll(() => observer.getCurrentResult().data?.state).toBe('succeeded')
    expect(states).toEqual([])
    stop()
  })
  it('appends a log chunk to the open task and keeps its record', () => {
    const client = new QueryClient()
    client.setQueryData(['tasks', 't1'], { ...task('t1', 'running'), log: 'ab', log_offset: 2 })
    applyEvent(client, { name: 'task.log', data: { id: 't1', offset: 2, chunk: 'cd' } })
    expect(client.getQueryData(['tasks', 't1'])).toMatchObject({
      log: 'abcd',
      log_offset: 4,
      state: 'running',
    })
  })
  it('reads the log again instead of joining it across a gap', () => {
    const client = new QueryClient()
    client.setQueryData(['tasks', 't1'], { ...task('t1', 'running'), log: 'ab', log_offset: 2 })
    applyEvent(client, { name: 'task.log', data: { id: 't1', offset: 9, chunk: 'x' } })
    expect(client.getQueryData(['tasks', 't1'])).toMatchObject({ log: 'ab' })
    expect(client.getQueryState(['tasks', 't1'])?.isInvalidated).toBe(true)
  })
  it('marks the sites for reading again when a task ends', () => {
    const client = new QueryClient()
    client.setQueryData(['sites'], { sites: [] })
    applyEvent(client, { name: 'task', data: task('t1', 'running') })
    expect(client.getQueryState(['sites'])?.isInvalidated).toBe(false)
    applyEvent(client, { name: 'task', data: task('t1', 'succeeded') })
    expect(client.getQueryState(['sites'])?.isInvalidated).toBe(true)
  })
  it('invalidates by resource key, and everything for *', () => {
    const client = new QueryClient()
    client.setQueryData(['sites', 's1'], {})
    client.setQueryData(['me'], {})
    applyEvent(client, { name: 'invalidate', data: { keys: ['sites/s1'] } })
    expect(client.getQueryState(['sites', 's1'])?.isInvalidated).toBe(true)
    expect(client.getQueryState(['me'])?.isInvalidated).toBe(false)
    applyEvent(client, { name: 'invalidate', data: { keys: ['*'] } })
    expect(client.getQueryState(['me'])?.isInvalidated).toBe(true)
  })
})
