// Go's database/sql over the driver that the first argument names: postgres (lib/pq) or pgx.
package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgconn"
	"github.com/jackc/pgx/v4/stdlib"
	_ "github.com/lib/pq"
)

type asked struct{ Name, Sql, Kind, Value, Literal string }

type course struct {
	Part    string
	Address struct {
		Host, Database, User, Password, Certificate string
		Port                                        int
	}
	Questions      []asked
	Preview, Sleep string
	BySex          string `json:"by_sex"`
	UnknownColumn  string `json:"unknown_column"`
	Times          int
}

type queries interface {
	QueryContext(ctx context.Context, query string, args ...interface{}) (*sql.Rows, error)
}

type row = []interface{}

var (
	ctx  = context.Background()
	said course
)

const (
	tables  = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
	columns = "SELECT column_name FROM information_schema.columns WHERE table_name = 'people' ORDER BY ordinal_position"
)

func main() {
	must(json.NewDecoder(os.Stdin).Decode(&said))
	db, fault := sql.Open(os.Args[1], address())
	must(fault)
	defer db.Close()
	conn, fault := db.Conn(ctx)
	must(fault)
	must(json.NewEncoder(os.Stdout).Encode(part(db, conn)))
}

func must(fault error) {
	if fault != nil {
		fmt.Fprintln(os.Stderr, fault)
		os.Exit(1)
	}
}

func address() string {
	at := said.Address
	query := url.Values{"sslmode": {"verify-full"}, "sslrootcert": {at.Certificate}}
	server := url.URL{
		Scheme: "postgres", User: url.UserPassword(at.User, at.Password), Path: at.Database,
		Host: at.Host + ":" + strconv.Itoa(at.Port), RawQuery: query.Encode(),
	}
	return server.String()
}

func part(db *sql.DB, conn *sql.Conn) interface{} {
	switch said.Part {
	case "connects":
		return rows(conn, "SELECT current_user")[0]
	case "introspects":
		return map[string]interface{}{"tables": first(rows(conn, tables)), "columns": first(rows(conn, columns))}
	case "answers":
		return each(func(question asked) interface{} { return rows(conn, question.Literal) })
	case "prepared":
		return each(func(question asked) interface{} { return runs(conn, question) })
	case "cursor":
		return cursor(conn)
	case "copy":
		return copied(conn)
	case "cancel":
		if os.Args[1] == "pgx" {
			return cancelled(conn)
		}
		return abandoned(db)
	case "errors":
		return faults(conn)
	}
	panic(said.Part)
}

func each(of func(asked) interface{}) map[string]interface{} {
	told := map[string]interface{}{}
	for _, question := range said.Questions {
		told[question.Name] = of(question)
	}
	return told
}

func rows(on queries, text string, values ...interface{}) []row {
	found, fault := on.QueryContext(ctx, text, values...)
	must(fault)
	return all(found)
}

func all(found *sql.Rows) []row {
	defer found.Close()
	names, fault := found.Columns()
	must(fault)
	told := []row{}
	for found.Next() {
		values, targets := make(row, len(names)), make(row, len(names))
		for at := range values {
			targets[at] = &values[at]
		}
		must(found.Scan(targets...))
		for at, value := range values {
			if text, is := value.([]byte); is {
				values[at] = string(text)
			}
		}
		told = append(told, values)
	}
	must(found.Err())
	return told
}

func first(rows []row) row {
	told := row{}
	for _, each := range rows {
		told = append(told, each[0])
	}
	return told
}

func values(question asked) row {
	var value interface{} = question.Value
	var fault error
	switch question.Kind {
	case "":
		return nil
	case "integer":
		value, fault = strconv.Atoi(question.Value)
	case "float":
		value, fault = strconv.ParseFloat(question.Value, 64)
	case "boolean":
		value, fault = strconv.ParseBool(question.Value)
	case "date":
		value, fault = time.Parse("2006-01-02", question.Value)
	}
	must(fault)
	return row{value}
}

func runs(conn *sql.Conn, question asked) [][]row {
	statement, fault := conn.PrepareContext(ctx, question.Sql)
	must(fault)
	defer statement.Close()
	told := [][]row{}
	for run := 0; run < said.Times; run++ {
		found, fault := statement.Query(values(question)...)
		must(fault)
		told = append(told, all(found))
	}
	return told
}

func cursor(conn *sql.Conn) []row {
	transaction, fault := conn.BeginTx(ctx, nil)
	must(fault)
	defer transaction.Rollback()
	_, fault = transaction.Exec("DECLARE one_by_one CURSOR FOR " + said.BySex)
	must(fault)
	told := []row{}
	for next := rows(transaction, "FETCH 1 FROM one_by_one"); len(next) > 0; next = rows(transaction, "FETCH 1 FROM one_by_one") {
		told = append(told, next...)
	}
	return told
}

// native is the connection beneath database/sql, for what that has no words for.
func native(conn *sql.Conn) (under *pgconn.PgConn) {
	must(conn.Raw(func(driver interface{}) error {
		under = driver.(*stdlib.Conn).Conn().PgConn()
		return nil
	}))
	return under
}

func copied(conn *sql.Conn) [][]string {
	var out bytes.Buffer
	_, fault := native(conn).CopyTo(ctx, &out, "COPY ("+said.BySex+") TO STDOUT")
	must(fault)
	told := [][]string{}
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		told = append(told, strings.Split(line, "\t"))
	}
	return told
}

func cancelled(conn *sql.Conn) row {
	under := native(conn)
	time.AfterFunc(500*time.Millisecond, func() { must(under.CancelRequest(ctx)) })
	return row{state(conn, said.Sleep), rows(conn, "SELECT 1")[0][0]}
}

// abandoned: lib/pq cancels for a context that ends, and gives the session up.
func abandoned(db *sql.DB) row {
	soon, done := context.WithTimeout(ctx, 500*time.Millisecond)
	defer done()
	_, fault := db.QueryContext(soon, said.Sleep)
	return row{sqlstate(fault), rows(db, "SELECT 1")[0][0]}
}

func faults(conn *sql.Conn) row {
	told := row{state(conn, said.Preview), state(conn, said.UnknownColumn)}
	transaction, fault := conn.BeginTx(ctx, nil)
	must(fault)
	told = append(told, state(transaction, said.Preview), state(transaction, "SELECT 1"))
	must(transaction.Rollback())
	return append(told, rows(conn, said.BySex))
}

func state(on queries, text string) interface{} {
	found, fault := on.QueryContext(ctx, text)
	if fault == nil {
		for found.Next() {
		}
		fault = found.Err()
	}
	return sqlstate(fault)
}

func sqlstate(fault error) interface{} {
	var told interface{ SQLState() string }
	if errors.As(fault, &told) {
		return told.SQLState()
	}
	return fmt.Sprint(fault)
}
