import { expect, it } from 'vitest'
import { agentDown, provesAgent, reportAgent } from './agent-health.ts'

it('is down from the first 502 on, and up again with the next answer that needed the agent', () => {
  const create = { method: 'POST', path: '/api/sites' }
  reportAgent(create, 'agent_unavailable')
  expect(agentDown.get()).toBe(true)
  reportAgent({ method: 'GET', path: '/api/sites' }, undefined)
  reportAgent({ method: 'POST', path: '/api/account/password' }, undefined)
  reportAgent(create, 'conflict')
  expect(agentDown.get()).toBe(true)
  reportAgent(create, undefined)
  expect(agentDown.get()).toBe(false)
})

it('believes only answers for which the agent was asked', () => {
  expect(provesAgent('GET', '/api/system/capacity')).toBe(true)
  expect(provesAgent('GET', '/api/audit?limit=1')).toBe(true)
  expect(provesAgent('GET', '/api/system/openapi')).toBe(false)
  expect(provesAgent('GET', '/api/tasks')).toBe(false)
})
