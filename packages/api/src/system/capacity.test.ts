import { expect, test } from 'vitest'
import { startPanel } from '../testing/panel.ts'

test('an answer about the server is also one about the agent, however fresh what is kept', async () => {
  await using panel = await startPanel()
  const { cookie } = await panel.signedIn('operator')
  const ask = async () => (await panel.send('GET', '/api/system/capacity', { cookie })).status
  expect(await ask()).toBe(200)
  await panel.agent.stop()
  expect(await ask()).toBe(502)
  await panel.agent.start()
  expect(await ask()).toBe(200)
  expect(panel.agent.calls.filter((name) => name === 'system.describe')).toHaveLength(1)
})
