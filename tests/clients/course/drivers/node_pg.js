// node-postgres with pg-cursor, pg-query-stream and pg-copy-streams.
'use strict'

const { Client } = require('pg')
const Cursor = require('pg-cursor')
const QueryStream = require('pg-query-stream')
const { to: copyTo } = require('pg-copy-streams')
const { COLUMNS, TABLES, each, lines, parameters, repeated, run, state } = require('./course.js')

const connected = (part) => async (course) => {
  const { host, port, database, user, password } = course.address
  const client = new Client({ host, port, database, user, password, ssl: course.tls })
  await client.connect()
  try {
    return await part(client, course)
  } finally {
    await client.end()
  }
}

const rows = async (client, text, values, name) =>
  (await client.query({ text, values, name, rowMode: 'array' })).rows

const introspects = async (client) => ({
  tables: (await rows(client, TABLES)).flat(),
  columns: (await rows(client, COLUMNS)).flat(),
})

const cursor = async (client, { by_sex }) => {
  const opened = client.query(new Cursor(by_sex, [], { rowMode: 'array' }))
  const read = []
  for (let batch = await opened.read(1); batch.length; batch = await opened.read(1)) read.push(...batch)
  await opened.close()
  return read
}

const stream = async (client, { by_sex }) => {
  const read = []
  for await (const row of client.query(new QueryStream(by_sex, [], { batchSize: 1, rowMode: 'array' }))) read.push(row)
  return read
}

const copy = async (client, { by_sex }) => {
  const chunks = []
  for await (const chunk of client.query(copyTo(`COPY (${by_sex}) TO STDOUT`))) chunks.push(chunk)
  return lines(Buffer.concat(chunks).toString())
}

// The driver has no cancel over TLS: as with many a pool, another session of the same role asks the server for it.
const cancel = async (client, course) => {
  const [[pid]] = await rows(client, 'SELECT pg_backend_pid()')
  const ended = state(client.query(course.sleep))
  await connected((other) => rows(other, `SELECT pg_sleep(0.5), pg_cancel_backend($1)`, [pid]))(course)
  return [await ended, (await rows(client, 'SELECT 1'))[0][0]]
}

const errors = async (client, { preview, unknown_column, by_sex }) => {
  const states = [await state(client.query(preview)), await state(client.query(unknown_column))]
  await client.query('BEGIN')
  states.push(await state(client.query(preview)), await state(client.query('SELECT 1')))
  await client.query('ROLLBACK')
  return [...states, await rows(client, by_sex)]
}

const parts = {
  connects: async (client) => (await rows(client, 'SELECT current_user'))[0],
  introspects,
  answers: (client, { questions }) => each(questions, ({ literal }) => rows(client, literal)),
  prepared: (client, { questions, times }) =>
    each(questions, (asked) => repeated(times, () => rows(client, asked.sql, parameters(asked), asked.name))),
  cursor,
  stream,
  copy,
  cancel,
  errors,
}

run(Object.fromEntries(Object.entries(parts).map(([part, of]) => [part, connected(of)])))
