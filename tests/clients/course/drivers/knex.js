// knex over node-postgres: its query builder where the course leaves the words to the client, else raw SQL.
'use strict'

const knex = require('knex')
const { each, parameters, repeated, run, state } = require('./course.js')

const connected = (part) => async (course) => {
  const { host, port, database, user, password } = course.address
  const connection = { host, port, database, user, password, ssl: course.tls }
  const db = knex({ client: 'pg', connection, pool: { min: 0, max: 1 }, searchPath: ['public'] })
  try {
    return await part(db, course)
  } finally {
    await db.destroy()
  }
}

const rows = async (db, sql, values = []) => (await db.raw(sql, values)).rows.map((row) => Object.values(row))

const introspects = async (db) => {
  const has = async (table) => ((await db.schema.hasTable(table)) ? [table] : [])
  const tables = (await Promise.all(['people', 'visits', 'departments', 'nosuch'].map(has))).flat()
  const columns = await db('people').columnInfo()
  return { tables, columns: Object.keys(columns) }
}

const prepared = (db, { questions, times }) =>
  each(questions, (asked) => repeated(times, () => rows(db, asked.sql.replace('$1', '?'), parameters(asked))))

/** What the builder makes of the question by sex: whole, as a stream, with a first row, and inside of a transaction. */
const built = async (db) => {
  const bySex = () => db('people').select('sex').count('* as n').sum('age as years').groupBy('sex').orderBy('sex')
  const streamed = []
  for await (const row of bySex().stream({ batchSize: 1 })) streamed.push(row)
  return {
    whole: await bySex(),
    streamed,
    first: await bySex().first(),
    older: await db('people').where('age', '>', 30).whereIn('sex', ['F', 'M']).count({ n: '*' }),
    savepoints: await db.transaction(async (outer) => {
      const refused = await state(outer.transaction((inner) => inner('people').select('*').limit(100)))
      return [refused, await outer('people').count('* as n')]
    }),
  }
}

const cursor = async (db, { by_sex }) => {
  const read = []
  for await (const row of db.raw(by_sex).stream({ batchSize: 1 })) read.push(Object.values(row))
  return read
}

const cancel = async (db, { sleep }) => {
  await rows(db, 'SELECT 1') // Only now is there a connection.
  const ended = new Promise((resolve) => db.once('query-error', (fault) => resolve(fault.code)))
  await state(db.raw(sleep).timeout(500, { cancel: true }))
  return [await ended, (await rows(db, 'SELECT 1'))[0][0]]
}

const errors = async (db, { preview, unknown_column, by_sex }) => {
  const states = [await state(db.raw(preview)), await state(db.raw(unknown_column))]
  const transaction = await db.transaction()
  states.push(await state(transaction.raw(preview)), await state(transaction.raw('SELECT 1')))
  await transaction.rollback()
  return [...states, await rows(db, by_sex)]
}

const parts = {
  connects: async (db) => (await rows(db, 'SELECT current_user'))[0],
  introspects,
  answers: (db, { questions }) => each(questions, ({ literal }) => rows(db, literal)),
  prepared,
  built,
  cursor,
  cancel,
  errors,
}

run(Object.fromEntries(Object.entries(parts).map(([part, of]) => [part, connected(of)])))
