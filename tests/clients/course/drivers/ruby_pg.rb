# Ruby's pg.
require 'json'
require 'pg'

COURSE = JSON.parse($stdin.read)
BY_SEX = COURSE['by_sex']
TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
COLUMNS = "SELECT column_name FROM information_schema.columns WHERE table_name = 'people' ORDER BY ordinal_position"

def connect
  at = COURSE['address']
  PG.connect(host: at['host'], port: at['port'], dbname: at['database'], user: at['user'], password: at['password'],
             sslmode: 'verify-full', sslrootcert: at['certificate'])
end

def each_question
  COURSE['questions'].to_h { |asked| [asked['name'], yield(asked)] }
end

def state(connection, sql)
  connection.exec(sql)
  nil
rescue PG::Error => e
  e.result.error_field(PG::PG_DIAG_SQLSTATE)
end

def runs(connection, asked)
  connection.prepare(asked['name'], asked['sql'])
  values = asked['kind'].empty? ? [] : [asked['value']]
  Array.new(COURSE['times']) { connection.exec_prepared(asked['name'], values).values }
end

def single_rows(connection)
  connection.send_query(BY_SEX)
  connection.set_single_row_mode
  connection.get_result.stream_each_row.to_a.tap { connection.get_result }
end

def cursor(connection)
  connection.transaction do
    connection.exec("DECLARE one_by_one CURSOR FOR #{BY_SEX}")
    rows = []
    while (read = connection.exec('FETCH 1 FROM one_by_one').values).any?
      rows.concat(read)
    end
    rows
  end
end

def copy(connection)
  rows = []
  connection.copy_data("COPY (#{BY_SEX}) TO STDOUT", PG::TextDecoder::CopyRow.new) do
    while (row = connection.get_copy_data)
      rows << row
    end
  end
  rows
end

def cancel(connection)
  Thread.new { sleep(0.5) and connection.cancel }
  [state(connection, COURSE['sleep']), connection.exec('SELECT 1').getvalue(0, 0)]
end

def errors(connection)
  states = [state(connection, COURSE['preview']), state(connection, COURSE['unknown_column'])]
  connection.exec('BEGIN')
  states.push(state(connection, COURSE['preview']), state(connection, 'SELECT 1'))
  connection.exec('ROLLBACK')
  [*states, connection.exec(BY_SEX).values]
end

def part(connection)
  case COURSE['part']
  when 'connects' then connection.exec('SELECT current_user').values.first
  when 'introspects'
    { tables: connection.exec(TABLES).values.flatten, columns: connection.exec(COLUMNS).values.flatten }
  when 'answers' then each_question { |asked| connection.exec(asked['literal']).values }
  when 'prepared' then each_question { |asked| runs(connection, asked) }
  else send(COURSE['part'], connection)
  end
end

puts JSON.generate(part(connect))
