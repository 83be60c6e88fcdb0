// postgres.js.
'use strict'

const postgres = require('postgres')
const { COLUMNS, TABLES, each, lines, parameters, repeated, run, state } = require('./course.js')

const connected = (part) => async (course) => {
  const { host, port, database, user, password } = course.address
  const sql = postgres({ host, port, database, user, password, ssl: course.tls, max: 1, onnotice: () => {} })
  try {
    return await part(sql, course)
  } finally {
    await sql.end()
  }
}

const rows = (sql, text) => sql.unsafe(text).values()

const prepared = (sql, { questions, times }) =>
  each(questions, (asked) =>
    repeated(times, () => sql.unsafe(asked.sql, parameters(asked), { prepare: true }).values()))

const cursor = async (sql, { by_sex }) => {
  const read = []
  for await (const batch of sql.unsafe(by_sex).values().cursor(1)) read.push(...batch)
  return read
}

const copy = async (sql, { by_sex }) => {
  const chunks = []
  for await (const chunk of await sql.unsafe(`COPY (${by_sex}) TO STDOUT`).readable()) chunks.push(chunk)
  return lines(Buffer.concat(chunks).toString())
}

const cancel = async (sql, { sleep }) => {
  await rows(sql, 'SELECT 1') // Only now is there a connection.
  const query = sql.unsafe(sleep)
  const ended = state(query)
  const timer = setInterval(() => query.cancel(), 500)
  const told = await ended
  clearInterval(timer)
  return [told, (await rows(sql, 'SELECT 1'))[0][0]]
}

const errors = async (sql, { preview, unknown_column, by_sex }) => {
  const reserved = await sql.reserve()
  const states = [await state(reserved.unsafe(preview)), await state(reserved.unsafe(unknown_column))]
  await reserved`BEGIN`
  states.push(await state(reserved.unsafe(preview)), await state(reserved`SELECT 1`))
  await reserved`ROLLBACK`
  const told = [...states, await rows(reserved, by_sex)]
  reserved.release()
  return told
}

const parts = {
  connects: async (sql) => (await sql`SELECT current_user`.values())[0],
  introspects: async (sql) => ({
    tables: (await rows(sql, TABLES)).flat(),
    columns: (await rows(sql, COLUMNS)).flat(),
  }),
  answers: (sql, { questions }) => each(questions, ({ literal }) => rows(sql, literal)),
  prepared,
  cursor,
  copy,
  cancel,
  errors,
}

run(Object.fromEntries(Object.entries(parts).map(([part, of]) => [part, connected(of)])))
