/** Everything the object-cache drop-in sends; a site's ACL user needs no other command. */
export const redisCommands = [
  'get',
  'set',
  'mget',
  'incrby',
  'unlink',
  'hgetall',
  'hset',
  'hsetnx',
  'hincrby',
] as const
