// What the programs in JavaScript share: one part of the course, from stdin to stdout.
'use strict'

const { readFileSync } = require('fs')

const VALUES = { integer: Number, float: Number, text: String, date: String, boolean: (text) => text === 'true' }

/** The values of a question's parameters. */
const parameters = (asked) => (asked.kind ? [VALUES[asked.kind](asked.value)] : [])

/** {name: await of(question)} of all questions, one after the other. */
const each = async (questions, of) => {
  const told = {}
  for (const asked of questions) told[asked.name] = await of(asked)
  return told
}

/** The results of `times` calls, one after the other. */
const repeated = async (times, call) => {
  const results = []
  for (let run = 0; run < times; run++) results.push(await call(run))
  return results
}

/** The SQLSTATE that a promise fails with, or null. */
const state = (promise) => promise.then(() => null, (fault) => fault.code ?? fault.original?.code ?? String(fault))

/** Rows of COPY's text format; no value of the course has a character that is escaped. */
const lines = (text) => text.trimEnd().split('\n').map((line) => line.split('\t'))

/** Runs `parts[part](course)`, with the certificate in `course.tls` as Node's TLS takes it. */
const run = async (parts) => {
  const course = JSON.parse(readFileSync(0, 'utf8'))
  course.tls = { ca: readFileSync(course.address.certificate, 'utf8') }
  process.stdout.write(JSON.stringify(await parts[course.part](course)))
}

const COLUMNS = "SELECT column_name FROM information_schema.columns WHERE table_name = 'people' ORDER BY ordinal_position"
const TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"

module.exports = { COLUMNS, TABLES, each, lines, parameters, repeated, run, state }
