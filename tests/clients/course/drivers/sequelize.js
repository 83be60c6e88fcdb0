// Sequelize over node-postgres.
'use strict'

const { DataTypes, Sequelize, Transaction } = require('sequelize')
const { each, parameters, repeated, run, state } = require('./course.js')

const connected = (part) => async (course) => {
  const { host, port, database, user, password } = course.address
  const db = new Sequelize(database, user, password, {
    host, port, dialect: 'postgres', dialectOptions: { ssl: course.tls }, pool: { max: 1 }, logging: false,
  })
  try {
    await db.authenticate()
    return await part(db, course)
  } finally {
    await db.close()
  }
}

const rows = async (db, sql, options = {}) =>
  (await db.query(sql, { type: 'SELECT', ...options })).map((row) => Object.values(row))

const introspects = async (db) => {
  const schema = db.getQueryInterface()
  const columns = await schema.describeTable('people')
  const [primary] = (await schema.showIndex('people')).filter((index) => index.primary)
  return {
    tables: (await schema.showAllTables()).map((table) => table.tableName ?? table),
    columns: Object.keys(columns),
    'primary key': primary.fields.map((field) => field.attribute),
    comment: columns.age.comment,
  }
}

const prepared = (db, { questions, times }) =>
  each(questions, (asked) => repeated(times, () => rows(db, asked.sql, { bind: parameters(asked) })))

/** A model of the people, asked by the methods of models. */
const built = async (db) => {
  const People = db.define(
    'people',
    {
      person_id: { type: DataTypes.BIGINT, primaryKey: true },
      age: DataTypes.INTEGER,
      sex: DataTypes.TEXT,
      smoker: DataTypes.BOOLEAN,
      joined: DataTypes.DATEONLY,
    },
    { freezeTableName: true, timestamps: false },
  )
  return {
    count: await People.count(),
    smokers: await People.count({ where: { smoker: true, joined: { [Sequelize.Op.gte]: '2022-06-01' } } }),
    years: await People.sum('age'),
    'by sex': await People.findAll({
      attributes: ['sex', [db.fn('COUNT', db.col('*')), 'n']], group: ['sex'], order: ['sex'], raw: true,
    }),
    preview: await state(People.findAll({ limit: 100 })),
  }
}

const errors = async (db, { preview, unknown_column, by_sex }) => {
  const states = [await state(db.query(preview)), await state(db.query(unknown_column))]
  const transaction = await db.transaction({ isolationLevel: Transaction.ISOLATION_LEVELS.REPEATABLE_READ })
  states.push(await state(db.query(preview, { transaction })), await state(db.query('SELECT 1', { transaction })))
  await transaction.rollback()
  return [...states, await rows(db, by_sex)]
}

const parts = {
  connects: async (db) => (await rows(db, 'SELECT current_user'))[0],
  introspects,
  answers: (db, { questions }) => each(questions, ({ literal }) => rows(db, literal)),
  prepared,
  built,
  errors,
}

run(Object.fromEntries(Object.entries(parts).map(([part, of]) => [part, connected(of)])))
