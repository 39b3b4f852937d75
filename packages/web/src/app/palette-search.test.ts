import { expect, it } from 'vitest'
import { rankEntries, score } from './palette-search.ts'

const entries = ['Overview', 'New site', 'snow.test', 'news.example.com', 'blog.new.test'].map((label) => ({
  id: label,
  label,
  group: '',
  run: () => {},
}))

it('puts a beginning before a word, a word before a part', () => {
  expect(rankEntries(entries, 'new').map((entry) => entry.label)).toEqual([
    'New site',
    'news.example.com',
    'blog.new.test',
  ])
})

it('finds letters in order and refuses others', () => {
  expect(score('snow.test', 'swt')).toBe(3)
  expect(score('snow.test', 'tsx')).toBeUndefined()
})

it('shows everything before anything is typed', () => {
  expect(rankEntries(entries, ' ')).toHaveLength(5)
})
